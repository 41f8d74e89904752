// What a response says of other ways to its origin.

import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Response {
    /// Where else the origin can be reached, by its `Alt-Svc` field (RFC 7838), in its order of preference; empty if it says
    /// nothing, or nothing that can be understood. They are told, and not followed yet.
    public var alternativeServices: [AlternativeService] {
        guard headers.contains(.altSvc) else { return [] }
        return AlternativeService.parse(headers[values: .altSvc].joined(separator: ",")) ?? []
    }
}

extension HTTPField.Name {
    fileprivate static let altSvc = HTTPField.Name("Alt-Svc") ?? .location
}
