// ConnectionOptions: the options about the route of a connection: proxy, address, interface, protocol.

import Tsubame

struct ConnectionOptions: Options {
    enum ProxyAuthType: String, CaseIterable {
        case basic, digest
    }

    /// nil if the user has not chosen one.
    var httpVersion: ConnectionSettings.HTTPVersionChoice?
    var proxy: [ProxyChoice] = []
    var noProxy: [String] = []
    var proxyAuthType: ProxyAuthType?
    var resolve: [AddressOverride] = []
    var unixSocket: String?
    var interface: String?
    var maxConnections: Int?
    var ipv4 = false
    var ipv6 = false

    static let title = "Connection"
    static let options: [CommandOption<Self>] = [
        .value(
            "http-version", "version", completion: .words(["1.0", "1.1", "2", "2-prior-knowledge"]),
            "1.0 or 1.1: only that; 2 (default; bench uses 1.1): HTTP/2 if the server offers it with TLS; 2-prior-knowledge: only HTTP/2, "
                + "also without TLS.", reading: version
        ) { $0.httpVersion = $1 },
        .value(
            "proxy", "url",
            "Use this proxy (http, https, socks4, socks4a, socks5 or socks5h), for one scheme with http:url or https:url; "
                + "none for no proxy. Default: http_proxy, https_proxy, all_proxy and no_proxy, except for this machine's own "
                + "addresses.",
            reading: ProxyChoice.init
        ) { $0.proxy.append($1) },
        .value(
            "noproxy", "hosts",
            "Use no proxy for these hosts, networks such as 10.0.0.0/8, or *; commas between. Adds to no_proxy. Also "
                + "--no-proxy=hosts."
        ) { $0.noProxy += $1.split { $0 == "," || $0 == " " }.map(String.init) },
        .choice(
            "proxy-auth-type", of: ProxyAuthType.self,
            "digest: never send the password of an HTTP proxy itself. basic (default): send it at once, or answer Digest."
        ) { $0.proxyAuthType = $1 },
        .value(
            "resolve", "host:port:address", "Use this address instead of DNS; * is any host.",
            reading: AddressOverride.init(parsing:)
        ) { $0.resolve.append($1) },
        .value(
            "unix-socket", "path", completion: .file, "Connect to this Unix-domain socket instead of the URL's host."
        ) { $0.unixSocket = $1 },
        .value("interface", "address|name", "Connect from this address or network interface.") {
            $0.interface = $1
        },
        .number(
            "max-connections", "n",
            "Maximum connections to one server at once, for all URLs of the command: 1 to 256 (default)."
        ) { $0.maxConnections = $1 },
        .flag("ipv4", letter: "4", "Use only IPv4 addresses.") { $0.ipv4 = true },
        .flag("ipv6", letter: "6", "Use only IPv6 addresses.") { $0.ipv6 = true },
    ]

    private static func version(
        _ text: String
    ) throws(UsageProblem) -> ConnectionSettings.HTTPVersionChoice {
        switch text {
        case "1.0": return .http10
        case "1.1", "1": return .http11
        case "2", "2.0": return .negotiated
        case "2-prior-knowledge": return .http2
        case "0.9", "3", "3.0": throw UsageProblem("HTTP/\(text) is not supported: use 1.1 or 2.")
        default: throw UsageProblem("“\(text)” is not an HTTP version: use 1.0, 1.1, 2 or 2-prior-knowledge.")
        }
    }

    /// Finds a host of `--noproxy` that is none.
    private func checkExceptions() throws(UsageProblem) {
        guard !noProxy.isEmpty else { return }
        do throws(CallError) {
            let uri = try TargetURI(parsing: "http://localhost/")
            _ = try ProxyPolicy.url("http://localhost").except(noProxy).proxy(for: uri)
        } catch {
            throw UsageProblem("--noproxy: \(error.reason)\(error.advice.map { ": \($0)" } ?? "").")
        }
    }

    func validate() throws(UsageProblem) {
        try checkExceptions()
        if proxyAuthType == .digest, proxy.contains(where: \.isSOCKS) {
            throw UsageProblem("--proxy-auth-type digest is for HTTP proxies; a SOCKS proxy gets the password itself.")
        }
        if ipv4, ipv6 { throw UsageProblem("-4 and -6 exclude each other.") }
        if unixSocket != nil, !proxy.isEmpty {
            throw UsageProblem("--unix-socket and --proxy exclude each other.")
        }
        if let maxConnections, !(1...256).contains(maxConnections) {
            throw UsageProblem("--max-connections is a number from 1 to 256.")
        }
    }

    func apply(to settings: inout ConnectionSettings) {
        if let policy = ProxyChoice.policy(of: proxy) { settings.proxy = policy }
        if !noProxy.isEmpty { settings.proxy = settings.proxy.except(noProxy) }
        if proxyAuthType == .digest { settings.proxy = settings.proxy.digestOnly }
        for override in resolve { settings.resolve[override.host] = override.address }
        settings.httpVersion = httpVersion ?? .negotiated
        settings.unixSocket = unixSocket.map { .file($0) }
        settings.interface = interface
        if let maxConnections { settings.connectionsPerOrigin = maxConnections }
        settings.addressFamily = ipv4 ? .ipv4 : ipv6 ? .ipv6 : .any
    }
}
