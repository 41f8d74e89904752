// CookiePolicy: whether a client keeps cookies.

/// Whether a client keeps cookies.
public struct CookiePolicy: Sendable {
    /// Where they are kept; nil if they are not.
    public let jar: CookieJar?

    public static let off = CookiePolicy(jar: nil)
    /// A new jar in memory, gone with the client and its views; ``Client/cookieJar`` is the way to it.
    public static var memory: CookiePolicy { CookiePolicy(jar: CookieJar()) }
    /// A jar that was made before, to be filled, or shared by clients, or kept in a file.
    public static func jar(_ jar: CookieJar) -> CookiePolicy { CookiePolicy(jar: jar) }
}

extension CookiePolicy: CustomStringConvertible {
    public var description: String { jar.map(\.description) ?? "off" }
}

extension Client {
    /// The jar of the client and of its views; nil if it keeps no cookies.
    public var cookieJar: CookieJar? { configuration.cookies.jar }
}
