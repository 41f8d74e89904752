// Cookies: the jar, and the two hooks that fill it and send from it (RFC 6265bis).

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import Synchronization
import TsubameCore
public import TsubameWire

/// Whether a client keeps cookies.
public struct CookiePolicy: Sendable {
    let jar: CookieJar?

    /// No cookie is kept, and none is sent but those that a request names itself.
    public static let off = CookiePolicy(jar: nil)
    /// A new jar in memory, gone with the client and its views.
    public static var memory: CookiePolicy { CookiePolicy(jar: CookieJar()) }
    /// A jar that can be looked into, or shared by clients.
    public static func jar(_ jar: CookieJar) -> CookiePolicy { CookiePolicy(jar: jar) }
}

/// A cookie jar in memory; safe to use from anywhere.
public final class CookieJar: Sendable {
    private let store = Mutex(CookieStore())

    /// An empty jar.
    public init() {}

    /// All cookies, with their values.
    public var cookies: [Cookie] { store.withLock { $0.cookies } }

    /// Forgets every cookie.
    public func clear() { store.withLock { $0.removeAll() } }

    fileprivate func take(_ fields: [String], from uri: TargetURI, now: Int64) {
        store.withLock { store in
            for field in fields {
                _ = store.store(field, host: uri.host, path: uri.path, isSecure: uri.isSecure, now: now)
            }
        }
    }

    fileprivate func field(for uri: TargetURI, now: Int64) -> String? {
        store.withLock { $0.field(for: uri.host, path: uri.path, isSecure: uri.isSecure, now: now) }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are.
    public var description: String { "cookie jar with \(cookies.count) cookies" }

    /// The cookies, without their values.
    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies], displayStyle: .class) }
}

extension CookiePolicy: CustomStringConvertible {
    /// `off`, or what the jar says of itself.
    public var description: String { jar.map(\.description) ?? "off" }
}

/// Sends the cookies that belong to the URI, behind those that the caller set by hand.
struct CookiesOut: Hook {
    let jar: CookieJar
    let now = CookieTime()

    func willSend(_ request: inout Request) throws(CallError) {
        guard let uri = request.uri, let field = jar.field(for: uri, now: now.seconds) else { return }
        request.headers.appendSafely(HTTPField(name: .cookie, value: field))
    }
}

/// Keeps the cookies of every response that came over the network.
struct CookiesIn: Hook {
    /// RFC 6265bis has no number; more than this is no session but an attack.
    static let maximumPerResponse = 50

    let jar: CookieJar
    let now = CookieTime()

    func didReceive(_ response: inout Response) throws(CallError) {
        guard response.headers.contains(.setCookie), let uri = response.request.uri else { return }
        let fields = response.headers[values: .setCookie].prefix(Self.maximumPerResponse)
        jar.take(Array(fields), from: uri, now: now.seconds)
    }
}

/// Seconds since 1970.
struct CookieTime: Sendable {
    var seconds: Int64 { Int64(Date().timeIntervalSince1970) }
}
