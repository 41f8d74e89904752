// ContentCoding: how the content of a request is compressed (RFC 9110 section 8.4).

import TsubameCore
import TsubameWire

/// A content coding that a request's body can be compressed by: see ``Body/compressed(by:onlyIfSmaller:)``.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    /// RFC 1952. Of all of them it is what servers that undo codings most often know.
    case gzip
    /// RFC 1950: deflate wrapped by zlib, as RFC 9110 section 8.4.1.2 has it.
    case deflate
    /// RFC 7932, where the system has libbrotlienc.
    case brotli = "br"
    /// RFC 8878, where the system has libzstd.
    case zstd

    /// Whether bodies can be compressed by it here. The libraries of ``brotli`` and ``zstd`` are not linked; each is
    /// looked for once in a process, when it is first asked for.
    public var isAvailable: Bool { missingLibrary == nil }

    /// What has to be installed.
    private var missingLibrary: String? {
        switch self {
        case .gzip, .deflate: nil
        case .brotli: BrotliEncoder.isAvailable ? nil : "libbrotlienc"
        case .zstd: ZstandardEncoder.isAvailable ? nil : "libzstd"
        }
    }

    /// Why bodies cannot be compressed by it here.
    var problem: CallError? {
        missingLibrary.map {
            CallError(
                .unsupported, "the body cannot be compressed by \(rawValue): the library \($0) was not found",
                phase: .preparing, advice: "install \($0), or use gzip")
        }
    }

    /// nil if there is no memory for it.
    var encoder: (any ContentEncoder)? {
        switch self {
        case .gzip: DeflateEncoder(.gzip)
        case .deflate: DeflateEncoder(.deflate)
        case .brotli: BrotliEncoder()
        case .zstd: ZstandardEncoder()
        }
    }
}
