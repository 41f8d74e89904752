// ServerTrust: the certificate of a server in the form of the client's pins and checks.

import Foundation
#if !canImport(FoundationNetworking)
import Security
#endif
import Tsubame
import TsubameCore
import TsubameWire

/// A certificate that the system gives as DER.
struct SystemCertificate: CertificateSource {
    let der: Bytes

    var publicKeyPin: String {
        guard let details = CertificateDetails(der: Array(der)) else { return "" }
        return "sha256/" + Data(SHA256.digest(details.publicKey)).base64EncodedString()
    }
}

/// The pins and the check of one host.
struct ServerVerification: Hashable {
    let host: String
    let settings: ConnectionSettings.TLS

    /// nil if the client asks for no more than the system does.
    init?(_ settings: ConnectionSettings.TLS, host: String) {
        guard settings.check != nil || settings.pins(for: host) != nil else { return nil }
        self.host = host
        self.settings = settings
    }

    /// Whether the name of a challenge is that of the host, in any spelling.
    func isFor(_ name: String) -> Bool { Self.plain(name) == Self.plain(host) }

    private static func plain(_ name: String) -> String {
        var name = name.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        return name
    }
}

#if !canImport(FoundationNetworking)
/// Verifies a server as the system does, and then by the client's pins and check. It has never run.
// Guarded by the queue of `verify(done:)`, which alone uses `trust`. A `SecTrust` may be used on any thread, by one at a time.
struct ServerTrust: @unchecked Sendable {
    let trust: SecTrust
    let verification: ServerVerification

    private var host: String { verification.host }

    /// - Parameter done: called on a queue of its own, with nil if the server is trusted.
    func verify(done: @escaping @Sendable (CallError?) -> Void) {
        let queue = DispatchQueue(label: "tsubame.trust")
        queue.async { [self] in
            // The system wants to be called on the queue that it answers on. It may ask other servers meanwhile.
            let status = SecTrustEvaluateAsyncWithError(trust, queue) { trust, isTrusted, error in
                guard isTrusted else {
                    let reason = (error as (any Error)?)?.localizedDescription ?? "the system does not trust it"
                    return done(Self.refused("the certificate of \(host) is refused: \(reason)", error))
                }
                done(checked(Self.certificate(of: trust)))
            }
            if status != errSecSuccess { done(Self.refused("the certificate of \(host) cannot be checked: \(status)")) }
        }
    }

    private func checked(_ certificate: SystemCertificate?) -> CallError? {
        let tls = TLSInfo(
            version: "TLS", applicationProtocol: nil, certificate: certificate.map { ServerCertificate($0) })
        do throws(CallError) {
            try verification.settings.check(tls, host: host)
            return nil
        } catch {
            return error
        }
    }

    private static func certificate(of trust: SecTrust) -> SystemCertificate? {
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        return chain?.first.map { SystemCertificate(der: Bytes(SecCertificateCopyData($0) as Data)) }
    }

    static func refused(_ reason: String, _ underlying: (any Error)? = nil) -> CallError {
        CallError(.tls, reason, phase: .securing, underlying: underlying)
    }
}
#endif
