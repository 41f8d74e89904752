// TargetURI: an absolute http or https URI, parsed once (RFC 9110 section 4.2, RFC 3986).

/// An absolute `http` or `https` URI, parsed and checked when it is made.
///
/// Non-ASCII characters and spaces in path and query are percent-encoded. A backslash, a control character, an empty
/// host, port 0 and a second `@` in the userinfo are errors. The segments `.` and `..` of a path are removed, also if
/// they are written as `%2e` (RFC 3986 section 5.2.4). An empty userinfo (`http://@host/`) counts as none.
///
/// A host has one form for the Host field, DNS, TLS, cookies and the pool:
/// - Percent-escapes are decoded, as in browsers and curl.
/// - Names in other scripts become A-labels (UTS 46, non-transitional). A name that UTS 46 refuses is an error.
/// - An empty label, a label of more than 63 bytes and a name of more than 253 bytes are errors.
/// - A host that ends in a number is an IPv4 address, or an error. Every form of the WHATWG URL standard is read, such
///   as `127.1`, `0x7f.1` and `2130706433`.
/// - An IPv6 address has the form of RFC 5952. Only a link-local one may have a zone (`[fe80::1%25eth0]`, RFC 6874).
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

    /// - Parameter authority: the authority of the origin, if it is already known.
    package init(
        origin: Origin, authority: String? = nil, target: String, pathLength: Int, fragment: String?,
        userinfo: String? = nil
    ) {
        parts = Parts(
            origin: origin, authority: authority ?? origin.authority, target: target, pathLength: pathLength,
            fragment: fragment, userinfo: userinfo)
    }

    /// The scheme, host and port.
    public var origin: Origin { parts.origin }
    /// The host as it is looked up; see ``Origin/host``.
    public var host: String { parts.origin.host }
    /// The port, or the default one of the scheme.
    public var port: Int { Int(parts.origin.port) }
    /// Whether the scheme is `https`.
    public var isSecure: Bool { parts.origin.isSecure }
    /// `host` or `host:port`, as in the Host field, without a zone.
    public var authority: String { parts.authority }
    /// The path and query as they are sent (origin-form, RFC 9112 section 3.2.1).
    public var target: String { parts.target }
    /// The path, starting with `/`, still percent-encoded.
    public var path: String { String(decoding: parts.target.utf8.prefix(parts.pathLength), as: UTF8.self) }
    /// The query without its `?`, still percent-encoded; nil if there is none.
    public var query: String? {
        parts.target.utf8.count > parts.pathLength
            ? String(decoding: parts.target.utf8.dropFirst(parts.pathLength + 1), as: UTF8.self) : nil
    }
    /// The fragment, which follows `#`; nil if there is none. It is never sent.
    public var fragment: String? { parts.fragment }
    /// `user:password` as it was written before the `@`; never part of ``description``.
    package var userinfo: String? { parts.userinfo }

    /// The URI with every part except the userinfo.
    public var string: String {
        origin.description + target + (fragment.map { "#" + $0 } ?? "")
    }

    /// Parses an absolute URL.
    /// - Parameters:
    ///   - url: the URL, with a scheme and a host.
    ///   - keepingDotSegments: whether `.` and `..` stay in the path as they are written.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the URL is not valid; the error says why.
    public init(parsing url: String, keepingDotSegments: Bool = false) throws(CallError) {
        try self.init(parsing: url, keepingDotSegments: keepingDotSegments, redaction: .standard)
    }

    /// - Parameter redaction: the rules for what the error withholds.
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

    /// The URI with a path, which has been validated and may have a query, appended to this one's path.
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
    /// Whether all parts are equal, including the userinfo.
    public static func == (left: TargetURI, right: TargetURI) -> Bool {
        left.origin == right.origin && left.target == right.target && left.fragment == right.fragment
            && left.userinfo == right.userinfo
    }

    /// Hashes the origin and the target.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(target)
    }
}

extension TargetURI: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URI without userinfo, and with secret query values withheld.
    public var description: String { Redaction.standard.url(string) }
    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension TargetURI: CustomReflectable {
    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["uri": description], displayStyle: .struct) }
}
