// The words for a TLS failure, with advice.

import NIOSSL
import TsubameCore
import TsubameWire

extension TLSContext {
    /// - Parameters:
    ///   - host: who was to be on the other side.
    ///   - settings: what these settings are called.
    func explain(
        _ error: any Error, host: String, settings: String,
        phase: CallError.Phase = .securing,
        connection: ConnectionInfo? = nil
    ) -> CallError {
        func failure(_ text: String, _ advice: String? = nil) -> CallError {
            CallError(
                .tls, text, phase: phase, advice: advice, timeout: nil, underlying: error, connection: connection)
        }
        switch Self.reason(of: error) {
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST":
            let advice = settings == "connection.proxyTLS" ? "try http:// in the proxy's URL" : "try http://"
            return failure("\(host) does not speak TLS on this port", advice)
        case "PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION":
            return failure(
                "the server and the client have no version of TLS in common",
                "\(settings).minimumVersion and maximumVersion are what the client allows")
        case let reason?:
            let (text, advice) = alert(reason, host: host, settings: settings)
            return failure(text, advice)
        case nil where Self.isEndOfHandshake(error):
            return failure("\(host) closed the connection during the TLS handshake")
        case nil: return failure("the TLS handshake failed: \(error)")
        }
    }

    /// The peer's complaint about the client. With TLS 1.3 it comes after the handshake, where the answer
    /// was to come.
    private func alert(_ reason: String, host: String, settings: String) -> (text: String, advice: String?) {
        let hasIdentity = self.settings.identity != nil
        return switch reason {
        case "TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV13_ALERT_CERTIFICATE_REQUIRED":
            ("\(host) wants a client certificate", "give it one as \(settings).identity")
        case "TLSV1_ALERT_UNKNOWN_CA", "SSLV3_ALERT_BAD_CERTIFICATE", "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
            "SSLV3_ALERT_CERTIFICATE_EXPIRED", "SSLV3_ALERT_CERTIFICATE_REVOKED",
            "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", "TLSV1_ALERT_ACCESS_DENIED":
            hasIdentity
                ? (
                    "\(host) does not accept the client's certificate (\(Self.words(reason)))",
                    "check \(settings).identity, and that the server knows who issued it"
                )
                : ("\(host) ends the connection: \(Self.words(reason))", nil)
        case "SSLV3_ALERT_HANDSHAKE_FAILURE":
            (
                "\(host) refuses the TLS handshake",
                hasIdentity ? nil : "it may want a client certificate (\(settings).identity), or other ciphers"
            )
        default: ("TLS with \(host) failed: \(Self.words(reason))", nil)
        }
    }

    private static func isEndOfHandshake(_ error: any Error) -> Bool {
        if case NIOSSLError.handshakeFailed(.sslError(let faults)) = error {
            faults.contains(.eofDuringHandshake)
        } else {
            false
        }
    }

    /// BoringSSL's name of a fault, out of the text in which NIOSSL hides it.
    static func reason(of error: any Error) -> String? {
        let text =
            switch error {
            case NIOSSLError.handshakeFailed(let reason): "\(reason)"
            default: "\(error)"
            }
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return nil }
        let name = text[mark.upperBound...].prefix { $0 == "_" || $0.isLetter || $0.isNumber }
        return name.isEmpty ? nil : String(name)
    }

    /// `for a.example and b.example`
    static func names(of certificate: NIOSSLCertificate?) -> String {
        guard let der = try? certificate?.toDERBytes(), let details = CertificateDetails(der: der) else {
            return "for others"
        }
        guard let hosts = details.hostNames else {
            let name = details.commonName.map { " (its Common Name \(Redaction.name($0)) does not count)" } ?? ""
            return "for no host: it has no subjectAltName\(name)"
        }
        let most = 5
        let names = hosts.map(Redaction.name) + details.addresses.compactMap { IPAddress(bytes: $0)?.text }
        guard !names.isEmpty else { return "for no host" }
        let rest = names.count > most ? " and \(names.count - most) more" : ""
        return "for \(names.prefix(most).joined(separator: ", "))\(rest)"
    }

    private static func words(_ reason: String) -> String {
        reason.replacing("TLSV1_ALERT_", with: "").replacing("SSLV3_ALERT_", with: "").replacing("_", with: " ")
            .lowercased()
    }

    static func words(_ error: any Error) -> String { reason(of: error).map { words($0) } ?? "\(error)" }
}
