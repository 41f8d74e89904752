// ReferenceResolution: resolves a reference against a base URI, as the WHATWG URL standard does.

extension TargetURI {
    /// The target of a reference, such as the value of a Location field.
    package enum Destination: Sendable {
        case uri(TargetURI)
        /// An absolute URI of a scheme that the client does not follow.
        case otherScheme(String)
    }

    /// Resolves a reference against this URI, as the WHATWG URL standard does for `http` and `https` (section 4.4).
    ///
    /// Control characters and spaces around the reference are removed. A backslash before the query counts as a slash.
    /// Any number of slashes except one can stand before a host, and `http:g` is relative to a base of the same scheme.
    /// The fragment is the reference's own. RFC 9110 section 10.2.2 lets the caller inherit one.
    /// - Parameter redaction: the rules for what the error withholds.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the result is not a valid URI. Unlike the WHATWG standard, this
    ///   refuses a control character inside, a NUL anywhere, and a backslash before an `@` of the authority.
    package func resolving(
        _ reference: String, redaction: Redaction = .standard
    ) throws(CallError) -> Destination {
        // This compares bytes, here and below: a combining mark after a delimiter must not hide it.
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

    /// An authority and everything after it. A backslash before an `@` of the authority stays, and the parser refuses
    /// it, because other parsers read another host before the `@`.
    private static func withAuthority(_ bytes: ArraySlice<UInt8>) -> String {
        let authority = bytes.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
        if let backslash = authority.firstIndex(of: 0x5C), authority[backslash...].contains(0x40) {
            return String(decoding: bytes, as: UTF8.self)
        }
        return withSlashes(bytes)
    }

    /// Turns each backslash of the path into a slash, and percent-encodes each backslash of the query.
    private static func withSlashes(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x5C) else { return String(decoding: bytes, as: UTF8.self) }
        let queryStart = bytes.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let fragmentStart = bytes.firstIndex(of: 0x23) ?? bytes.endIndex
        let path = bytes[..<queryStart].map { $0 == 0x5C ? 0x2F : $0 }
        let query = bytes[queryStart..<fragmentStart].flatMap { $0 == 0x5C ? Array("%5C".utf8) : [$0] }
        return String(decoding: path + query + bytes[fragmentStart...], as: UTF8.self)
    }

    /// Removes control characters and spaces on both sides. A NUL stays, so that the parser refuses it.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 && byte != 0 }
        let start = bytes.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return start }
        return start[...last]
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C }

    /// The scheme, in lower case, at the start of an absolute reference (RFC 3986 section 3.1).
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
