// Passage: the ways through a proxy: its kind, and whether the origin is one of TLS.

import Testing
import Tsubame
import TsubameTesting

struct Passage: Sendable, CustomTestStringConvertible {
    let kind: ProxyKind
    let isSecure: Bool

    static let all = ProxyKind.allCases.flatMap { kind in
        [false, true].map { Passage(kind: kind, isSecure: $0) }
    }
    /// All but the one where the proxy passes on requests instead of bytes.
    static let tunnels = all.filter(\.isTunnel)

    var testDescription: String { "\(isSecure ? "https" : "http") by \(kind.rawValue)" }

    var isTunnel: Bool { isSecure || kind.isSOCKS }
    /// A name that nobody else knows, or a port: only the proxy leads there.
    var authority: String { isSecure ? "localhost:4433" : "a.example" }
    var base: String { "\(isSecure ? "https" : "http")://\(authority)" }
    /// `host:port`, as they are written where no port is left out.
    var target: String { isSecure ? authority : authority + ":80" }
    /// What the proxy is asked for: of SOCKS 4 the address that the client has found.
    var asked: String { kind == .socks4 ? "127.0.0.1:\(isSecure ? 4433 : 80)" : target }

    /// Runs `body` with an origin, a proxy that leads there, and a client that knows the proxy.
    /// - Parameter userinfo: the credentials as they stand in the proxy's URL, if they are not written as they are.
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
                if kind == .socks4 { $0.resolve[target] = "127.0.0.1" }
                configure(&$0)
            }, body)
    }
}

extension ScriptedProxy {
    /// What texts call it.
    var address: String { "127.0.0.1:\(port)" }
}
