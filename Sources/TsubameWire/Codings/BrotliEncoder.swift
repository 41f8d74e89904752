// BrotliEncoder: encodes brotli (RFC 7932) piece by piece with the system's libbrotlienc.

package import TsubameCore
import TsubamePlatform

package final class BrotliEncoder: ContentEncoder {
    private let library: Library
    private let encoder: OpaquePointer
    private var isEnded = false

    package static var isAvailable: Bool { Library.found != nil }

    /// nil if the library is not installed, or if there is not enough memory.
    package init?() {
        guard let library = Library.found, let encoder = library.create(nil, nil, nil) else { return nil }
        self.library = library
        self.encoder = encoder
        guard library.setParameter(encoder, Library.quality, Library.qualityInUse) != 0,
            library.setParameter(encoder, Library.windowLog, Library.windowLogInUse) != 0
        else { return nil }
    }

    deinit { library.destroy(encoder) }

    package func encode(_ input: Bytes, isLast: Bool, into output: inout [UInt8]) -> Bool {
        guard !isEnded else { return false }
        isEnded = isLast
        return input.withUnsafeBytes { input in
            var inputLeft = input.count
            var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var succeeded = true
            repeat {
                output.append(
                    contentsOf: [UInt8](unsafeUninitializedCapacity: Self.outputBytes) { buffer, count in
                        var (outputLeft, target) = (buffer.count, buffer.baseAddress)
                        succeeded =
                            library.compress(
                                encoder, isLast ? Library.finish : Library.process, &inputLeft, &next, &outputLeft,
                                &target, nil) != 0
                        count = buffer.count - outputLeft
                    })
            } while succeeded && (inputLeft > 0 || library.hasMoreOutput(encoder) != 0)
            return succeeded && (!isLast || library.isFinished(encoder) != 0)
        }
    }
}

/// The functions of brotli's `encode.h` that are used.
private struct Library: Sendable {
    typealias Create =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    typealias SetParameter = @convention(c) @Sendable (OpaquePointer, Int32, UInt32) -> Int32
    typealias Compress =
        @convention(c) @Sendable (
            OpaquePointer, Int32, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
        ) -> Int32
    typealias Question = @convention(c) @Sendable (OpaquePointer) -> Int32
    typealias Destroy = @convention(c) @Sendable (OpaquePointer) -> Void

    static let process: Int32 = 0
    static let finish: Int32 = 2
    static let quality: Int32 = 1
    static let windowLog: Int32 = 2
    /// The library's default of 11 takes a second for a megabyte. 5 is as fast as gzip, and its output is smaller.
    static let qualityInUse: UInt32 = 5
    /// 1 MiB. Each body that is being sent takes this memory, and a larger window gains little.
    static let windowLogInUse: UInt32 = 20

    /// nil if no library is installed.
    static let found = Library()

    let create: Create
    let setParameter: SetParameter
    let compress: Compress
    let hasMoreOutput: Question
    let isFinished: Question
    let destroy: Destroy

    private init?() {
        guard let library = SharedLibrary("brotlienc", version: 1),
            let create = library.function("BrotliEncoderCreateInstance", as: Create.self),
            let setParameter = library.function("BrotliEncoderSetParameter", as: SetParameter.self),
            let compress = library.function("BrotliEncoderCompressStream", as: Compress.self),
            let hasMoreOutput = library.function("BrotliEncoderHasMoreOutput", as: Question.self),
            let isFinished = library.function("BrotliEncoderIsFinished", as: Question.self),
            let destroy = library.function("BrotliEncoderDestroyInstance", as: Destroy.self)
        else { return nil }
        self.create = create
        self.setParameter = setParameter
        self.compress = compress
        self.hasMoreOutput = hasMoreOutput
        self.isFinished = isFinished
        self.destroy = destroy
    }
}
