// StrictTransport: the Strict-Transport-Security field (RFC 6797 section 6.1).

/// A host's request to be reached by https only.
package struct StrictTransport: Sendable, Hashable {
    /// In seconds; 0 withdraws the earlier request.
    package let maxAge: Int64
    package let includesSubdomains: Bool

    /// nil if the field must be ignored: it has no `max-age`, repeats a directive, or holds a malformed directive.
    /// Unknown directives are ignored.
    package init?(_ field: String) {
        var maxAge: Int64?
        var includesSubdomains = false
        var seen: Set<String> = []
        guard let directives = FieldDirective.parse(field, separator: ";") else { return nil }
        for directive in directives {
            guard seen.insert(directive.name).inserted else { return nil }
            switch directive.name {
            case "max-age":
                guard let value = directive.value, !value.isEmpty, value.utf8.allSatisfy({ $0.digitValue != nil })
                else { return nil }
                maxAge = Int64(value) ?? .max
            case "includesubdomains":
                guard directive.value == nil else { return nil }
                includesSubdomains = true
            default: break
            }
        }
        guard let maxAge else { return nil }
        self.maxAge = maxAge
        self.includesSubdomains = includesSubdomains
    }
}
