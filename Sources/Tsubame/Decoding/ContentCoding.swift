// ContentCoding: the content codings that can compress a request's body (RFC 9110 section 8.4).

import TsubameCore
import TsubameWire

/// A content coding that can compress a request's body. See ``RequestBody/compressed(by:onlyIfSmaller:)``.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    /// gzip (RFC 1952). Servers that decode request bodies support this coding most often.
    case gzip
    /// deflate in the zlib format (RFC 1950), as RFC 9110 section 8.4.1.2 defines it.
    case deflate
    /// Brotli (RFC 7932). It needs libbrotlienc on the system.
    case brotli = "br"
    /// Zstandard (RFC 8878). It needs libzstd on the system.
    case zstd

    /// Whether this coding can compress bodies on this system. The libraries of ``brotli`` and ``zstd`` are not
    /// linked: Tsubame looks for each once in a process, on first use.
    public var isAvailable: Bool { missingLibrary == nil }

    /// The library that has to be installed; nil if none is missing.
    private var missingLibrary: String? {
        switch self {
        case .gzip, .deflate: nil
        case .brotli: BrotliEncoder.isAvailable ? nil : "libbrotlienc"
        case .zstd: ZstandardEncoder.isAvailable ? nil : "libzstd"
        }
    }

    /// The error that says why this coding cannot compress bodies here; nil if it can.
    var problem: CallError? {
        missingLibrary.map {
            CallError(
                .unsupported, "the body cannot be compressed by \(rawValue): the library \($0) was not found",
                phase: .preparing, advice: "install \($0), or use gzip")
        }
    }

    /// A new encoder; nil if memory ran out.
    var encoder: (any ContentEncoder)? {
        switch self {
        case .gzip: DeflateEncoder(.gzip)
        case .deflate: DeflateEncoder(.deflate)
        case .brotli: BrotliEncoder()
        case .zstd: ZstandardEncoder()
        }
    }
}
