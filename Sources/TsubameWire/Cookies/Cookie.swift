// A cookie as it is stored (RFC 6265bis §5.7).

/// A cookie with what decides where it is sent.
///
/// Its printed form leaves the value out.
public struct Cookie: Sendable, Hashable {
    /// What a cookie says of requests that come from other sites. It is kept, but decides nothing here: a client
    /// outside a browser has no other sites.
    public enum SameSite: String, Sendable {
        /// The server did not say, or said something unknown.
        case unspecified = ""
        /// Never with requests that come from other sites.
        case strict = "Strict"
        /// With requests from other sites only where a user follows a link.
        case lax = "Lax"
        /// With all requests.
        case none = "None"
    }

    /// Its name; may be empty (RFC 6265bis section 5.6).
    public var name: String
    /// Its value; no text of a cookie shows it.
    public var value: String
    /// The host or, unless ``isHostOnly``, the domain, in lower case and without a dot in front.
    public var domain: String
    /// Whether the cookie goes to the host ``domain`` alone and not to hosts below it.
    public var isHostOnly: Bool
    /// Goes to this path and those below it.
    public var path: String
    /// When the cookie ends, in seconds since 1970; nil for a session cookie.
    public var expires: Int64?
    /// Whether the cookie goes over secure connections only.
    public var isSecure: Bool
    /// Whether the server wants the cookie hidden from scripts.
    public var isHTTPOnly: Bool
    /// What it says of requests that come from other sites.
    public var sameSite: SameSite

    /// A cookie made by hand.
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
    /// Everything but the value.
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

    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
