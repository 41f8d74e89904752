// PeerCertificate: NIOSSL's certificate, as the core knows certificates.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOSSL
import TsubameCore
import TsubameWire

struct PeerCertificate: CertificateSource {
    let certificate: NIOSSLCertificate

    var der: Bytes { (try? certificate.toDERBytes()).map { Bytes($0) } ?? Bytes() }

    var publicKeyPin: String {
        guard let key = try? certificate.extractPublicKey().toSPKIBytes() else { return "" }
        return "sha256/" + Data(SHA256.digest(key)).base64EncodedString()
    }
}

extension TLSInfo {
    /// The certificate that a connection's handler has once its handshake is done.
    init(_ handler: NIOSSLHandler, applicationProtocol: String?, cipherSuite: CipherSuite?) {
        let version =
            switch handler.tlsVersion {
            case .tlsv1: "TLS 1.0"
            case .tlsv11: "TLS 1.1"
            case .tlsv12: "TLS 1.2"
            case .tlsv13: "TLS 1.3"
            case nil: "TLS"
            }
        self.init(
            version: version, applicationProtocol: applicationProtocol, cipherSuite: cipherSuite?.description,
            certificate: handler.peerCertificate.map { ServerCertificate(PeerCertificate(certificate: $0)) })
    }
}
