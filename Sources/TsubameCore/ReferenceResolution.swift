// ReferenceResolution: from a base URI and a reference to a target (RFC 3986 section 5).

extension TargetURI {
    /// Where a reference, such as the value of a Location field, leads.
    package enum Destination: Sendable {
        case uri(TargetURI)
        /// An absolute URI of a scheme that is not followed.
        case otherScheme(String)
    }

    /// Resolves a reference against this URI (RFC 3986 section 5.2), strictly: `http:g` is no relative reference. The
    /// fragment is the reference's own: RFC 9110 section 10.2.2 lets the caller inherit one.
    /// - Throws: ``CallError/Kind/invalidRequest`` if what comes out is no valid URI.
    package func resolving(_ reference: String) throws(CallError) -> Destination {
        // By bytes, here and below: a combining mark behind a delimiter must not hide it.
        let bytes = reference.utf8
        if let scheme = Self.scheme(of: reference) {
            let name = scheme.lowercased()
            guard name == "http" || name == "https" else { return .otherScheme(name) }
            return .uri(try TargetURI(parsing: reference).withoutDotSegments())
        }
        if bytes.starts(with: "//".utf8) {
            return .uri(try TargetURI(parsing: origin.scheme + ":" + reference).withoutDotSegments())
        }
        let pathEnd = bytes.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let given = reference[..<pathEnd]
        let queryAndFragment = reference[pathEnd...]
        let target: String
        if given.isEmpty {
            target = bytes[pathEnd...].first == 0x3F ? path : self.target
        } else if bytes.first == 0x2F {
            target = Self.removingDotSegments(String(given))
        } else {
            let base = path
            let end = base.utf8.lastIndex(of: 0x2F).map(base.utf8.index(after:)) ?? base.startIndex
            target = Self.removingDotSegments(String(base[..<end]) + given)
        }
        return .uri(try TargetURI(parsing: origin.description + target + queryAndFragment))
    }

    /// What section 5.2.2 does to a reference's own path, which a URL that somebody asks for keeps as it is.
    private func withoutDotSegments() -> TargetURI {
        let path = path
        let shorter = Self.removingDotSegments(path)
        guard shorter.utf8.count < path.utf8.count else { return self }
        return with(
            target: shorter + (query.map { "?" + $0 } ?? ""), pathLength: shorter.utf8.count, fragment: fragment)
    }

    /// The scheme that an absolute reference starts with (RFC 3986 section 3.1).
    private static func scheme(of reference: String) -> Substring? {
        guard let colon = reference.utf8.firstIndex(of: 0x3A), let first = reference.utf8.first,
            (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
        else { return nil }
        let scheme = reference[..<colon]
        let isScheme = scheme.utf8.allSatisfy {
            switch $0 {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2B, 0x2D, 0x2E: true
            default: false
            }
        }
        return isScheme ? scheme : nil
    }

    /// RFC 3986 section 5.2.4, on a path that starts with a slash.
    package static func removingDotSegments(_ path: String) -> String {
        let segments = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        var output: [Substring] = []
        // What stands before the first slash is empty.
        for (index, segment) in segments.enumerated().dropFirst() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { output.append("") }
            } else if segment.elementsEqual("..".utf8) {
                _ = output.popLast()
                if isLast { output.append("") }
            } else {
                output.append(Substring(segment))
            }
        }
        return output.reduce(into: "") { $0 += "/" + $1 }
    }
}
