// Response+Alternatives: the alternative services that a response names for its origin.

import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Response {
    /// The alternative services of the origin, from the `Alt-Svc` field (RFC 7838), in the server's order of
    /// preference. The array is empty if the field is missing or cannot be understood. Tsubame does not use the
    /// services yet.
    public var alternativeServices: [AlternativeService] {
        guard headers.contains(.altSvc) else { return [] }
        return AlternativeService.parse(headers[values: .altSvc].joined(separator: ",")) ?? []
    }
}
