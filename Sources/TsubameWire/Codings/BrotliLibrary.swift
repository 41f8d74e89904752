// BrotliLibrary: the library that decodes brotli, in the form of each system.

#if canImport(Compression)
import Compression
#else
import TsubamePlatform
#endif

/// How a step of decoding ended.
enum BrotliOutcome {
    case ended
    /// The input is used up, or the output is full.
    case goesOn
    case failed
}

#if canImport(Compression)
/// Apple's Compression. It has never run.
struct BrotliLibrary: Sendable {
    static let found: BrotliLibrary? = BrotliLibrary()

    /// A decoder; nil if there is not enough memory.
    func create() -> OpaquePointer? {
        let stream = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
        guard
            compression_stream_init(stream, COMPRESSION_STREAM_DECODE, COMPRESSION_BROTLI) == COMPRESSION_STATUS_OK
        else {
            stream.deallocate()
            return nil
        }
        return OpaquePointer(stream)
    }

    func decompress(
        _ decoder: OpaquePointer, _ inputLeft: inout Int, _ next: inout UnsafePointer<UInt8>?, _ outputLeft: inout Int,
        _ target: inout UnsafeMutablePointer<UInt8>?
    ) -> BrotliOutcome {
        let stream = UnsafeMutablePointer<compression_stream>(decoder)
        guard let output = target else { return .failed }
        (stream.pointee.dst_ptr, stream.pointee.dst_size) = (output, outputLeft)
        // Without input the pointer is not used, and may not be nil.
        (stream.pointee.src_ptr, stream.pointee.src_size) = (next ?? UnsafePointer(output), inputLeft)
        let status = compression_stream_process(stream, 0)
        let isStuck = inputLeft > 0 && stream.pointee.src_size == inputLeft && stream.pointee.dst_size == outputLeft
        (inputLeft, outputLeft) = (stream.pointee.src_size, stream.pointee.dst_size)
        (next, target) = (stream.pointee.src_ptr, stream.pointee.dst_ptr)
        switch status {
        case COMPRESSION_STATUS_END: return .ended
        // Input that brings nothing and is not taken would otherwise be offered for ever.
        case COMPRESSION_STATUS_OK: return isStuck ? .failed : .goesOn
        default: return .failed
        }
    }

    func destroy(_ decoder: OpaquePointer) {
        let stream = UnsafeMutablePointer<compression_stream>(decoder)
        compression_stream_destroy(stream)
        stream.deallocate()
    }

    /// The library gives no reasons.
    func reason(_ decoder: OpaquePointer) -> ContentCodingError.Reason { .corrupt("invalid data") }
}
#else
/// The functions of brotli's `decode.h` that are used.
struct BrotliLibrary: Sendable {
    private typealias Create =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    private typealias Decompress =
        @convention(c) @Sendable (
            OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
        ) -> Int32
    private typealias Destroy = @convention(c) @Sendable (OpaquePointer) -> Void
    private typealias ErrorCode = @convention(c) @Sendable (OpaquePointer) -> Int32
    private typealias ErrorText = @convention(c) @Sendable (Int32) -> UnsafePointer<CChar>?

    private static let success: Int32 = 1
    private static let needsMoreInput: Int32 = 2
    private static let needsMoreOutput: Int32 = 3
    /// The error codes of failed allocations.
    private static let allocationErrors: ClosedRange<Int32> = -30 ... -21

    /// nil if no library is installed.
    static let found = BrotliLibrary()

    private let createInstance: Create
    private let decompressStream: Decompress
    private let destroyInstance: Destroy
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
        createInstance = create
        decompressStream = decompress
        destroyInstance = destroy
        self.errorCode = errorCode
        self.errorText = errorText
    }

    /// A decoder; nil if there is not enough memory.
    func create() -> OpaquePointer? { createInstance(nil, nil, nil) }

    func decompress(
        _ decoder: OpaquePointer, _ inputLeft: inout Int, _ next: inout UnsafePointer<UInt8>?, _ outputLeft: inout Int,
        _ target: inout UnsafeMutablePointer<UInt8>?
    ) -> BrotliOutcome {
        switch decompressStream(decoder, &inputLeft, &next, &outputLeft, &target, nil) {
        case Self.success: .ended
        case Self.needsMoreInput, Self.needsMoreOutput: .goesOn
        default: .failed
        }
    }

    func destroy(_ decoder: OpaquePointer) { destroyInstance(decoder) }

    func reason(_ decoder: OpaquePointer) -> ContentCodingError.Reason {
        let code = errorCode(decoder)
        if Self.allocationErrors.contains(code) { return .outOfMemory }
        return .corrupt(errorText(code).map { String(cString: $0) } ?? "invalid data")
    }
}
#endif
