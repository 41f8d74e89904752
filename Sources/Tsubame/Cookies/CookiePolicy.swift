// CookiePolicy: whether a client keeps cookies, and in which jar.

/// Whether a client keeps cookies, and in which jar.
public struct CookiePolicy: Sendable {
    /// The jar that keeps the cookies; nil if the client keeps none.
    public let jar: CookieJar?

    /// Keeps no cookie. Only the cookies that a request sets itself are sent.
    public static let off = CookiePolicy(jar: nil)
    /// A new jar in memory. The client and its views share it, and it ends with them. ``Client/cookieJar`` returns it.
    public static var memory: CookiePolicy { CookiePolicy(jar: CookieJar()) }
    /// A jar of your own, which you can fill, share between clients, or keep in a file.
    public static func jar(_ jar: CookieJar) -> CookiePolicy { CookiePolicy(jar: jar) }
}

extension CookiePolicy: CustomStringConvertible {
    public var description: String { jar.map(\.description) ?? "off" }
}

extension Client {
    /// The jar of the client and of its views; nil if the client keeps no cookies.
    public var cookieJar: CookieJar? { configuration.cookies.jar }
}
