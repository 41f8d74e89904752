// ProxyPolicy: chooses the proxy of a request.

import TsubamePlatform

/// Chooses the proxy of a request, and chooses again after each redirect.
///
/// ```swift
/// $0.connection.proxy = .url("http://user:password@proxy.example:3128", except: ["localhost", "internal.example", "10.0.0.0/8"])
/// $0.connection.proxy = .choose { uri in uri.host.hasSuffix(".onion") ? tor : nil }
/// ```
public struct ProxyPolicy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    fileprivate enum Choice: Sendable, Hashable {
        case none
        case rules(ProxyRules)
        case closure(ProxyChooser)
    }

    private let choice: Choice
    /// The exceptions of ``except(_:)``; nil without any.
    private var exceptions: ProxyExceptions?
    private var isDigestOnly = false

    private init(_ choice: Choice) { self.choice = choice }

    /// No proxy.
    public static let none = ProxyPolicy(.none)

    /// The proxies that the environment names when this property is read.
    ///
    /// The variables are `http_proxy` for `http`, `https_proxy` for `https`, `all_proxy` for both, and `no_proxy` for the
    /// exceptions. A name in upper case counts if there is none in lower case. Under CGI, `HTTP_PROXY` is ignored, because
    /// there it may come from a field of a request. Loopback addresses and `localhost` never go through these proxies.
    public static var environment: ProxyPolicy {
        environment { name in getenv(name).map { String(cString: $0) } }
    }

    /// The proxies that these variables name.
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

    /// One proxy for all requests.
    /// - Parameters:
    ///   - url: a URL as for ``Proxy/init(_:)``. If it is invalid, every call throws the reason.
    ///   - bearer: the token of an HTTP proxy, see ``Proxy/init(_:bearer:)``.
    ///   - except: the hosts that are reached without the proxy. An exception is `host`, which includes all names below
    ///     it, `host:port`, an address, a network such as `10.0.0.0/8`, or `*`. If one has another form, every call throws
    ///     the reason.
    public static func url(_ url: String, bearer: String? = nil, except: [String] = []) -> ProxyPolicy {
        let text = ProxyText(url, bearer: bearer, of: "the client's proxy")
        return ProxyPolicy(
            .rules(
                ProxyRules(
                    http: text, https: text, exceptions: ProxyExceptions(except, isStrict: true), exceptsLoopback: false
                )))
    }

    /// The proxy that the closure returns for the URI of a request; nil for none. The closure may run on an event loop and
    /// must not block.
    public static func choose(_ choose: @escaping @Sendable (TargetURI) -> Proxy?) -> ProxyPolicy {
        ProxyPolicy(.closure(ProxyChooser(choose)))
    }

    /// The same proxies, but none for these hosts.
    /// - Parameter hosts: exceptions as for ``url(_:bearer:except:)``, in addition to others. If one has another form,
    ///   every call throws the reason, unless there is no proxy at all.
    public func except(_ hosts: [String]) -> ProxyPolicy {
        var policy = self
        policy.exceptions = ProxyExceptions((exceptions?.texts ?? []) + hosts, isStrict: true)
        return policy
    }

    /// The same proxies, of which an HTTP proxy never gets the password itself: user and password only answer a Digest
    /// challenge (RFC 7616). A proxy that offers only Basic refuses the call. A SOCKS proxy still gets them.
    public var digestOnly: ProxyPolicy {
        var policy = self
        policy.isDigestOnly = true
        return policy
    }

    package var isNone: Bool { choice == .none }

    /// A text with the credentials, for a digest; nil for a closure. Only equal rules have the same text.
    package var secretText: String? {
        switch choice {
        case .none: ""
        case .rules(let rules): "\(rules.secretText) \(exceptions?.text ?? "") \(isDigestOnly)"
        case .closure: nil
        }
    }

    package func proxy(for uri: TargetURI) throws(CallError) -> Proxy? {
        if isNone { return nil }
        if let exceptions, try exceptions.contains(uri.origin) { return nil }
        let proxy: Proxy? =
            switch choice {
            case .none: nil
            case .rules(let rules): try rules.proxy(for: uri)
            case .closure(let chooser): chooser.choose(uri)
            }
        return isDigestOnly ? proxy?.digestOnly : proxy
    }

    /// The proxies without credentials.
    public var description: String {
        switch choice {
        case .none: "none"
        case .rules(let rules): rules.description
        case .closure: "chosen by a closure"
        }
    }

    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}

/// One closure. Two policies are equal if they have the same one.
private final class ProxyChooser: Sendable, Hashable {
    let choose: @Sendable (TargetURI) -> Proxy?
    private let number = UniqueNumber()

    init(_ choose: @escaping @Sendable (TargetURI) -> Proxy?) { self.choose = choose }

    static func == (left: ProxyChooser, right: ProxyChooser) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
