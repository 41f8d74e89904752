// TargetURI: an absolute http or https URI, parsed once (RFC 9110 section 4.2, RFC 3986).

/// An absolute `http` or `https` URI, taken apart and checked when it is made.
///
/// Non-ASCII characters and spaces in path and query are percent-encoded; a backslash, a control character, an empty
/// host, port 0 and a second `@` in the userinfo are errors. The segments `.` and `..` of a path are removed (RFC 3986
/// section 5.2.4), also where they are written as `%2e`. An empty userinfo (`http://@host/`) is none.
///
/// Of a host there is one form, for the Host field, DNS, TLS, cookies and the pool. Percent-escapes in it are undone, as
/// browsers and curl do; names in other scripts become A-labels (UTS 46, non-transitional), and a name that UTS 46
/// refuses, an empty label, one of more than 63 bytes and a name of more than 253 are errors. A host that ends in a number
/// is an IPv4 address in any of the forms of WHATWG's URL standard (`127.1`, `0x7f.1`, `2130706433`), or an error. IPv6
/// addresses are written as RFC 5952 says. A zone (`[fe80::1%25eth0]`, RFC 6874) may stand behind a link-local one only.
public struct TargetURI: Sendable {
    // One reference, so that copying a request does not copy the parts.
    private final class Parts: Sendable {
        let origin: Origin
        let authority: String
        let target: String
        let pathLength: Int
        let fragment: String?
        let userinfo: String?

        init(
            origin: Origin, authority: String, target: String, pathLength: Int, fragment: String?, userinfo: String?
        ) {
            self.origin = origin
            self.authority = authority
            self.target = target
            self.pathLength = pathLength
            self.fragment = fragment
            self.userinfo = userinfo
        }
    }

    private let parts: Parts

    /// - Parameter authority: that of the origin, if it is known already.
    package init(
        origin: Origin, authority: String? = nil, target: String, pathLength: Int, fragment: String?,
        userinfo: String? = nil
    ) {
        parts = Parts(
            origin: origin, authority: authority ?? origin.authority, target: target, pathLength: pathLength,
            fragment: fragment, userinfo: userinfo)
    }

    /// Scheme, host and port.
    public var origin: Origin { parts.origin }
    /// As it is looked up, see ``Origin/host``.
    public var host: String { parts.origin.host }
    /// The port, named or by default.
    public var port: Int { Int(parts.origin.port) }
    /// Whether it is `https`.
    public var isSecure: Bool { parts.origin.isSecure }
    /// `host` or `host:port`, as it stands in the Host field; without a zone.
    public var authority: String { parts.authority }
    /// Path and query as they go on the wire (origin-form, RFC 9112 section 3.2.1).
    public var target: String { parts.target }
    /// The path, starting with `/`, still percent-encoded.
    public var path: String { String(decoding: parts.target.utf8.prefix(parts.pathLength), as: UTF8.self) }
    /// The query without its `?`, still percent-encoded; nil if there is none.
    public var query: String? {
        parts.target.utf8.count > parts.pathLength
            ? String(decoding: parts.target.utf8.dropFirst(parts.pathLength + 1), as: UTF8.self) : nil
    }
    /// What follows `#`; never sent.
    public var fragment: String? { parts.fragment }
    /// `user:password` as it was written before the `@`; never part of ``description``.
    package var userinfo: String? { parts.userinfo }

    /// The URI without userinfo, with everything else as it is.
    public var string: String {
        origin.description + target + (fragment.map { "#" + $0 } ?? "")
    }

    /// Parses an absolute URL. With `keepingDotSegments`, `.` and `..` stay in the path as they are written.
    /// - Throws: ``CallError/Kind/invalidRequest`` with what is wrong.
    public init(parsing url: String, keepingDotSegments: Bool = false) throws(CallError) {
        try self.init(parsing: url, keepingDotSegments: keepingDotSegments, redaction: .standard)
    }

    /// - Parameter redaction: what the error withholds.
    package init(parsing url: String, keepingDotSegments: Bool = false, redaction: Redaction) throws(CallError) {
        var url = url
        url.makeContiguousUTF8()
        let result: Result<TargetURI, URIProblem> =
            url.utf8.withContiguousStorageIfAvailable { bytes in
                do throws(URIProblem) {
                    return .success(try URIParser.parse(bytes, keepingDotSegments: keepingDotSegments))
                } catch {
                    return .failure(error)
                }
            } ?? .failure(URIProblem("is not text"))
        switch result {
        case .success(let uri): self = uri
        case .failure(let problem):
            throw CallError(
                .invalidRequest, "the URL \(problem.reason): \(redaction.invalidURL(url))",
                advice: problem.advice)
        }
    }

    /// The same URI with another target and fragment.
    package func with(target: String, pathLength: Int, fragment: String?) -> TargetURI {
        TargetURI(
            origin: origin, authority: authority, target: target, pathLength: pathLength, fragment: fragment,
            userinfo: userinfo)
    }

    /// The same URI with an already encoded query added to the one it has.
    package func adding(query added: String) -> TargetURI {
        guard !added.isEmpty else { return self }
        let separator: String
        if target.utf8.count == parts.pathLength {
            separator = "?"
        } else {
            separator = target.hasSuffix("?") || target.hasSuffix("&") ? "" : "&"
        }
        return with(target: target + separator + added, pathLength: parts.pathLength, fragment: fragment)
    }

    /// The URI with an already validated path (and perhaps query) appended to this one's path.
    package func appending(path suffix: String) -> TargetURI {
        var base = path
        if base.hasSuffix("/") { base.removeLast() }
        var suffix = Substring(suffix)
        if suffix.hasPrefix("/") { suffix = suffix.dropFirst() }
        let target: String
        if suffix.isEmpty {
            target = path
        } else if suffix.hasPrefix("?") {
            target = path + suffix
        } else {
            target = base + "/" + suffix
        }
        let pathLength = target.utf8.firstIndex(of: 0x3F).map { target.utf8.distance(from: target.startIndex, to: $0) }
        let joined = TargetURI(
            origin: origin, authority: authority, target: target, pathLength: pathLength ?? target.utf8.count,
            fragment: nil, userinfo: userinfo)
        return query.map { joined.adding(query: $0) } ?? joined
    }
}

extension TargetURI: Hashable {
    /// Whether all parts are the same, userinfo included.
    public static func == (left: TargetURI, right: TargetURI) -> Bool {
        left.origin == right.origin && left.target == right.target && left.fragment == right.fragment
            && left.userinfo == right.userinfo
    }

    /// By origin and target.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(target)
    }
}

extension TargetURI: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URI with userinfo left out and secret query values withheld.
    public var description: String { Redaction.standard.url(string) }
    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension TargetURI: CustomReflectable {
    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["uri": description], displayStyle: .struct) }
}
