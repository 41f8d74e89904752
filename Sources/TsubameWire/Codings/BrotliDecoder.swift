// BrotliDecoder: decodes brotli (RFC 7932) piece by piece with the system's libbrotlidec.

import TsubamePlatform

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
    private let library: Library
    private let decoder: OpaquePointer

    package static var isAvailable: Bool { Library.found != nil }

    /// nil if the library is not installed, or if there is not enough memory.
    package init?() {
        guard let library = Library.found, let decoder = library.create(nil, nil, nil) else { return nil }
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
        let result = library.decompress(decoder, &inputLeft, &next, &outputLeft, &target, nil)
        inputConsumed = input.count - inputLeft
        let produced = output.count - outputLeft
        switch result {
        case Library.success:
            // Bytes behind the end are refused when they are passed again.
            state = .ended
        case Library.needsMoreInput, Library.needsMoreOutput:
            mayHaveMore = produced == output.count
        default:
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

/// The functions of brotli's `decode.h` that are used.
private struct Library: Sendable {
    typealias Create =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    typealias Decompress =
        @convention(c) @Sendable (
            OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
        ) -> Int32
    typealias Destroy = @convention(c) @Sendable (OpaquePointer) -> Void
    typealias ErrorCode = @convention(c) @Sendable (OpaquePointer) -> Int32
    typealias ErrorText = @convention(c) @Sendable (Int32) -> UnsafePointer<CChar>?

    static let success: Int32 = 1
    static let needsMoreInput: Int32 = 2
    static let needsMoreOutput: Int32 = 3
    /// The error codes of failed allocations.
    private static let allocationErrors: ClosedRange<Int32> = -30 ... -21

    /// nil if no library is installed.
    static let found = Library()

    let create: Create
    let decompress: Decompress
    let destroy: Destroy
    private let errorCode: ErrorCode
    private let errorText: ErrorText

    private init?() {
        guard let library = SharedLibrary("brotlidec", version: 1),
            let create = library.function("BrotliDecoderCreateInstance", as: Create.self),
            let decompress = library.function("BrotliDecoderDecompressStream", as: Decompress.self),
            let destroy = library.function("BrotliDecoderDestroyInstance", as: Destroy.self),
            let errorCode = library.function("BrotliDecoderGetErrorCode", as: ErrorCode.self),
            let errorText = library.function("BrotliDecoderErrorString", as: ErrorText.self)
        else { return nil }
        self.create = create
        self.decompress = decompress
        self.destroy = destroy
        self.errorCode = errorCode
        self.errorText = errorText
    }

    func reason(_ decoder: OpaquePointer) -> ContentCodingError.Reason {
        let code = errorCode(decoder)
        if Self.allocationErrors.contains(code) { return .outOfMemory }
        return .corrupt(errorText(code).map { String(cString: $0) } ?? "invalid data")
    }
}
