// CookieRules: the form of a cookie, and the promises that its attributes make (RFC 6265bis §5.7).

enum CookieRules {
    /// Rejects a cookie that no Set-Cookie field could have set.
    static func checkForm(_ cookie: Cookie) throws(CookieRefusal) {
        let parts = [cookie.name, cookie.value, cookie.path]
        if parts.contains(where: { $0.utf8.contains(where: SetCookie.isForbiddenControl) }) { throw .controlCharacter }
        if parts.contains(where: { $0.utf8.contains(UInt8(ascii: ";")) }) { throw .separator }
        if cookie.name.utf8.contains(UInt8(ascii: "=")) { throw .separator }
        guard cookie.path.utf8.first == UInt8(ascii: "/") else { throw .invalidPath }
        guard cookie.name.utf8.count + cookie.value.utf8.count <= SetCookie.maximumNameAndValue else { throw .tooLong }
    }

    /// Checks that `SameSite=None` comes with Secure, and checks the prefixes of §4.1.3 in any case (steps 18 to 21).
    static func checkPromises(_ cookie: Cookie, hasPath: Bool) throws(CookieRefusal) {
        if cookie.name.isEmpty, cookie.value.isEmpty { throw .empty }
        if cookie.sameSite == .none, !cookie.isSecure { throw .sameSiteNoneWithoutSecure }
        // Without a name, the value stands where a server looks for the name.
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
