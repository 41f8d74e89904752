// Unavailable: what a build without the trait Store says to code that uses this module.

#if !Store
public import Tsubame

extension CookieJar {
    /// Needs the package's trait Store.
    @available(
        *, unavailable,
        message: "TsubameStore needs the package's trait Store: .package(url: …, traits: [.defaults, \"Store\"])"
    )
    public convenience init(sqlite path: String, keepsSessionCookies: Bool = false) throws(CallError) {
        throw CallError(.unsupported, "the trait Store is off")
    }
}

extension ResponseCache {
    /// Needs the package's trait Store.
    @available(
        *, unavailable,
        message: "TsubameStore needs the package's trait Store: .package(url: …, traits: [.defaults, \"Store\"])"
    )
    public convenience init(sqlite path: String, bytes: Int64 = 256 << 20) throws(CallError) {
        throw CallError(.unsupported, "the trait Store is off")
    }
}
#endif
