// URLSessionTransport: performs the exchanges of a client with URLSession.

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
public import Tsubame
import TsubameCore
import TsubamePlatform

/// Performs the exchanges of a client with URLSession instead of the built-in engine.
///
/// ```swift
/// let api = Client("https://api.example.com", transport: URLSessionTransport())
/// ```
/// On Apple's systems the client then follows the system's proxies, VPN and Low Data Mode, and runs on watchOS. The
/// `URLSessionConfiguration` sets what belongs to these systems, such as `waitsForConnectivity`,
/// `allowsCellularAccess` and `multipathServiceType`.
///
/// The client keeps cookies, caches, credentials, redirects and deadlines. The transport switches off these parts of
/// URLSession. A client with a connection setting that the transport does not honour fails with
/// `CallError.Kind.unsupported`. It honours `tls.pins` and `tls.check` on Apple's systems, and no other setting.
///
/// URLSession itself sets these limits, on each system:
/// - A GET has no body, and no request has trailer fields or the target `*`. Such a request fails with `.unsupported`.
/// - URLSession decodes gzip, deflate and brotli by itself. The response then has no `Content-Encoding`.
/// - URLSession joins response fields of the same name by commas. The transport separates those of `Set-Cookie`.
/// - Trailer fields of a response are not seen. Neither are 1xx responses on Apple's systems.
///
/// The page of ``TsubameURLSession`` lists the further limits of FoundationNetworking on Linux. Use the built-in engine there.
public struct URLSessionTransport: Transport {
    private let sessions: Sessions

    /// Makes a transport.
    /// - Parameter configuration: the settings of URLSession. The transport uses a copy, in which cookies, cache,
    ///   credentials and the timeouts are switched off.
    public init(configuration: URLSessionConfiguration = .ephemeral) { sessions = Sessions(configuration) }

    public var name: String { "URLSession" }

    public func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        try Self.check(environment: .environment)
        let message = try URLRequest(request, exchange)
        let body = try await OutgoingBody(try await exchange.openBody())
        let run = SessionExchange(exchange, body, host: request.uri?.origin.host ?? "")
        try sessions.start(message, run)
        let result = await withTaskCancellationHandler {
            await run.head.wait()
        } onCancel: {
            run.cancel()
        }
        switch result {
        case .success(let response)?: return response
        case .failure(let error)?: throw error
        case nil: throw CallError(.cancelled, "the exchange was cancelled", phase: .waitingForHead)
        }
    }

    /// libcurl, beneath FoundationNetworking, always follows the environment.
    static func check(environment: ProxyPolicy) throws(CallError) {
        #if canImport(FoundationNetworking)
        guard !environment.isNone else { return }
        throw CallError(
            .unsupported,
            "the environment names a proxy, and URLSession on Linux follows it against the client's settings",
            advice: "unset http_proxy, https_proxy and all_proxy, or use another transport")
        #endif
    }

    /// Every setting that differs from its default. On Apple's systems the system's own proxies, pins and `tls.check` are honoured.
    public func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> {
        var names = settings.changed
        #if !canImport(FoundationNetworking)
        if settings.proxy == .environment { names.remove(.proxy) }
        names.subtract([.tlsPins, .tlsCheck])
        #endif
        return names
    }

    public func close() async { sessions.close() }
}
