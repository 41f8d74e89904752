// ProxyRules: the proxies for http and https, and who is reached without one.

/// A proxy's URL, read once. If it is invalid, the reason is thrown when a request would use it.
struct ProxyText: Sendable, Hashable {
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

struct ProxyRules: Sendable, Hashable, CustomStringConvertible {
    let http: ProxyText?
    let https: ProxyText?
    let exceptions: ProxyExceptions
    let exceptsLoopback: Bool

    func proxy(for uri: TargetURI) throws(CallError) -> Proxy? {
        guard let text = uri.isSecure ? https : http else { return nil }
        if exceptsLoopback, isLoopback(uri.host) { return nil }
        if try exceptions.contains(uri.origin) { return nil }
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
