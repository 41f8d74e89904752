// Proxy: one proxy server, as a URL names it.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A proxy: `http://user:password@host:3128`, and so on.
///
/// An HTTP proxy gets user and password as Basic (RFC 7617) with the first request. If it asks for Digest (RFC 7616), it
/// gets that: once, and once more if only the nonce was too old. A token is sent as Bearer (RFC 6750) with the first
/// request.
public struct Proxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The protocol of a proxy.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// An HTTP proxy, which forwards `http` requests and makes tunnels for `https`.
        case http
        /// An HTTP proxy behind TLS.
        case https
        /// A SOCKS proxy (RFC 1928 for version 5), which makes a tunnel for every scheme.
        case socks4, socks4a, socks5, socks5h

        package var isHTTP: Bool { self == .http || self == .https }
        var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            default: 1080
            }
        }
    }

    /// The credentials for the proxy.
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
    /// Whether user and password only answer a Digest challenge, and are never sent as they are.
    private var isDigestOnly = false

    /// Reads the URL of a proxy. A URL without a scheme is an HTTP proxy's. The default ports are 80 for `http`, 443 for
    /// `https` and 1080 for SOCKS. With every scheme, the proxy gets the name of the host and looks it up.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the URL is invalid.
    public init(_ url: String) throws(CallError) { try self.init(url, bearerToken: nil) }

    /// Reads the URL of an HTTP proxy that expects a token.
    /// - Parameters:
    ///   - url: a URL as for ``init(_:)``, without user and password, since a request has one Proxy-Authorization.
    ///   - token: the token, sent as `Proxy-Authorization: Bearer` (RFC 6750) with each request, only to the proxy.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the URL is invalid or a SOCKS proxy's.
    public init(_ url: String, bearer token: String) throws(CallError) { try self.init(url, bearerToken: token) }

    init(_ url: String, bearerToken token: String?) throws(CallError) {
        let split = url.firstRange(of: "://")
        let name = split.map { url[..<$0.lowerBound].lowercased() } ?? "http"
        guard let scheme = Scheme(rawValue: name) else {
            // The text before `://` may be part of a password, so the error does not quote it.
            throw CallError(
                .invalidRequest, "the proxy's URL has no scheme that is known",
                advice: "http, https, socks4, socks4a, socks5 and socks5h are")
        }
        let rest = String(split.map { url[$0.upperBound...] } ?? url[...])
        let hasUser: Bool
        do throws(CallError) {
            let uri = try TargetURI(parsing: "http://" + rest)
            // A port in the URL is the same for both schemes. The default ports differ.
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

    /// The protocol of the proxy.
    public var scheme: Scheme { parts.scheme }
    /// The host of the proxy, in the form of ``Origin/host``.
    public var host: String { parts.origin.host }
    /// The port from the URL, or the default port.
    public var port: Int { Int(parts.origin.port) }
    package var origin: Origin { parts.origin }
    package var user: (name: String, password: String)? {
        if case .user(let name, let password) = parts.secret { (name, password) } else { nil }
    }

    /// Whether it is an HTTP proxy with credentials.
    package var isAuthorized: Bool { scheme.isHTTP && parts.secret != .none }

    /// The value of Proxy-Authorization that needs no challenge (RFC 7617, RFC 6750); nil without credentials.
    package var authorization: String? {
        switch parts.secret {
        case .none: nil
        case .user where isDigestOnly: nil
        case .user(let name, let password): "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
        case .bearer(let token): "Bearer " + token
        }
    }

    /// The same proxy, which gets user and password only as the answer to a Digest challenge.
    var digestOnly: Proxy {
        var proxy = self
        proxy.isDigestOnly = true
        return proxy
    }

    /// Whether the proxy forwards requests to this origin, which are then in absolute form (RFC 9112 section 3.2.2).
    package func forwards(_ origin: Origin) -> Bool { scheme.isHTTP && !origin.isSecure }

    /// A text with the credentials, for a digest. Only equal proxies have the same text.
    package var secretText: String {
        switch parts.secret {
        case .none: description
        case .user(let name, let password):
            "\(description) \(name.debugDescription) \(password.debugDescription)\(isDigestOnly ? " digest" : "")"
        case .bearer(let token): "\(description) bearer \(token.debugDescription)"
        }
    }

    /// The URL without credentials.
    public var description: String {
        let host = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(host):\(port)"
    }

    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }

    /// Whether scheme, origin and credentials are the same, and how the credentials are sent.
    public static func == (left: Proxy, right: Proxy) -> Bool {
        guard left.isDigestOnly == right.isDigestOnly else { return false }
        return left.parts === right.parts
            || (left.scheme == right.scheme && left.origin == right.origin && left.parts.secret == right.parts.secret)
    }

    /// Hashes scheme, origin and credentials.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(origin)
        hasher.combine(parts.secret)
    }
}
