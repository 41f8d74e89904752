// ContentCoding: how the content of a request is compressed (RFC 9110 section 8.4).

import TsubameWire

/// A content coding that a request's body can be compressed by: see ``Body/compressed(by:onlyIfSmaller:)``.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    /// RFC 1952. Of the two it is what servers that undo codings most often know.
    case gzip
    /// RFC 1950: deflate wrapped by zlib, as RFC 9110 section 8.4.1.2 has it.
    case deflate

    var encoder: DeflateEncoder? {
        switch self {
        case .gzip: DeflateEncoder(.gzip)
        case .deflate: DeflateEncoder(.deflate)
        }
    }
}
