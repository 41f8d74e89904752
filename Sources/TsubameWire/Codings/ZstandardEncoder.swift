// ZstandardEncoder: encodes Zstandard (RFC 8878) piece by piece with the system's libzstd.

package import TsubameCore
import TsubamePlatform

/// Encodes one frame with a checksum. Its window is 2 MiB, which every recipient accepts (RFC 9659).
package final class ZstandardEncoder: ContentEncoder {
    private let library: Library
    private let encoder: OpaquePointer
    private var isEnded = false

    package static var isAvailable: Bool { Library.found != nil }

    /// nil if the library is not installed, or if there is not enough memory.
    package init?() {
        guard let library = Library.found, let encoder = library.create() else { return nil }
        self.library = library
        self.encoder = encoder
        guard library.isError(library.setParameter(encoder, Library.level, Library.levelInUse)) == 0,
            library.isError(library.setParameter(encoder, Library.checksum, 1)) == 0
        else { return nil }
    }

    deinit { _ = library.free(encoder) }

    package func encode(_ input: Bytes, isLast: Bool, into output: inout [UInt8]) -> Bool {
        guard !isEnded else { return false }
        isEnded = isLast
        return input.withUnsafeBytes { input in
            // The layout of `ZSTD_inBuffer` and `ZSTD_outBuffer`: an address, a size and a position.
            var source = (UInt(bitPattern: input.baseAddress), UInt(input.count), UInt(0))
            var (isDone, succeeded) = (false, true)
            repeat {
                output.append(
                    contentsOf: [UInt8](unsafeUninitializedCapacity: Self.outputBytes) { buffer, count in
                        var target = (UInt(bitPattern: buffer.baseAddress), UInt(buffer.count), UInt(0))
                        let left = library.compress(encoder, &target, &source, isLast ? Library.end : Library.go)
                        succeeded = library.isError(left) == 0
                        // Before the frame ends, the encoder keeps the bytes that it has not finished.
                        isDone = isLast ? left == 0 : source.2 == source.1 && target.2 < target.1
                        count = Int(clamping: target.2)
                    })
            } while succeeded && !isDone
            return succeeded
        }
    }
}

/// The functions of `zstd.h` that are used.
private struct Library: Sendable {
    typealias Create = @convention(c) @Sendable () -> OpaquePointer?
    typealias Free = @convention(c) @Sendable (OpaquePointer) -> Int
    typealias SetParameter = @convention(c) @Sendable (OpaquePointer, Int32, Int32) -> Int
    typealias Compress =
        @convention(c) @Sendable (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, Int32) -> Int
    typealias IsError = @convention(c) @Sendable (Int) -> UInt32

    static let go: Int32 = 0
    static let end: Int32 = 2
    static let level: Int32 = 100
    static let checksum: Int32 = 201
    /// The library's own default.
    static let levelInUse: Int32 = 3

    /// nil if no library is installed.
    static let found = Library()

    let create: Create
    let free: Free
    let setParameter: SetParameter
    let compress: Compress
    let isError: IsError

    private init?() {
        guard let library = SharedLibrary("zstd", version: 1),
            let create = library.function("ZSTD_createCCtx", as: Create.self),
            let free = library.function("ZSTD_freeCCtx", as: Free.self),
            let setParameter = library.function("ZSTD_CCtx_setParameter", as: SetParameter.self),
            let compress = library.function("ZSTD_compressStream2", as: Compress.self),
            let isError = library.function("ZSTD_isError", as: IsError.self)
        else { return nil }
        self.create = create
        self.free = free
        self.setParameter = setParameter
        self.compress = compress
        self.isError = isError
    }
}
