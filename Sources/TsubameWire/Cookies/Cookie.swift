// Cookie: a cookie with its attributes, as a jar stores it (RFC 6265bis §5.7).

/// A cookie, with the attributes that decide to which requests it is sent.
///
/// Its printed form leaves the value out.
public struct Cookie: Sendable, Hashable {
    /// The SameSite attribute: whether a browser sends the cookie with requests that come from other sites. The
    /// attribute is stored but has no effect here, because a client outside a browser makes no cross-site requests.
    public enum SameSite: String, Sendable {
        /// The server sent no SameSite attribute, or an unknown value.
        case unspecified = ""
        /// The cookie is never sent with requests that come from other sites.
        case strict = "Strict"
        /// The cookie is sent with requests from other sites only when the user follows a link.
        case lax = "Lax"
        /// The cookie is sent with all requests.
        case none = "None"
    }

    /// The cookie's name; it may be empty (RFC 6265bis section 5.6).
    public var name: String
    /// The cookie's value; no description of a cookie shows it.
    public var value: String
    /// The host or, unless ``isHostOnly``, the domain, in lower case and without a leading dot.
    public var domain: String
    /// Whether the cookie is sent only to the host ``domain``, and not to hosts below it.
    public var isHostOnly: Bool
    /// The cookie is sent to this path and to the paths below it.
    public var path: String
    /// When the cookie expires, in seconds since 1970; nil for a session cookie.
    public var expires: Int64?
    /// Whether the cookie is sent over secure connections only.
    public var isSecure: Bool
    /// Whether the server wants the cookie hidden from scripts.
    public var isHTTPOnly: Bool
    /// The SameSite attribute.
    public var sameSite: SameSite

    /// Creates a cookie from its parts.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Int64? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Everything except the value.
    public var description: String {
        var parts = ["\(name)=…", isHostOnly ? "host \(domain)" : "domain \(domain)", "path \(path)"]
        if let expires { parts.append("expires \(HTTPDate.format(expires))") }
        if isSecure { parts.append("secure") }
        if isHTTPOnly { parts.append("HTTP only") }
        if sameSite != .unspecified { parts.append("same site \(sameSite.rawValue)") }
        return parts.joined(separator: "; ")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows ``description`` only, so that a dump does not show the value.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
