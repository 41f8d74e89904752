// ReferenceResolution: from a base URI and a reference to a target (RFC 3986 section 5).

extension TargetURI {
    /// Where a reference, such as the value of a Location field, leads.
    package enum Destination: Sendable {
        case uri(TargetURI)
        /// An absolute URI of a scheme that is not followed.
        case otherScheme(String)
    }

    /// Resolves a reference against this URI (RFC 3986 section 5.2). The fragment is the reference's own: RFC 9110
    /// section 10.2.2 lets the caller inherit one.
    package func resolving(_ reference: String) throws(CallError) -> Destination {
        if let scheme = Self.scheme(of: reference) {
            let name = scheme.lowercased()
            guard name == "http" || name == "https" else { return .otherScheme(name) }
            return .uri(try TargetURI(parsing: reference))
        }
        if reference.hasPrefix("//") {
            return .uri(try TargetURI(parsing: origin.scheme + ":" + reference))
        }
        let beforeFragment = reference.prefix { $0 != "#" }
        let fragment = beforeFragment.endIndex < reference.endIndex ? reference[beforeFragment.endIndex...] : ""
        let target: String
        if beforeFragment.isEmpty {
            target = self.target
        } else if beforeFragment.hasPrefix("?") {
            target = path + beforeFragment
        } else {
            let query = beforeFragment.firstIndex(of: "?").map { beforeFragment[$0...] } ?? ""
            let given = beforeFragment[..<(beforeFragment.firstIndex(of: "?") ?? beforeFragment.endIndex)]
            let merged: String
            if given.hasPrefix("/") {
                merged = String(given)
            } else {
                merged = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) + given
            }
            target = Self.removingDotSegments(merged) + query
        }
        return .uri(try TargetURI(parsing: origin.description + target + fragment))
    }

    /// The scheme that an absolute reference starts with (RFC 3986 section 3.1).
    private static func scheme(of reference: String) -> Substring? {
        guard let colon = reference.firstIndex(of: ":"), let first = reference.utf8.first,
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
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        if path.hasPrefix("/") { segments = segments.dropFirst() }
        var output: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                _ = output.popLast()
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/")
    }
}
