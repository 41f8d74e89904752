// BrotliDecoder: decodes brotli (RFC 7932) piece by piece with the system's library.

/// The window is at most 16 MiB. The library refuses larger windows, which are not in the RFC.
package final class BrotliDecoder: ContentDecoder {
    private enum State: Equatable {
        /// No byte has arrived.
        case start
        case inside
        case ended
        case failed(ContentCodingError.Reason)
    }

    package private(set) var mayHaveMore = false
    private var state = State.start
    private let library: BrotliLibrary
    private let decoder: OpaquePointer

    package static var isAvailable: Bool { BrotliLibrary.found != nil }

    /// nil if the library is not installed, or if there is not enough memory.
    package init?() {
        guard let library = BrotliLibrary.found, let decoder = library.create() else { return nil }
        self.library = library
        self.decoder = decoder
    }

    deinit { library.destroy(decoder) }

    package func decode(
        into output: UnsafeMutableRawBufferPointer, from input: UnsafeRawBufferPointer, inputConsumed: inout Int
    ) throws(ContentCodingError) -> Int {
        inputConsumed = 0
        let output = UnsafeMutableRawBufferPointer(rebasing: output.prefix(Self.maximumOutput))
        if case .failed(let reason) = state { throw Self.error(reason) }
        guard !output.isEmpty, !input.isEmpty || mayHaveMore else { return 0 }
        mayHaveMore = false
        guard state != .ended else { throw fail(.trailingBytes) }
        state = .inside
        var (inputLeft, outputLeft) = (input.count, output.count)
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = library.decompress(decoder, &inputLeft, &next, &outputLeft, &target)
        inputConsumed = input.count - inputLeft
        let produced = output.count - outputLeft
        switch result {
        // Bytes behind the end are refused when they are passed again.
        case .ended: state = .ended
        case .goesOn: mayHaveMore = produced == output.count
        case .failed:
            let error = fail(library.reason(decoder))
            // Bytes that were decoded before are returned first.
            guard produced > 0 else { throw error }
        }
        return produced
    }

    package func finish() throws(ContentCodingError) {
        switch state {
        case .start, .ended: return
        case .inside: throw Self.error(.truncated)
        case .failed(let reason): throw Self.error(reason)
        }
    }

    private func fail(_ reason: ContentCodingError.Reason) -> ContentCodingError {
        state = .failed(reason)
        return Self.error(reason)
    }

    private static func error(_ reason: ContentCodingError.Reason) -> ContentCodingError {
        ContentCodingError(coding: "br", reason: reason)
    }
}
