// TappedReader: a body reader that shows each piece before it is sent.

import Tsubame

/// A reader that passes each piece to a closure before it returns the piece.
final class TappedReader: BodyReader {
    private let reader: any BodyReader
    private let tap: @Sendable (Bytes) async -> Void

    init(_ reader: any BodyReader, _ tap: @escaping @Sendable (Bytes) async -> Void) {
        self.reader = reader
        self.tap = tap
    }

    func next() async throws -> Bytes? {
        let piece = try await reader.next()
        if let piece { await tap(piece) }
        return piece
    }
}

extension RequestBody {
    /// The same body. If it is streamed, `tap` sees each piece before it is sent.
    func tapped(_ tap: @escaping @Sendable (Bytes) async -> Void) -> RequestBody {
        guard case .stream(let open, let isOneShot) = content else { return self }
        return with(content: .stream(open: { TappedReader(open(), tap) }, isOneShot: isOneShot), length: length)
    }
}
