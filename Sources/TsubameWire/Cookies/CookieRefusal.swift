// CookieRefusal: the reason why a cookie is not stored (RFC 6265bis §5.6, §5.7).

package enum CookieRefusal: Error, Hashable, CustomStringConvertible {
    case controlCharacter
    case tooLong
    /// The cookie has neither a name nor a value.
    case empty
    /// A cookie that the program made holds a separator, so a server would read another cookie.
    case separator
    case invalidDomain
    case invalidPath
    case publicSuffix(String)
    case foreignDomain(String)
    case secureOverHTTP
    case hidesSecure
    case sameSiteNoneWithoutSecure
    case securePrefix
    case hostPrefix
    case prefixInValue

    /// The reason, without any value.
    package var description: String {
        switch self {
        case .controlCharacter: "it holds a control character"
        case .tooLong: "its name and value are longer than \(SetCookie.maximumNameAndValue) bytes"
        case .empty: "it has neither name nor value"
        case .separator: "its name holds “=”, or its name, value or path holds “;”"
        case .invalidDomain: "its domain is not a valid host"
        case .invalidPath: "its path does not begin with “/”"
        case .publicSuffix(let domain): "its Domain is a public suffix (\(domain))"
        case .foreignDomain(let domain): "its Domain (\(domain)) is neither the host nor a domain above it"
        case .secureOverHTTP: "it is Secure and came over an insecure connection"
        case .hidesSecure: "it would replace or hide a Secure cookie, and it came over an insecure connection"
        case .sameSiteNoneWithoutSecure: "it has SameSite=None without Secure"
        case .securePrefix: "its name begins with __Secure-, but it is not Secure"
        case .hostPrefix: "its name begins with __Host-, but it is not Secure, lacks Path=/ or has a Domain"
        case .prefixInValue: "it has no name, and its value begins with the prefix __Host- or __Secure-"
        }
    }
}
