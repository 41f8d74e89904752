// ReceivedMessage+Certificate: the attributes of a certificate that checks can ask for.

import TsubameCore
import TsubameWire

extension ReceivedMessage {
    /// The attributes by the names that Hurl gives them; empty if the bytes are no certificate.
    package static func attributes(ofCertificate der: [UInt8]) -> [Certificate] {
        guard let details = CertificateDetails(der: der) else { return [] }
        let names = (details.hostNames ?? []).map { "DNS:\($0)" }
        let addresses = details.addresses.compactMap { IPAddress(bytes: $0).map { "IP Address:\($0.text)" } }
        let serial = details.serialNumber.map { Hexadecimal.text([$0]) }.joined(separator: ":")
        let text = Array(EncodedBytes.base64Text(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self)
        }
        let pem = "-----BEGIN CERTIFICATE-----\n\(lines.joined(separator: "\n"))\n-----END CERTIFICATE-----\n"
        return [
            Certificate(name: "Subject", value: .text(details.fullSubject)),
            Certificate(name: "Issuer", value: .text(details.fullIssuer)),
            Certificate(name: "Start-Date", value: .date(FileDate(seconds: details.notBefore))),
            Certificate(name: "Expire-Date", value: .date(FileDate(seconds: details.notAfter))),
            Certificate(name: "Serial-Number", value: .text(serial)),
            Certificate(name: "Subject-Alt-Name", value: .text((names + addresses).joined(separator: ", "))),
            Certificate(name: "Value", value: .text(pem)),
        ]
    }
}
