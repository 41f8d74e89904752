// TappedReader: shows the pieces of a streamed body as they are sent.
#if Tool
import Tsubame

/// A reader that tells of what it gives.
final class TappedReader: BodyReader {
    private let reader: any BodyReader
    private let tap: @Sendable (Bytes) -> Void

    init(_ reader: any BodyReader, _ tap: @escaping @Sendable (Bytes) -> Void) {
        self.reader = reader
        self.tap = tap
    }

    func next() async throws -> Bytes? {
        let piece = try await reader.next()
        if let piece { tap(piece) }
        return piece
    }
}

extension Body {
    /// The same; if it is streamed, `tap` sees each piece as it is sent.
    func tapped(_ tap: @escaping @Sendable (Bytes) -> Void) -> Body {
        guard case .stream(let open, let isOneShot) = content else { return self }
        return with(content: .stream(open: { TappedReader(open(), tap) }, isOneShot: isOneShot), length: length)
    }
}

#endif
