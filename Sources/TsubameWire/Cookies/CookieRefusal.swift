// CookieRefusal: why a cookie is not kept (RFC 6265bis §5.6, §5.7).

package enum CookieRefusal: Error, Hashable, CustomStringConvertible {
    case controlCharacter
    case tooLong
    /// Neither a name nor a value.
    case empty
    /// A character that a program's own cookie cannot have: it would be read as another one.
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

    /// In words, without any value.
    package var description: String {
        switch self {
        case .controlCharacter: "it has a control character"
        case .tooLong: "its name and value are longer than \(SetCookie.maximumNameAndValue) bytes"
        case .empty: "it has neither name nor value"
        case .separator: "its name has a “=” or it has a “;”"
        case .invalidDomain: "its domain is no host"
        case .invalidPath: "its path does not begin with “/”"
        case .publicSuffix(let domain): "its Domain is a public suffix (\(domain))"
        case .foreignDomain(let domain): "its Domain (\(domain)) is neither the host nor above it"
        case .secureOverHTTP: "it is Secure and came over an insecure connection"
        case .hidesSecure: "it would replace or hide a Secure one and came over an insecure connection"
        case .sameSiteNoneWithoutSecure: "it has SameSite=None without Secure"
        case .securePrefix: "its name begins with __Secure-, and it is not Secure"
        case .hostPrefix: "its name begins with __Host-, and it is not Secure, with Path=/ and without Domain"
        case .prefixInValue: "it has no name, and its value begins with a prefix of names"
        }
    }
}
