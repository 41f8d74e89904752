// CookieDomain: checks the Domain of a cookie against its host and the public suffixes (RFC 6265bis §5.7).

import TsubameCore

enum CookieDomain {
    /// The scope of a cookie from a response: the host alone, or the Domain attribute if the host may set it.
    ///
    /// As in browsers, the host and the Domain must share a registrable domain. A public suffix has none, so it can
    /// set cookies for itself only. The same holds for an address, and for a single-label name that is not in the list.
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

    /// The scope of a cookie that carries its own domain, such as one that the program made.
    static func scope(
        of cookie: Cookie, _ suffixes: PublicSuffixList
    ) throws(CookieRefusal) -> (domain: String, isHostOnly: Bool) {
        guard let domain = DomainName.canonical(cookie.domain) else { throw .invalidDomain }
        if cookie.isHostOnly || CookieScope.isAddress(domain) { return (domain, true) }
        guard suffixes.registrableDomain(of: domain) != nil else { throw .publicSuffix(domain) }
        return (domain, false)
    }
}
