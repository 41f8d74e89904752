// CertificateDetails: the contents of an X.509 certificate that can explain a refusal (RFC 5280 section 4).

/// The details are read from DER and not validated. The TLS library decides whether a certificate is good. The details
/// only explain why it was not.
package struct CertificateDetails: Sendable, Hashable {
    /// The DER of the names. Names are compared as bytes, because issuers copy them.
    package let issuer: [UInt8]
    package let subject: [UInt8]
    /// The DER of the SubjectPublicKeyInfo, which pins name by its hash.
    package let publicKey: [UInt8]
    /// The Common Name, or else the organisation, as the authority wrote it. The text may hold anything.
    package let issuerName: String
    package let subjectName: String
    package let commonName: String?
    /// All parts of the names, such as `C=US, O=Example, CN=example.org`.
    package let fullIssuer: String
    package let fullSubject: String
    package let serialNumber: [UInt8]
    /// In seconds since 1970.
    package let notBefore: Int64
    package let notAfter: Int64
    /// The host names in subjectAltName, which may hold anything. nil if there is no subjectAltName.
    package private(set) var hostNames: [String]?
    /// The addresses in subjectAltName, 4 or 16 bytes each.
    package private(set) var addresses: [[UInt8]] = []
    /// Whether the certificate may issue others; nil if it has no basic constraints.
    package private(set) var isAuthority: Bool?
    /// The number of authorities that may stand between this certificate and a server's.
    package private(set) var pathLength: Int?
    /// Whether the key may sign certificates; nil if the certificate does not state the usage of its key.
    package private(set) var maySignCertificates: Bool?
    /// Whether a server may use the certificate.
    package private(set) var mayBeServer = true
    /// The host names for which certificates below this one may be issued, including names under them (RFC 5280 section
    /// 4.2.1.10).
    package private(set) var permittedHosts: [String]?
    package private(set) var excludedHosts: [String] = []

    package var isSelfIssued: Bool { issuer == subject }

    /// nil if the bytes are not a certificate.
    package init?(der: [UInt8]) {
        var outer = DERReader(der[...])
        guard var certificate = outer.next(DERReader.Tag.sequence)?.values,
            var fields = certificate.next(DERReader.Tag.sequence)?.values
        else { return nil }
        _ = fields.next(DERReader.Tag.constructed(0))
        guard let serial = fields.next(DERReader.Tag.integer), fields.next(DERReader.Tag.sequence) != nil,
            let issuer = fields.next(DERReader.Tag.sequence),
            var validity = fields.next(DERReader.Tag.sequence)?.values,
            let notBefore = validity.next().flatMap(Self.time), let notAfter = validity.next().flatMap(Self.time),
            let subject = fields.next(DERReader.Tag.sequence), let key = fields.next(DERReader.Tag.sequence)
        else { return nil }
        let (issuerName, subjectName) = (DistinguishedName(issuer), DistinguishedName(subject))
        self.issuer = Array(issuer.encoding)
        self.subject = Array(subject.encoding)
        publicKey = Array(key.encoding)
        self.issuerName = issuerName.text
        self.subjectName = subjectName.text
        commonName = subjectName.commonName
        (fullIssuer, fullSubject) = (issuerName.full, subjectName.full)
        serialNumber = Array(serial.content)
        self.notBefore = notBefore
        self.notAfter = notAfter
        while let field = fields.next() {
            guard field.tag == DERReader.Tag.constructed(3) else { continue }
            var list = field.values
            for item in list.next(DERReader.Tag.sequence)?.values.everything ?? [] { read(item) }
        }
    }

    private mutating func read(_ item: DERReader.Value) {
        var parts = item.values
        guard let name = parts.next(DERReader.Tag.objectIdentifier) else { return }
        _ = parts.next(DERReader.Tag.boolean)
        guard var content = parts.next(DERReader.Tag.octetString)?.values, let value = content.next() else { return }
        switch Array(name.content) {
        case [0x55, 0x1D, 0x11]: readNames(value)
        case [0x55, 0x1D, 0x13]:
            var constraints = value.values
            isAuthority = constraints.next(DERReader.Tag.boolean)?.content.first.map { $0 != 0 } ?? false
            pathLength = constraints.next(DERReader.Tag.integer).map { number in
                number.content.count > 4
                    ? Int.max : Int(clamping: number.content.reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
            }
        case [0x55, 0x1D, 0x0F]:
            // The first byte is the number of unused bits in the last one. keyCertSign is the sixth bit.
            maySignCertificates = (value.content.dropFirst().first ?? 0) & 0x04 != 0
        case [0x55, 0x1D, 0x25]:
            let purposes = value.values.everything.map { Array($0.content) }
            mayBeServer = purposes.contains(Self.serverAuthentication) || purposes.contains(Self.anyPurpose)
        case [0x55, 0x1D, 0x1E]:
            for tree in value.values.everything {
                let hosts = tree.values.everything.compactMap { subtree -> String? in
                    var parts = subtree.values
                    return parts.next(DERReader.Tag.primitive(2)).map { Self.latin1($0.content) }
                }
                if tree.tag == DERReader.Tag.constructed(1) {
                    excludedHosts = hosts
                } else if !hosts.isEmpty {
                    permittedHosts = hosts
                }
            }
        default: break
        }
    }

    private static let serverAuthentication: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
    private static let anyPurpose: [UInt8] = [0x55, 0x1D, 0x25, 0x00]

    private mutating func readNames(_ value: DERReader.Value) {
        var names: [String] = []
        for name in value.values.everything {
            switch name.tag {
            case DERReader.Tag.primitive(2): names.append(Self.latin1(name.content))
            case DERReader.Tag.primitive(7) where [4, 16].contains(name.content.count):
                addresses.append(Array(name.content))
            default: break
            }
        }
        hostNames = names
    }

    /// Each byte as a character, so that no byte is lost. Names should be ASCII.
    private static func latin1(_ bytes: some Sequence<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Times are always in UTC, with seconds (RFC 5280 section 4.1.2.5).
    private static func time(_ value: DERReader.Value) -> Int64? {
        var digits = value.content
        guard digits.popLast() == UInt8(ascii: "Z") else { return nil }
        let numbers = digits.compactMap(\.digitValue)
        guard numbers.count == digits.count else { return nil }
        var year: Int
        switch (value.tag, numbers.count) {
        case (DERReader.Tag.utcTime, 12):
            year = numbers.prefix(2).reduce(0) { $0 * 10 + $1 }
            year += year < 50 ? 2000 : 1900
        case (DERReader.Tag.generalizedTime, 14): year = numbers.prefix(4).reduce(0) { $0 * 10 + $1 }
        default: return nil
        }
        let rest = numbers.suffix(10)
        let parts = (0..<5).map { index in rest.dropFirst(index * 2).prefix(2).reduce(0) { $0 * 10 + $1 } }
        return CivilTime(
            year: year, month: parts[0], day: parts[1], hour: parts[2], minute: parts[3], second: parts[4]
        )?.secondsSince1970
    }
}

extension DERReader {
    fileprivate var everything: [Value] {
        var copy = self
        return copy.all()
    }
}
