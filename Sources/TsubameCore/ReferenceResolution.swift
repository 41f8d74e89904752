// ReferenceResolution: from a base URI and a reference to a target, as WHATWG's URL standard resolves one.

extension TargetURI {
    /// Where a reference, such as the value of a Location field, leads.
    package enum Destination: Sendable {
        case uri(TargetURI)
        /// An absolute URI of a scheme that is not followed.
        case otherScheme(String)
    }

    /// Resolves a reference against this URI, as WHATWG's URL standard does for `http` and `https` (section 4.4).
    ///
    /// Control characters and spaces around the reference are left out. A backslash before the query is a slash, any
    /// number of slashes but one stands before a host, and `http:g` is relative to a base of the same scheme. The fragment
    /// is the reference's own: RFC 9110 section 10.2.2 lets the caller inherit one.
    /// - Parameter redaction: what the error withholds.
    /// - Throws: ``CallError/Kind/invalidRequest`` for a reference that comes out as no valid URI. A control character
    ///   inside, a NUL anywhere and a backslash before an `@` of the authority are refused, unlike in WHATWG's standard.
    package func resolving(
        _ reference: String, redaction: Redaction = .standard
    ) throws(CallError) -> Destination {
        // By bytes, here and below: a combining mark after a delimiter must not hide it.
        var rest = Self.trimmed(Array(reference.utf8)[...])
        var scheme = origin.scheme
        if let named = Self.scheme(of: rest) {
            guard named == "http" || named == "https" else { return .otherScheme(named) }
            rest = rest.dropFirst(named.utf8.count + 1)
            scheme = named
        }
        let slashes = rest.prefix(while: Self.isSlash).count
        if slashes > 1 || scheme != origin.scheme {
            let whole = "\(scheme)://" + Self.withAuthority(rest.dropFirst(slashes))
            return .uri(try TargetURI(parsing: whole, redaction: redaction))
        }
        let start =
            switch rest.first {
            case nil, 0x23?: target
            case 0x3F?: path
            case 0x2F?, 0x5C?: ""
            default: directory
            }
        let whole = origin.description + start + Self.withSlashes(rest)
        return .uri(try TargetURI(parsing: whole, redaction: redaction))
    }

    /// The path up to its last slash.
    private var directory: String {
        let path = path
        return path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? "/"
    }

    /// An authority and everything after it. The parser refuses a backslash that this leaves in the authority: other parsers
    /// read another host before the `@`.
    private static func withAuthority(_ bytes: ArraySlice<UInt8>) -> String {
        let authority = bytes.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
        if let backslash = authority.firstIndex(of: 0x5C), authority[backslash...].contains(0x40) {
            return String(decoding: bytes, as: UTF8.self)
        }
        return withSlashes(bytes)
    }

    /// Each backslash of the path as a slash, and of the query percent-encoded.
    private static func withSlashes(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x5C) else { return String(decoding: bytes, as: UTF8.self) }
        let queryStart = bytes.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let fragmentStart = bytes.firstIndex(of: 0x23) ?? bytes.endIndex
        let path = bytes[..<queryStart].map { $0 == 0x5C ? 0x2F : $0 }
        let query = bytes[queryStart..<fragmentStart].flatMap { $0 == 0x5C ? Array("%5C".utf8) : [$0] }
        return String(decoding: path + query + bytes[fragmentStart...], as: UTF8.self)
    }

    /// Without the controls and spaces around it; a NUL stays, and is refused.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 && byte != 0 }
        let start = bytes.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return start }
        return start[...last]
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C }

    /// The scheme, in lower case, that an absolute reference starts with (RFC 3986 section 3.1).
    private static func scheme(of reference: ArraySlice<UInt8>) -> String? {
        guard let colon = reference.firstIndex(of: 0x3A), let first = reference.first,
            (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
        else { return nil }
        let scheme = reference[..<colon]
        let isScheme = scheme.allSatisfy {
            switch $0 {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2B, 0x2D, 0x2E: true
            default: false
            }
        }
        return isScheme ? String(decoding: scheme, as: UTF8.self).lowercased() : nil
    }
}
