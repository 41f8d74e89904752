// ProxyChoice: one `--proxy`.
#if Tool
import Tsubame

/// A proxy for one scheme or for all: `http://proxy:3128`, or as HTTPie writes it `http:http://proxy:3128`.
struct ProxyChoice: Sendable {
    private enum Scope {
        case all, http, https
    }

    private let scope: Scope
    /// nil: straight to the origin.
    private let proxy: Proxy?

    init(_ text: String) throws(UsageProblem) {
        var (scope, url) = (Scope.all, Substring(text))
        for (prefix, named) in [("https:", Scope.https), ("http:", .http), ("all:", .all)]
        where text.hasPrefix(prefix) && !text.dropFirst(prefix.count).hasPrefix("//") {
            let rest = text.dropFirst(prefix.count)
            // `http:3128` is no proxy for http, but nothing at all.
            guard rest == "none" || rest.contains("://") else { continue }
            (scope, url) = (named, rest)
            break
        }
        self.scope = scope
        do throws(CallError) {
            if url.isEmpty { throw CallError(.invalidRequest, "there is no URL", advice: "none is no proxy") }
            proxy = url == "none" ? nil : try Proxy(String(url))
        } catch {
            throw UsageProblem("\(error.reason)\(error.advice.map { ": \($0)" } ?? "").")
        }
    }

    /// nil if nothing was said: then the environment says it. Of two for one scheme the last counts.
    static func policy(of choices: [ProxyChoice]) -> ProxyPolicy? {
        guard !choices.isEmpty else { return nil }
        let http = choices.last { $0.scope != .https }
        let https = choices.last { $0.scope != .http }
        if http?.proxy == nil, https?.proxy == nil, http != nil, https != nil { return ProxyPolicy.none }
        let (plain, secure) = (http?.proxy, https?.proxy)
        return .choose { $0.isSecure ? secure : plain }
    }
}

#endif
