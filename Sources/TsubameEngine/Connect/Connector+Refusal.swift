// What a connector does when a certificate is refused: it looks for the reason, with one more handshake if need be.

import NIOCore
import NIOSSL
import TsubameCore

extension Connector {
    /// In nanoseconds. The call has failed already and only lacks the reason, so a server that now stalls must not hold it
    /// up for long. A slow network or a busy machine still completes a handshake in this time.
    static let refusalReasonTimeout: UInt64 = 5_000_000_000

    /// Whether a handshake failed because of a certificate; the connector ends then when the reason is known.
    func isRefusal(_ error: any Error, certificate: NIOSSLCertificate?, of proxy: Proxy?) -> Bool {
        if var refusal {
            if let chain = winner?.capture?.chain, !chain.isEmpty { refusal.take(chain) }
            examine(refusal, proxy, isLast: true)
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
                if !isLast, examined.faults.isEmpty, let address = self.winner?.address {
                    return self.capture(at: address, of: proxy)
                }
            }
            self.finish(.failure(refusal.callError))
        }
    }

    /// One more connection to where the last one was, whose handshake gives the chain and goes no further.
    private func capture(at address: SocketAddress, of proxy: Proxy?) {
        let attempt = AddressAttempt(address)
        attempt.capture = ChainCapture(isOfProxy: proxy != nil)
        tell(.decision("the certificate is refused; its chain is read once more, only to name the reason"))
        guard !isDone else { return }
        tryOnly(attempt)
    }
}
