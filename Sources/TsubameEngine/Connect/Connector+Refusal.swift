// The search for the reason why a certificate was refused, with one more handshake if need be.

import NIOCore
import NIOSSL
import TsubameCore

extension Connector {
    /// In nanoseconds. The call has failed already and only lacks the reason, so a server that now stalls must not hold it
    /// up for long. A slow network or a busy machine still completes a handshake in this time.
    static let refusalReasonTimeout: UInt64 = 5_000_000_000

    /// Whether a handshake failed because of a certificate. The connector ends then when the reason is known.
    func isRefusal(_ error: any Error, certificate: NIOSSLCertificate?, of proxy: Proxy?) -> Bool {
        if var refusal {
            if let chain = route?.capture?.chain, !chain.isEmpty { refusal.take(chain) }
            examine(refusal, proxy, isLast: true)
            return true
        }
        if proxy == nil, let capture = route?.capture, !capture.chain.isEmpty {
            let read = CertificatesRead(
                capture.chain.map { ServerCertificate(PeerCertificate(certificate: $0)) })
            finish(
                .failure(
                    CallError(.tls, "the handshake only read the certificates", phase: .securing, underlying: read)))
            return true
        }
        guard CertificateRefusal.isMeant(by: error) else { return false }
        let refusal =
            if let proxy {
                CertificateRefusal(
                    error, certificate: certificate, host: "the proxy \(proxy.host)", settings: "connection.proxyTLS",
                    context: key.proxyTLS)
            } else {
                CertificateRefusal(
                    error, certificate: certificate, host: key.origin.host, settings: "connection.tls",
                    context: key.tls)
            }
        self.refusal = refusal
        examine(refusal, proxy, isLast: false)
        return true
    }

    private func examine(_ refusal: CertificateRefusal, _ proxy: Proxy?, isLast: Bool) {
        refusal.examined(on: loopPool.loop).assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            if case .success(let examined) = result {
                self.refusal = examined
                if !isLast, examined.faults.isEmpty { return self.captureChain(of: proxy) }
            }
            self.finish(.failure(refusal.callError))
        }
    }
}
