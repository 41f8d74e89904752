// BrotliEncoder: compresses a body with brotli, where its library is installed.
#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The library is not linked but looked up when it is first needed, so that the server runs without it.
struct BrotliEncoder: Sendable {
    private typealias MaxCompressedSize = @convention(c) @Sendable (Int) -> Int
    private typealias Compress =
        @convention(c) @Sendable (
            Int32, Int32, Int32, Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>?
        ) -> Int32

    /// Nil if no library is installed.
    static let installed = BrotliEncoder()

    private static let names = [
        "libbrotlienc.so.1", "libbrotlienc.so", "libbrotlienc.1.dylib", "/opt/homebrew/lib/libbrotlienc.1.dylib",
    ]
    // The defaults of brotli's encode.h.
    private static let quality: Int32 = 11
    private static let windowBits: Int32 = 22
    private static let genericMode: Int32 = 0

    private let maxCompressedSize: MaxCompressedSize
    private let compress: Compress

    private init?() {
        // The library is never closed, because its functions are used as long as the process runs.
        guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
            let size = dlsym(library, "BrotliEncoderMaxCompressedSize"),
            let compress = dlsym(library, "BrotliEncoderCompress")
        else { return nil }
        maxCompressedSize = unsafeBitCast(size, to: MaxCompressedSize.self)
        self.compress = unsafeBitCast(compress, to: Compress.self)
    }

    func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        // The bound is zero for input that is too long to have one.
        var count = maxCompressedSize(bytes.count)
        guard count > 0 else { throw Problem(500, "the body is too long for brotli") }
        let compressed = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            let succeeded = compress(
                Self.quality, Self.windowBits, Self.genericMode, bytes.count, bytes, &count, output.baseAddress)
            initialized = succeeded == 1 ? count : 0
        }
        guard !compressed.isEmpty else { throw Problem(500, "brotli failed to finish") }
        return compressed
    }
}

#endif
