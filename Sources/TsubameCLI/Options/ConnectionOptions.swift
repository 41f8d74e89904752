// ConnectionOptions: the options about where a connection goes, and from where.
#if Tool
import ArgumentParser
import Tsubame

struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("1.1: the version that is spoken; no other is there yet.", valueName: "version"),
        transform: version)
    var httpVersion: String?

    @Option(
        help: ArgumentHelp(
            "Go through this proxy: http, https, socks4, socks4a, socks5 or socks5h; http:url and https:url mean that "
                + "scheme only; none is none. Otherwise http_proxy, https_proxy, all_proxy and no_proxy are obeyed.",
            valueName: "url"),
        transform: ProxyChoice.init)
    var proxy: [ProxyChoice] = []

    @Option(
        help: ArgumentHelp(
            "Use this address instead of asking the resolver; * is any host.", valueName: "host:port:address"),
        transform: AddressOverride.init(parsing:))
    var resolve: [AddressOverride] = []

    @Option(help: ArgumentHelp("Connect to this Unix-domain socket, whatever the URL's host.", valueName: "path"))
    var unixSocket: String?

    @Option(
        help: ArgumentHelp("Connect from this address, or this network interface.", valueName: "address|name"))
    var interface: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Use addresses of IPv4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Use addresses of IPv6 only.")
    var ipv6 = false

    private static func version(_ text: String) throws -> String {
        switch text {
        case "1.1", "1": return text
        case "1.0", "2", "3", "2.0", "3.0":
            throw ValidationError("HTTP/\(text) is not there yet: requests are sent as HTTP/1.1.")
        default: throw ValidationError("1.1 is meant.")
        }
    }

    func validate() throws {
        if ipv4, ipv6 { throw ValidationError("-4 and -6 exclude each other.") }
        if unixSocket != nil, !proxy.isEmpty {
            throw ValidationError("--unix-socket and --proxy exclude each other.")
        }
        if unixSocket == "" { throw ValidationError("--unix-socket names no file.") }
    }

    func apply(to settings: inout ConnectionSettings) {
        if let policy = ProxyChoice.policy(of: proxy) { settings.proxy = policy }
        for override in resolve { settings.resolve[override.host] = override.address }
        settings.unixSocket = unixSocket
        settings.interface = interface
        settings.addressFamily = ipv4 ? .ipv4 : ipv6 ? .ipv6 : .any
    }
}

#endif
