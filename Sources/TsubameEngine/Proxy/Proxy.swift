// Proxy: one proxy server, as a URL names it.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import TsubameCore
import TsubameWire

/// A proxy: `http://user:password@host:3128`, and so on.
///
/// Name and password go to HTTP proxies as Basic (RFC 7617) at once, and as Digest (RFC 7616) to those that ask for it:
/// once, and once more if only the nonce was too old. A token goes to them as Bearer (RFC 6750) at once.
public struct Proxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// How the proxy is spoken to.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Forwards `http` requests, and makes tunnels for `https`.
        case http
        /// The same, with TLS to the proxy itself.
        case https
        /// By SOCKS (RFC 1928 for version 5): a tunnel for whatever scheme.
        case socks4, socks4a, socks5, socks5h

        var isHTTP: Bool { self == .http || self == .https }
        var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            default: 1080
            }
        }
    }

    /// What it is shown.
    private enum Secret: Sendable, Hashable {
        case none
        case user(name: String, password: String)
        case bearer(String)
    }

    private final class Parts: Sendable {
        let scheme: Scheme
        let origin: Origin
        let secret: Secret

        init(scheme: Scheme, origin: Origin, secret: Secret) {
            self.scheme = scheme
            self.origin = origin
            self.secret = secret
        }
    }

    private let parts: Parts

    /// Reads the URL of a proxy. Without a scheme it is an HTTP proxy; without a port 80, 443 and, for SOCKS, 1080 are
    /// meant. Whatever the scheme, the proxy is given the name of the host and looks it up.
    /// - Throws: ``CallError/Kind/invalidRequest``.
    public init(_ url: String) throws(CallError) { try self.init(url, bearerToken: nil) }

    /// Reads the URL of an HTTP proxy that wants a token.
    /// - Parameters:
    ///   - url: as ``init(_:)`` reads it, without user and password: a request has one Proxy-Authorization.
    ///   - token: sent as `Proxy-Authorization: Bearer` (RFC 6750), without being asked; to the proxy only.
    /// - Throws: ``CallError/Kind/invalidRequest``, for a SOCKS proxy too.
    public init(_ url: String, bearer token: String) throws(CallError) { try self.init(url, bearerToken: token) }

    init(_ url: String, bearerToken token: String?) throws(CallError) {
        let split = url.firstRange(of: "://")
        let name = split.map { url[..<$0.lowerBound].lowercased() } ?? "http"
        guard let scheme = Scheme(rawValue: name) else {
            // What stands there may be part of a password.
            throw CallError(
                .invalidRequest, "the proxy's URL has no scheme that is known",
                advice: "http, https, socks4, socks4a, socks5 and socks5h are")
        }
        let rest = String(split.map { url[$0.upperBound...] } ?? url[...])
        let hasUser: Bool
        do throws(CallError) {
            let uri = try TargetURI(parsing: "http://" + rest)
            // Only a port that was named is the same for both.
            let isNamed = try TargetURI(parsing: "https://" + rest).port == uri.port
            let pair = uri.userinfo?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let user = pair?.first.map { name in
                Secret.user(
                    name: PercentEncoding.decodeLeniently(String(name)),
                    password: pair.map { $0.count > 1 ? PercentEncoding.decodeLeniently(String($0[1])) : "" } ?? "")
            }
            hasUser = user != nil
            parts = Parts(
                scheme: scheme,
                origin: Origin(
                    isSecure: scheme == .https, host: uri.host,
                    port: isNamed ? uri.origin.port : scheme.defaultPort),
                secret: token.map { .bearer($0) } ?? user ?? .none)
        } catch {
            // The reason might quote a password.
            throw CallError(
                .invalidRequest, "the proxy's URL is invalid",
                advice: "write it as http://user:password@host:port, with / ? # @ and : of a password percent-encoded")
        }
        switch parts.secret {
        case .none: break
        case .user(let name, let password):
            if name.holdsControlCharacter || password.holdsControlCharacter {
                throw CallError(.invalidRequest, "the proxy's user or password holds a control character")
            }
        case .bearer(let token):
            if token.holdsControlCharacter {
                throw CallError(.invalidRequest, "the proxy's token holds a control character")
            }
            if hasUser { throw CallError(.invalidRequest, "the proxy has a user in its URL, and a token") }
            if !scheme.isHTTP {
                throw CallError(.invalidRequest, "a SOCKS proxy takes user and password, and no token")
            }
        }
    }

    /// How it is spoken to.
    public var scheme: Scheme { parts.scheme }
    /// As it is looked up, see ``Origin/host``.
    public var host: String { parts.origin.host }
    /// Named or by default: 80, 443, and 1080 for SOCKS.
    public var port: Int { Int(parts.origin.port) }
    var origin: Origin { parts.origin }
    private var user: (name: String, password: String)? {
        if case .user(let name, let password) = parts.secret { (name, password) } else { nil }
    }

    /// Whether it speaks HTTP and is told who asks.
    var isAuthorized: Bool { scheme.isHTTP && parts.secret != .none }

    /// The value of Proxy-Authorization that needs no challenge (RFC 7617, RFC 6750), if there are credentials.
    var authorization: String? {
        switch parts.secret {
        case .none: nil
        case .user(let name, let password): "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
        case .bearer(let token): "Bearer " + token
        }
    }

    /// Who asks, where the proxy speaks HTTP and may want Digest.
    var digestUser: DigestSession.User? {
        scheme.isHTTP ? user.map { DigestSession.User(name: $0.name, password: $0.password) } : nil
    }

    /// Whether requests to the origin go to the proxy as they are, in absolute form (RFC 9112 section 3.2.2).
    func forwards(_ origin: Origin) -> Bool { scheme.isHTTP && !origin.isSecure }

    /// `host:port` of a tunnel's end. A zone is this machine's own affair.
    static func authority(of target: HostPort) -> String {
        let name = target.host.prefix { $0 != "%" }
        return "\(name.utf8.contains(0x3A) ? "[\(name)]" : name):\(target.port)"
    }

    /// What is to be said before the connection leads to the origin, which is at `target`; nil if the proxy forwards.
    /// - Parameter credentials: of an HTTP proxy.
    func handshake(
        to origin: Origin, at target: HostPort, limits: Limits, _ credentials: ProxyCredentials? = nil
    ) throws(WireError) -> (any ProxyHandshake)? {
        if forwards(origin) { return nil }
        let address = IPAddress(target.host)?.bytes
        switch scheme {
        case .http, .https:
            return ConnectHandshake(
                authority: Self.authority(of: target), authorization: credentials?.authorization,
                credentials: credentials, limits: limits)
        case .socks4, .socks4a:
            return try SOCKS4Handshake(
                host: target.host, address: address, port: target.port, user: user?.name ?? "")
        case .socks5, .socks5h:
            return try SOCKS5Handshake(
                host: target.host, address: address, port: target.port,
                credentials: user.map { ($0.name, $0.password) })
        }
    }

    /// The same text for equal proxies, credentials included: for a digest.
    var secretText: String {
        switch parts.secret {
        case .none: description
        case .user(let name, let password): "\(description) \(name.debugDescription) \(password.debugDescription)"
        case .bearer(let token): "\(description) bearer \(token.debugDescription)"
        }
    }

    /// Its URL without credentials.
    public var description: String {
        let host = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(host):\(port)"
    }

    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }

    /// Whether scheme, origin and credentials are the same.
    public static func == (left: Proxy, right: Proxy) -> Bool {
        left.parts === right.parts
            || (left.scheme == right.scheme && left.origin == right.origin && left.parts.secret == right.parts.secret)
    }

    /// By scheme, origin and credentials.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(origin)
        hasher.combine(parts.secret)
    }
}
