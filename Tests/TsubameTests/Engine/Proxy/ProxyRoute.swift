// ProxyRoute: a way through a proxy: the proxy's kind, and whether the origin uses TLS.

import Testing
import Tsubame
import TsubameTesting

struct ProxyRoute: Sendable, CustomTestStringConvertible {
    let kind: ProxyKind
    let isSecure: Bool

    static let all = ProxyKind.allCases.flatMap { kind in
        [false, true].map { ProxyRoute(kind: kind, isSecure: $0) }
    }
    /// All routes except the one on which the proxy forwards requests and not bytes.
    static let tunnels = all.filter(\.isTunnel)

    var testDescription: String { "\(isSecure ? "https" : "http") by \(kind.rawValue)" }

    var isTunnel: Bool { isSecure || kind.isSOCKS }
    /// A name that only the proxy knows, or a port: only the proxy leads there.
    var authority: String { isSecure ? "localhost:4433" : "a.example" }
    var base: String { "\(isSecure ? "https" : "http")://\(authority)" }
    /// `host:port`, always with the port.
    var target: String { isSecure ? authority : authority + ":80" }
    /// The target in the proxy's request; for SOCKS 4 the address that the client has resolved.
    var asked: String { kind == .socks4 ? "127.0.0.1:\(isSecure ? 4433 : 80)" : target }

    /// Runs `body` with an origin, a proxy that leads to it, and a client that uses the proxy.
    /// - Parameter userinfo: the credentials in the form of the proxy's URL, if they need an encoding.
    func run<R>(
        credentials: String? = nil, userinfo: String? = nil, drips: Bool = false,
        script: @escaping ScriptedProxy.Script = { _, _ in nil },
        reply: @escaping @Sendable (ReceivedRequest) -> Reply = { .ok($0.target) },
        configure: (inout Configuration) -> Void = { _ in },
        _ body: (ScriptedServer, ScriptedProxy, Client) async throws -> R
    ) async throws -> R {
        let origin = try await ScriptedServer.start(tls: isSecure ? .localhost : nil, reply)
        return try await proxying(
            origin, as: [asked], base: base, by: kind, credentials: credentials, userinfo: userinfo, drips: drips,
            script: script,
            configure: {
                if kind == .socks4 { $0.connection.resolve[target] = "127.0.0.1" }
                configure(&$0)
            }, body)
    }
}

extension ScriptedProxy {
    /// The proxy's address in texts.
    var address: String { "127.0.0.1:\(port)" }
}
