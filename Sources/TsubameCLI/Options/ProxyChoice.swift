// ProxyChoice: the value of one `--proxy`, a proxy for one scheme or for all.

import Tsubame

/// A proxy for one scheme or for all: `http://proxy:3128`, or in HTTPie's form `http:http://proxy:3128`.
struct ProxyChoice: Sendable {
    private enum Scope {
        case all, http, https
    }

    private let scope: Scope
    /// nil for a direct connection to the origin.
    private let proxy: Proxy?
    /// The proxy as it was given; `none` for a direct connection.
    let url: String

    init(_ text: String) throws(UsageProblem) {
        var (scope, url) = (Scope.all, Substring(text))
        for (prefix, named) in [("https:", Scope.https), ("http:", .http), ("all:", .all)]
        where text.hasPrefix(prefix) && !text.dropFirst(prefix.count).hasPrefix("//") {
            let rest = text.dropFirst(prefix.count)
            // `http:3128` is not a proxy for http: it names no proxy at all.
            guard rest == "none" || rest.contains("://") else { continue }
            (scope, url) = (named, rest)
            break
        }
        self.scope = scope
        self.url = String(url)
        do throws(CallError) {
            if url.isEmpty { throw CallError(.invalidRequest, "there is no URL", advice: "none is no proxy") }
            proxy = url == "none" ? nil : try Proxy(String(url))
        } catch {
            throw UsageProblem("\(error.reason)\(error.advice.map { ": \($0)" } ?? "").")
        }
    }

    var isSOCKS: Bool { proxy?.scheme == .socks5 || proxy?.scheme == .socks5h }

    /// The text of the choice that counts for a scheme; nil without choices.
    static func url(of choices: [ProxyChoice], isSecure: Bool) -> String? {
        guard !choices.isEmpty else { return nil }
        return choices.last { $0.scope != (isSecure ? .http : .https) }?.url ?? "none"
    }

    /// nil without choices; the environment then decides. Of two choices for one scheme, the last counts.
    static func policy(of choices: [ProxyChoice]) -> ProxyPolicy? {
        guard !choices.isEmpty else { return nil }
        let http = choices.last { $0.scope != .https }
        let https = choices.last { $0.scope != .http }
        if http?.proxy == nil, https?.proxy == nil, http != nil, https != nil { return ProxyPolicy.none }
        let (plain, secure) = (http?.proxy, https?.proxy)
        return .choose { $0.isSecure ? secure : plain }
    }
}
