// AlternativeService: another place where an origin can be reached, from its Alt-Svc field (RFC 7838 section 3).

import TsubameCore

/// One alternative that an origin offers. Tsubame reports alternatives and does not use them.
public struct AlternativeService: Sendable, Hashable {
    /// The ALPN name, such as `h2` or `h3`.
    public let protocolName: String
    /// The host; empty for the origin's own.
    public let host: String
    /// The port at that host.
    public let port: Int
    /// How long the alternative is valid, in seconds; 24 hours by default.
    public let maxAge: Int64
    /// Whether the alternative stays valid when the network changes.
    public let persists: Bool

    /// The alternatives in the order of the field; empty for `clear`, which withdraws all alternatives.
    /// - Returns: nil if the field is malformed and must be ignored.
    package static func parse(_ field: String) -> [AlternativeService]? {
        guard let elements = FieldDirective.split(field, at: ",") else { return nil }
        if elements == ["clear"] { return [] }
        let services = elements.compactMap { AlternativeService($0) }
        return services.count == elements.count && !services.isEmpty ? services : nil
    }

    private init?(_ element: String) {
        guard var parts = FieldDirective.parse(element, separator: ";"), !parts.isEmpty else { return nil }
        let first = parts.removeFirst()
        guard let authority = first.value, let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(authority[authority.utf8.index(after: colon)...]), port > 0
        else { return nil }
        protocolName = PercentEncoding.decodeLeniently(first.rawName)
        host = String(authority[..<colon]).lowercasedASCII
        self.port = Int(port)
        var (maxAge, persists): (Int64, Bool) = (86_400, false)
        for part in parts {
            switch part.name {
            case "ma":
                guard let value = part.value, !value.isEmpty, value.utf8.allSatisfy({ $0.digitValue != nil }) else {
                    return nil
                }
                maxAge = Int64(value) ?? .max
            case "persist": persists = part.value == "1"
            default: break
            }
        }
        self.maxAge = maxAge
        self.persists = persists
    }
}
