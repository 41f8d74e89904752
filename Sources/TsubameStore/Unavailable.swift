// Unavailable: the messages for code that uses this module without the trait Store.

#if !Store
public import Tsubame

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CookieJar {
    /// Needs the package's trait Store.
    @available(
        *, unavailable,
        message: "TsubameStore needs the package's trait Store: .package(url: …, traits: [.defaults, \"Store\"])"
    )
    public convenience init(
        sqlite path: String, keepsSessionCookies: Bool = false, publicSuffixes: PublicSuffixList = .builtIn
    ) throws(CallError) {
        throw CallError(.unsupported, "the trait Store is off")
    }

    /// Needs the package's trait Store.
    @available(
        *, unavailable,
        message: "TsubameStore needs the package's trait Store: .package(url: …, traits: [.defaults, \"Store\"])"
    )
    public convenience init(
        sqlite url: URL, keepsSessionCookies: Bool = false, publicSuffixes: PublicSuffixList = .builtIn
    ) throws(CallError) {
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

    /// Needs the package's trait Store.
    @available(
        *, unavailable,
        message: "TsubameStore needs the package's trait Store: .package(url: …, traits: [.defaults, \"Store\"])"
    )
    public convenience init(sqlite url: URL, bytes: Int64 = 256 << 20) throws(CallError) {
        throw CallError(.unsupported, "the trait Store is off")
    }
}
#endif
