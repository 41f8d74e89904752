// CookieRules: which cookies may be kept, and for whom (RFC 6265bis §5.7).

enum CookieRules {
    /// The host alone, or the Domain that the field asks for if the host may speak for it.
    ///
    /// As in browsers, both must be of one registrable domain, which no public suffix has. So a suffix speaks for itself
    /// alone, like an address, and like a name of one label that the list does not have.
    static func scope(
        of domain: String?, host: String, _ suffixes: PublicSuffixList
    ) throws(CookieRefusal) -> (domain: String, isHostOnly: Bool) {
        guard let domain else { return (host, true) }
        if domain.utf8.elementsEqual(host.utf8) { return (host, suffixes.registrableDomain(of: host) == nil) }
        if suffixes.isPublicSuffix(domain) { throw .publicSuffix(domain) }
        guard CookieScope.host(host, matches: domain), let owner = suffixes.registrableDomain(of: host),
            suffixes.registrableDomain(of: domain) == owner
        else { throw .foreignDomain(domain) }
        return (domain, false)
    }

    /// The same of a cookie that says itself where it belongs.
    static func scope(
        of cookie: Cookie, _ suffixes: PublicSuffixList
    ) throws(CookieRefusal) -> (domain: String, isHostOnly: Bool) {
        guard let domain = DomainName.canonical(cookie.domain) else { throw .invalidDomain }
        if cookie.isHostOnly || CookieScope.isAddress(domain) { return (domain, true) }
        guard suffixes.registrableDomain(of: domain) != nil else { throw .publicSuffix(domain) }
        return (domain, false)
    }

    /// What a field of Set-Cookie could not have brought.
    static func checkForm(_ cookie: Cookie) throws(CookieRefusal) {
        let parts = [cookie.name, cookie.value, cookie.path]
        if parts.contains(where: { $0.utf8.contains(where: SetCookie.isForbiddenControl) }) { throw .controlCharacter }
        if parts.contains(where: { $0.utf8.contains(UInt8(ascii: ";")) }) { throw .separator }
        if cookie.name.utf8.contains(UInt8(ascii: "=")) { throw .separator }
        guard cookie.path.utf8.first == UInt8(ascii: "/") else { throw .invalidPath }
        guard cookie.name.utf8.count + cookie.value.utf8.count <= SetCookie.maximumNameAndValue else { throw .tooLong }
    }

    /// `SameSite=None`, which needs Secure, and the prefixes of §4.1.3, in any case (steps 18 to 21).
    static func checkPromises(_ cookie: Cookie, hasPath: Bool) throws(CookieRefusal) {
        if cookie.name.isEmpty, cookie.value.isEmpty { throw .empty }
        if cookie.sameSite == .none, !cookie.isSecure { throw .sameSiteNoneWithoutSecure }
        // Without a name the value stands where a server looks for the name.
        let start = (cookie.name.isEmpty ? cookie.value : cookie.name).lowercasedASCII.utf8
        let isHostPrefix = start.starts(with: "__host-".utf8)
        guard isHostPrefix || start.starts(with: "__secure-".utf8) else { return }
        if cookie.name.isEmpty { throw .prefixInValue }
        guard isHostPrefix else {
            if !cookie.isSecure { throw .securePrefix }
            return
        }
        guard cookie.isSecure, cookie.isHostOnly, hasPath, cookie.path == "/" else { throw .hostPrefix }
    }
}
