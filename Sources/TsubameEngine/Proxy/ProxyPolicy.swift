// ProxyPolicy: which proxy a request goes through.

public import TsubameCore
import TsubamePlatform
import TsubameWire

/// Which proxy a request goes through; asked anew for every hop of a redirect.
///
/// ```swift
/// $0.proxy = .url("http://user:password@proxy.example:3128", except: ["localhost", "internal.example", "10.0.0.0/8"])
/// $0.proxy = .choose { uri in uri.host.hasSuffix(".onion") ? tor : nil }
/// ```
public struct ProxyPolicy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    fileprivate enum Choice: Sendable, Hashable {
        case none
        case rules(ProxyRules)
        case closure(ProxyChooser)
    }

    private let choice: Choice

    private init(_ choice: Choice) { self.choice = choice }

    /// Straight to the origin.
    public static let none = ProxyPolicy(.none)

    /// What the environment says when this is read: `http_proxy` for `http`, `https_proxy` for `https`, `all_proxy` for
    /// both, and `no_proxy`; the same in upper case where there is none in lower case, but `HTTP_PROXY` not under CGI,
    /// where it is a field of somebody's request. Loopback addresses and `localhost` never go through these.
    public static var environment: ProxyPolicy {
        environment { name in getenv(name).map { String(cString: $0) } }
    }

    /// An environment given by hand.
    package static func environment(_ values: [String: String]) -> ProxyPolicy { environment { values[$0] } }

    private static func environment(_ value: (String) -> String?) -> ProxyPolicy {
        func named(_ name: String) -> (name: String, text: String)? {
            if let lower = value(name), !lower.isEmpty { return (name, lower) }
            if name == "http_proxy", value("REQUEST_METHOD") != nil { return nil }
            return value(name.uppercased()).flatMap { $0.isEmpty ? nil : (name.uppercased(), $0) }
        }
        let all = named("all_proxy")
        let (http, https) = (named("http_proxy") ?? all, named("https_proxy") ?? all)
        if http == nil, https == nil { return .none }
        let exceptions = named("no_proxy")?.text.split { $0 == "," || $0 == " " }.map(String.init) ?? []
        return ProxyPolicy(
            .rules(
                ProxyRules(
                    http: http.map { ProxyText($0.text, of: "the environment's \($0.name)") },
                    https: https.map { ProxyText($0.text, of: "the environment's \($0.name)") },
                    exceptions: ProxyExceptions(exceptions), exceptsLoopback: true)))
    }

    /// This one for everything.
    /// - Parameters:
    ///   - url: as ``Proxy/init(_:)`` reads it; an invalid one is thrown by every call.
    ///   - bearer: the token of an HTTP proxy, see ``Proxy/init(_:bearer:)``.
    ///   - except: hosts that are reached without it: `host` with all names below it, `host:port`, an address, a network
    ///     such as `10.0.0.0/8`, or `*`. One that is none of these is thrown by every call.
    public static func url(_ url: String, bearer: String? = nil, except: [String] = []) -> ProxyPolicy {
        let text = ProxyText(url, bearer: bearer, of: "the client's proxy")
        return ProxyPolicy(
            .rules(
                ProxyRules(
                    http: text, https: text, exceptions: ProxyExceptions(except, isStrict: true), exceptsLoopback: false
                )))
    }

    /// What the closure says of each request's URI; nil is straight to the origin. It is called wherever the call runs,
    /// and must not block.
    public static func choose(_ choose: @escaping @Sendable (TargetURI) -> Proxy?) -> ProxyPolicy {
        ProxyPolicy(.closure(ProxyChooser(choose)))
    }

    var isNone: Bool { choice == .none }

    /// The same text for equal rules, credentials included: for a digest. nil for a closure.
    var secretText: String? {
        switch choice {
        case .none: ""
        case .rules(let rules): rules.secretText
        case .closure: nil
        }
    }

    func proxy(for uri: TargetURI) throws(CallError) -> Proxy? {
        switch choice {
        case .none: nil
        case .rules(let rules): try rules.proxy(for: uri)
        case .closure(let chooser): chooser.choose(uri)
        }
    }

    /// Where it leads, without credentials.
    public var description: String {
        switch choice {
        case .none: "none"
        case .rules(let rules): rules.description
        case .closure: "chosen by a closure"
        }
    }

    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}

/// One closure; two policies are the same if theirs is.
private final class ProxyChooser: Sendable, Hashable {
    let choose: @Sendable (TargetURI) -> Proxy?
    private let number = UniqueNumber()

    init(_ choose: @escaping @Sendable (TargetURI) -> Proxy?) { self.choose = choose }

    static func == (left: ProxyChooser, right: ProxyChooser) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A proxy's URL, read once; what is wrong with it is thrown when it would be used.
private struct ProxyText: Sendable, Hashable {
    let proxy: Proxy?
    let problem: String
    let advice: String?

    init(_ text: String, bearer: String? = nil, of source: String) {
        do throws(CallError) {
            proxy = try Proxy(text, bearerToken: bearer)
            (problem, advice) = ("", nil)
        } catch {
            proxy = nil
            (problem, advice) = ("\(source) cannot be used: \(error.reason)", error.advice)
        }
    }

    var secretText: String { proxy?.secretText ?? problem }
}

private struct ProxyRules: Sendable, Hashable, CustomStringConvertible {
    let http: ProxyText?
    let https: ProxyText?
    let exceptions: ProxyExceptions
    let exceptsLoopback: Bool

    func proxy(for uri: TargetURI) throws(CallError) -> Proxy? {
        guard let text = uri.isSecure ? https : http else { return nil }
        if let unreadable = exceptions.unreadable {
            throw CallError(
                .invalidRequest,
                "the proxy's exception \"\(Redaction.printable(unreadable))\" is no host, address or network",
                advice: "write host, host:port, an address, 10.0.0.0/8 or *")
        }
        if exceptsLoopback, isLoopback(uri.host) { return nil }
        if exceptions.matches(uri.origin) { return nil }
        guard let proxy = text.proxy else {
            throw CallError(.invalidRequest, text.problem, advice: text.advice)
        }
        return proxy
    }

    var secretText: String {
        [http?.secretText ?? "", https?.secretText ?? "", exceptions.text, "\(exceptsLoopback)"]
            .map(\.debugDescription).joined(separator: " ")
    }

    private func isLoopback(_ host: String) -> Bool {
        Origin.isLocalhost(host) || IPAddress(host)?.isLoopback == true
    }

    var description: String {
        [http, https].map { $0?.proxy?.description ?? ($0 == nil ? "none" : "invalid") }.joined(separator: ", ")
    }
}

/// Hosts that are reached without a proxy.
private struct ProxyExceptions: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let name: String
        let port: UInt16?
        let network: String?
        let prefix: Int
    }

    private let entries: [Entry]
    /// The first text that means nothing; one in the environment, which others write, is passed over.
    let unreadable: String?

    init(_ texts: [String], isStrict: Bool = false) {
        let read = texts.map { text in (text, Self.entry(text)) }
        entries = read.compactMap(\.1)
        unreadable = isStrict ? read.first { $0.1 == nil }?.0 : nil
    }

    private static func entry(_ text: String) -> Entry? {
        var text = text.lowercased()
        if let slash = text.firstIndex(of: "/") {
            let network = String(text[..<slash])
            guard let bits = IPAddress(network)?.bytes.count, let prefix = Int(text[text.index(after: slash)...]),
                (0...(bits * 8)).contains(prefix)
            else { return nil }
            return Entry(name: "", port: nil, network: network, prefix: prefix)
        }
        if let address = IPAddress(text.trimming("[]")) {
            return Entry(name: "", port: nil, network: text.trimming("[]"), prefix: address.bytes.count * 8)
        }
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), let number = UInt16(text[text.index(after: colon)...]) {
            port = number
            text = String(text[..<colon])
        }
        if let address = IPAddress(text.trimming("[]")) {
            return Entry(name: "", port: port, network: text.trimming("[]"), prefix: address.bytes.count * 8)
        }
        // A wildcard means a host and all below it, as the host alone does.
        if text.hasPrefix("*.") { text.removeFirst(1) }
        if text.hasPrefix(".") { text.removeFirst() }
        // Hosts come as URLs have them.
        guard let host = text == "*" ? text : Origin("http://\(text)")?.host else { return nil }
        return Entry(name: DomainName.withoutRootDot(host), port: port, network: nil, prefix: 0)
    }

    /// The same for equal exceptions.
    var text: String {
        entries.map { "\($0.name) \($0.port ?? 0) \($0.network ?? "") \($0.prefix)" }.joined(separator: ",")
            + (unreadable.map { ", \($0)" } ?? "")
    }

    func matches(_ origin: Origin) -> Bool {
        let address = IPAddress(origin.host)
        let host = DomainName.withoutRootDot(origin.host)
        return entries.contains { entry in
            if let port = entry.port, port != origin.port { return false }
            if let network = entry.network {
                guard let address, let other = IPAddress(network) else { return false }
                return address.isWithin(other, prefix: entry.prefix)
            }
            return entry.name == "*" || entry.name == host
                || (address == nil && host.hasSuffix("." + entry.name))
        }
    }
}

extension String {
    fileprivate func trimming(_ characters: String) -> String {
        var text = self[...]
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return String(text)
    }
}
