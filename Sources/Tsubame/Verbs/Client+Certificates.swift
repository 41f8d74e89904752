// Client+Certificates: the certificates that a server sends.

public import TsubameCore

extension Client {
    /// Reads the certificates that a server sends, its own first. The handshake goes no further, so no request is sent.
    ///
    /// ```swift
    /// let chain = try await client.certificates(of: "https://example.com")
    /// ```
    /// None of the certificates is verified, and pins and `tls.check` are not asked. So the chain of a server that the client
    /// does not trust can be read, too. A proxy of the client is used.
    /// - Parameter url: a URL of the server. The default is the client's own origin.
    /// - Throws: ``CallError`` if the handshake fails earlier, within `timeouts.connect` and `timeouts.tls`. Its kind is
    ///   ``CallError/Kind/invalidRequest`` if the URL has not the scheme `https`, and ``CallError/Kind/unsupported`` if a transport
    ///   other than the engine performs the exchanges.
    @concurrent
    public func certificates(of url: String? = nil) async throws(CallError) -> [ServerCertificate] {
        guard let engine = chain.engine else {
            throw CallError(.unsupported, "the client's own transport cannot read certificates")
        }
        let request = try prepare(url.map { Request(.head, url: $0) } ?? Request(.head, ""))
        guard let uri = request.uri, uri.origin.isSecure else {
            throw CallError(
                .invalidRequest, "only a server that speaks TLS has certificates",
                advice: "give a URL that begins with https://", request: request)
        }
        var settings = configuration.connection
        settings.tls.verification = .full
        // The connection serves no request, so the limits of connections do not hold for it.
        settings.connections = nil
        settings.connectionsPerOrigin = ConnectionSettings.defaultConnectionsPerOrigin
        let call = Call(
            request, CallOptions(timeouts: configuration.timeouts, limits: configuration.limits),
            observers: ObserverList())
        do throws(CallError) {
            try await lifecycle.run(
                call, request: { call.request },
                lastEvent: { .finished(Response(status: .noContent, request: call.request)) }
            ) { () async throws(CallError) in try await engine.readingCertificates(settings).warmUp(uri, call: call) }
        } catch {
            guard let read = error.underlying as? CertificatesRead else { throw error }
            return read.certificates
        }
        throw CallError(.cancelled, "the client was closed before the handshake", request: request)
    }
}
