// The errors of a connector: every address with its reason, in the system's words.

import NIOCore
import NIOSSL
import TsubameCore
import TsubamePlatform
import TsubameSockets

extension Connector {
    var way: String { key.proxy.map { " through \($0)" } ?? "" }

    /// The result of each address, where there was more than one or one has failed.
    var tried: String {
        let most = 8
        let silent = (race?.silent ?? []).map { "\($0): no answer" }
        let list = (race?.failures ?? []).map { "\($0.address): \($0.reason)" } + silent
        let rest = list.count > most ? "; and \(list.count - most) more" : ""
        return list.isEmpty ? "" : " (\(list.prefix(most).joined(separator: "; "))\(rest))"
    }

    func late(_ limit: Timeouts.Name) -> CallError {
        let time = Duration.nanoseconds(clamping: waiter.call.options.timeouts.nanoseconds(limit)).inSeconds
        let reason =
            limit == .tls
            ? "no TLS connection to \(key.origin.authority) within \(time)"
            : "no connection to \(key.origin.authority)\(way) within \(time)"
        // The proxy has taken the connection, and is silent since.
        let isAtProxy = key.proxy != nil && route?.isAtOrigin == false
        return CallError(
            .timeout, reason + (isAtProxy ? ": the proxy was reached, and does not answer" : tried),
            phase: waiter.phase, advice: isAtProxy ? "check that the proxy is of this kind" : nil, timeout: limit)
    }

    func notAllowed(_ host: String) -> CallError {
        CallError(
            .connectionFailed, "\(host) is \(AddressRules.notAllowed)", phase: .connecting,
            underlying: FailureCause(isTransient: false))
    }

    func refused() -> CallError {
        if let failures = race?.failures, !failures.isEmpty,
            failures.allSatisfy({ $0.reason == AddressRules.notAllowed })
        {
            return notAllowed("\(key.origin.authority)\(tried)")
        }
        let interface = key.settings.settings.interface
        let localEndpoint = interface.map { " from \(Redaction.printable($0))" } ?? ""
        var advice =
            key.proxy == nil ? "check that the server runs and that the port is right" : "check that the proxy runs"
        if key.settings.settings.unixSocket != nil { advice = "check that the server runs, and the socket's path" }
        if interface != nil { advice = "check that connection.interface is of this machine; if it is, \(advice)" }
        return CallError(
            .connectionFailed, "no connection to \(key.origin.authority)\(way)\(localEndpoint)\(tried)",
            phase: .connecting,
            advice: advice)
    }

    /// The error of a failed handshake with the origin.
    func handshakeFailure(_ error: any Error) -> CallError {
        switch error {
        case let error as CallError: error
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            key.tls.explain(error, host: key.origin.host, settings: "connection.tls")
        default:
            CallError(
                .tls, "the connection was lost during the TLS handshake: \(Self.words(error))", phase: .securing,
                underlying: error)
        }
    }

    static func noTLS(_ error: any Error) -> CallError {
        error as? CallError
            ?? CallError(.tls, "TLS cannot be set up: \(error)", phase: .securing, underlying: error)
    }

    /// The error of a failure between the client and the proxy, once that had been reached.
    func failure(_ error: any Error, at proxy: Proxy) -> CallError {
        switch error {
        case let error as WireError where error.kind == .proxy:
            CallError(
                .proxy, "the proxy \(proxy) does not lead to \(key.origin.authority): \(error.description)",
                phase: .connecting,
                advice: "check the proxy's address and kind, its credentials, and that it can reach the host")
        case let error as CallError: error
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            key.proxyTLS.explain(
                error, host: "the proxy \(proxy.host)", settings: "connection.proxyTLS")
        default:
            CallError(
                .proxy, "the proxy \(proxy) ended the connection: \(Self.words(error))", phase: .connecting,
                underlying: error)
        }
    }

    /// The error of a failed look-up. It says whether the host is the proxy's.
    func lookUpFailure(_ error: any Error, of host: String) -> CallError {
        let known = error as? CallError
        guard key.proxy != nil else {
            return known
                ?? CallError(
                    .nameResolution, "\(host) could not be resolved: \(error)", phase: .resolving, underlying: error)
        }
        return CallError(
            known?.kind ?? .nameResolution, "the proxy's host could not be resolved: \(known?.reason ?? "\(error)")",
            phase: .resolving, advice: "check the name in the proxy's URL and the network",
            underlying: known?.underlying ?? error)
    }

    /// A system error in the system's words.
    static func words(_ error: any Error) -> String {
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)).lowercasedFirst }
        if let error = error as? ChannelError, error == .eof { return "closed by the server" }
        if error is BoringSSLError { return TLSContext.words(error) }
        return "\(error)"
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
