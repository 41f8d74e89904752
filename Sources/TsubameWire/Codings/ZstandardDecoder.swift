// ZstandardDecoder: decodes Zstandard (RFC 8878) piece by piece with the system's libzstd.

import TsubamePlatform

/// The content is one frame or several, with skippable frames between them. The window of a frame is at most 8 MiB (RFC
/// 9659), which is then the memory of a decoder. A frame that announces more is refused before any memory is taken.
package final class ZstandardDecoder: ContentDecoder {
    private enum State: Equatable {
        /// Between frames, or within the first bytes of a frame.
        case boundary(MagicNumber)
        case inside
        case failed(ContentCodingError.Reason)

        var isFailed: Bool { if case .failed = self { true } else { false } }
    }

    private static let coding = "zstd"

    package private(set) var mayHaveMore = false
    private var state = State.boundary(MagicNumber())
    private var hadFrame = false
    /// The beginning of the current frame, as far as it can hold the frame's header, and what the frame decoded to.
    private var frameStart: [UInt8] = []
    private var frameBytes: UInt64 = 0
    private let library: Library
    private let decoder: OpaquePointer

    package static var isAvailable: Bool { Library.found != nil }

    /// nil if the library is not installed, or if there is not enough memory.
    package init?() {
        guard let library = Library.found, let decoder = library.create() else { return nil }
        self.library = library
        self.decoder = decoder
    }

    deinit { _ = library.free(decoder) }

    package func decode(
        into output: UnsafeMutableRawBufferPointer, from input: UnsafeRawBufferPointer, inputConsumed: inout Int
    ) throws(ContentCodingError) -> Int {
        inputConsumed = 0
        let output = UnsafeMutableRawBufferPointer(rebasing: output.prefix(Self.maximumOutput))
        if case .failed(let reason) = state { throw Self.error(reason) }
        guard !output.isEmpty, !input.isEmpty || mayHaveMore else { return 0 }
        mayHaveMore = false
        var produced = 0
        while produced < output.count {
            let before = (inputConsumed, produced)
            var next = UnsafeRawBufferPointer(rebasing: input[inputConsumed...])
            switch state {
            case .failed(let reason):
                // Bytes that were decoded before are returned first.
                guard produced == 0 else { return produced }
                throw Self.error(reason)
            case .boundary(let magic):
                guard !next.isEmpty else { return produced }
                guard let followed = magic.followed(by: next) else {
                    state = .failed(hadFrame ? .trailingBytes : .corrupt("no frame begins here"))
                    continue
                }
                // The library keeps the part of a frame's header that has arrived. It gets the magic number alone: a whole
                // frame at once would take another way through the library, which refuses other frames.
                next = UnsafeRawBufferPointer(rebasing: next.prefix(magic.missing))
                state = followed.isWhole ? .inside : .boundary(followed)
            case .inside: break
            }
            decompress(
                next, into: UnsafeMutableRawBufferPointer(rebasing: output[produced...]), &inputConsumed, &produced)
            if inputConsumed == input.count || before == (inputConsumed, produced), !state.isFailed { break }
        }
        mayHaveMore = state == .inside && produced == output.count
        return produced
    }

    package func finish() throws(ContentCodingError) {
        switch state {
        case .boundary(MagicNumber()): return
        case .boundary, .inside: throw Self.error(.truncated)
        case .failed(let reason): throw Self.error(reason)
        }
    }

    private func decompress(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ consumed: inout Int,
        _ produced: inout Int
    ) {
        // The layout of `ZSTD_inBuffer` and `ZSTD_outBuffer`: an address, a size and a position.
        var source = (UInt(bitPattern: input.baseAddress), UInt(input.count), UInt(0))
        var target = (UInt(bitPattern: output.baseAddress), UInt(output.count), UInt(0))
        let result = library.decompress(decoder, &target, &source)
        consumed += Int(clamping: source.2)
        produced += Int(clamping: target.2)
        frameBytes += UInt64(target.2)
        if frameStart.count < Library.longestHeader {
            frameStart += input.prefix(Int(clamping: source.2)).prefix(Library.longestHeader - frameStart.count)
        }
        if library.isError(result) != 0 {
            state = .failed(library.reason(result))
        } else if result == 0 {
            hadFrame = true
            state = sizeProblem.map { .failed(.corrupt($0)) } ?? .boundary(MagicNumber())
            frameStart.removeAll(keepingCapacity: true)
            frameBytes = 0
        }
    }

    /// A frame can announce its size. The library does not compare it if the last block of the frame is empty.
    private var sizeProblem: String? {
        guard let size = library.contentSize(frameStart), size != frameBytes else { return nil }
        return "a frame of \(size) bytes decoded to \(frameBytes)"
    }

    private static func error(_ reason: ContentCodingError.Reason) -> ContentCodingError {
        ContentCodingError(coding: coding, reason: reason)
    }
}

/// The part of a frame's magic number that has arrived: 28 B5 2F FD, or 50 to 5F and 2A 4D 18 for a skippable frame.
///
/// The decoder checks the number itself, because the library also accepts formats older than the RFC. Their decoders
/// are not maintained.
private struct MagicNumber: Equatable {
    private var count = 0
    private var isSkippable = false

    var isWhole: Bool { missing == 0 }
    /// The number of bytes that have not arrived.
    var missing: Int { 4 - count }

    /// nil if the bytes do not continue a magic number.
    func followed(by bytes: UnsafeRawBufferPointer) -> MagicNumber? {
        var copy = self
        for byte in bytes.prefix(missing) {
            if copy.count == 0 { copy.isSkippable = byte & 0xF0 == 0x50 }
            let isRight =
                switch (copy.count, copy.isSkippable) {
                case (0, _): copy.isSkippable || byte == 0x28
                case (1, let isSkippable): byte == (isSkippable ? 0x2A : 0xB5)
                case (2, let isSkippable): byte == (isSkippable ? 0x4D : 0x2F)
                case (_, let isSkippable): byte == (isSkippable ? 0x18 : 0xFD)
                }
            guard isRight else { return nil }
            copy.count += 1
        }
        return copy
    }
}

/// The functions of `zstd.h` and `zstd_errors.h` that are used.
private struct Library: Sendable {
    typealias Create = @convention(c) @Sendable () -> OpaquePointer?
    typealias Free = @convention(c) @Sendable (OpaquePointer) -> Int
    typealias SetParameter = @convention(c) @Sendable (OpaquePointer, Int32, Int32) -> Int
    typealias Decompress =
        @convention(c) @Sendable (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
    typealias IsError = @convention(c) @Sendable (Int) -> UInt32
    typealias ErrorCode = @convention(c) @Sendable (Int) -> Int32
    typealias ContentSize = @convention(c) @Sendable (UnsafeRawPointer?, Int) -> UInt64
    typealias ErrorName = @convention(c) @Sendable (Int) -> UnsafePointer<CChar>?

    private static let windowLogMax: Int32 = 100
    /// 2^23 bytes are 8 MiB (RFC 9659 section 3).
    private static let largestWindow: Int32 = 23
    private static let windowTooLarge: Int32 = 16
    /// The longest header of a frame, in bytes (RFC 8878 section 3.1.1).
    static let longestHeader = 18
    private static let noMemory: Int32 = 64

    /// nil if no library is installed.
    static let found = Library()

    let free: Free
    let decompress: Decompress
    let isError: IsError
    private let newDecoder: Create
    private let setParameter: SetParameter
    private let frameContentSize: ContentSize
    private let errorCode: ErrorCode
    private let errorName: ErrorName

    private init?() {
        guard let library = SharedLibrary("zstd", version: 1),
            let newDecoder = library.function("ZSTD_createDStream", as: Create.self),
            let free = library.function("ZSTD_freeDStream", as: Free.self),
            let setParameter = library.function("ZSTD_DCtx_setParameter", as: SetParameter.self),
            let decompress = library.function("ZSTD_decompressStream", as: Decompress.self),
            let isError = library.function("ZSTD_isError", as: IsError.self),
            let errorCode = library.function("ZSTD_getErrorCode", as: ErrorCode.self),
            let errorName = library.function("ZSTD_getErrorName", as: ErrorName.self),
            let frameContentSize = library.function("ZSTD_getFrameContentSize", as: ContentSize.self)
        else { return nil }
        self.newDecoder = newDecoder
        self.free = free
        self.setParameter = setParameter
        self.decompress = decompress
        self.isError = isError
        self.frameContentSize = frameContentSize
        self.errorCode = errorCode
        self.errorName = errorName
    }

    /// nil if there is not enough memory.
    func create() -> OpaquePointer? {
        guard let decoder = newDecoder() else { return nil }
        guard isError(setParameter(decoder, Self.windowLogMax, Self.largestWindow)) == 0 else {
            _ = free(decoder)
            return nil
        }
        return decoder
    }

    /// The size that the header of a frame announces; nil if it announces none.
    func contentSize(_ header: [UInt8]) -> UInt64? {
        let size = header.withUnsafeBytes { frameContentSize($0.baseAddress, $0.count) }
        // The two highest values stand for an unknown size and for an error.
        return size < .max - 1 ? size : nil
    }

    func reason(_ result: Int) -> ContentCodingError.Reason {
        switch errorCode(result) {
        case Self.noMemory: .outOfMemory
        case Self.windowTooLarge: .corrupt("its window is larger than 8 MiB")
        default: .corrupt(errorName(result).map { String(cString: $0) } ?? "invalid data")
        }
    }
}
