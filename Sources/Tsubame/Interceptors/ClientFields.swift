// ClientFields: the fields that a client adds to its own requests, and that no other origin gets.

import HTTPTypes
import TsubameCore

/// A request that was made from a response's, or by an interceptor, already holds them.
struct ClientFields: Sendable {
    private let headers: HTTPFields
    /// In lower case, those that carry a token.
    private let secret: Set<String>

    init(_ configuration: Configuration) {
        headers = configuration.headers
        secret = configuration.authentication.secretFields
    }

    /// Whether the field is one of the client's: with the client's own value, or with any token.
    func contains(_ field: HTTPField) -> Bool {
        secret.contains(field.name.canonicalName) || headers[values: field.name].contains(field.value)
    }
}
