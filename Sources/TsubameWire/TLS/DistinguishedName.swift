// DistinguishedName: the name of a certificate's subject or issuer as text (RFC 5280 section 4.1.2.4).

struct DistinguishedName {
    /// The last Common Name, because there may be several.
    private(set) var commonName: String?
    private var organization: String?
    private var unit: String?
    /// All parts in their order, such as `C=US, O=Example, CN=example.org`.
    private(set) var full = ""

    /// The Common Name, else the organisation, else the unit.
    var text: String { commonName ?? organization ?? unit ?? "without a name" }

    init(_ value: DERReader.Value) {
        var sets = value.values
        while let set = sets.next() {
            var pairs = set.values
            while var pair = pairs.next()?.values {
                guard let type = pair.next(DERReader.Tag.objectIdentifier), let value = pair.next() else { continue }
                add(Array(type.content), value)
                switch Array(type.content) {
                case [0x55, 0x04, 0x03]: commonName = Self.text(of: value)
                case [0x55, 0x04, 0x0A]: organization = Self.text(of: value)
                case [0x55, 0x04, 0x0B]: unit = Self.text(of: value)
                default: break
                }
            }
        }
    }

    private mutating func add(_ type: [UInt8], _ value: DERReader.Value) {
        guard let name = Self.names[type] else { return }
        full += "\(full.isEmpty ? "" : ", ")\(name)=\(Self.text(of: value))"
    }

    private static let names: [[UInt8]: String] = [
        [0x55, 0x04, 0x03]: "CN", [0x55, 0x04, 0x05]: "serialNumber", [0x55, 0x04, 0x06]: "C", [0x55, 0x04, 0x07]: "L",
        [0x55, 0x04, 0x08]: "ST", [0x55, 0x04, 0x0A]: "O", [0x55, 0x04, 0x0B]: "OU",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01]: "emailAddress",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19]: "DC",
    ]

    private static func text(of value: DERReader.Value) -> String {
        guard value.tag == DERReader.Tag.bmpString else { return String(decoding: value.content, as: UTF8.self) }
        var units: [UInt16] = []
        var bytes = value.content
        while let high = bytes.popFirst(), let low = bytes.popFirst() { units.append(UInt16(high) << 8 | UInt16(low)) }
        return String(decoding: units, as: UTF16.self)
    }
}
