// CrossOriginFields: the fields that must not reach another origin, by a redirect or by an interceptor.

import HTTPTypes
import TsubameCore

/// Credentials, the fields that the client adds to its own requests, and fields whose names say that they hold a secret.
struct CrossOriginFields: Sendable {
    /// Fields that belong to the origin for which they were made.
    private static let credentials: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie, .host]

    private let headers: HTTPFields
    /// In lower case, the fields that carry a token.
    private let secret: Set<String>
    /// The client's own rules for names such as `X-Api-Key`. The standard ones always count.
    private let redaction: Redaction

    init(_ configuration: Configuration) {
        headers = configuration.headers.fields
        secret = configuration.authentication.secretFields
        redaction = Redaction(secrets: configuration.secrets)
    }

    /// Removes the fields from a request that a redirect leads to another origin.
    func strip(_ request: inout Request) { request.headers.removeAll(where: contains) }

    /// Removes the fields that a request made anew has from the one in whose place it is sent. A field with another value is
    /// the caller's own.
    func stripCopied(_ request: inout Request, from given: borrowing Request) {
        let fields = given.headers
        request.headers.removeAll { field in contains(field) && fields[values: field.name].contains(field.value) }
    }

    private func isNamedSecret(_ name: HTTPField.Name) -> Bool {
        Redaction.standard.isSecret(field: name) || redaction.isSecret(field: name)
    }

    /// Whether a request to another origin loses the field. A field of the client's is one with the client's own value.
    func contains(_ field: HTTPField) -> Bool {
        Self.credentials.contains(field.name) || secret.contains(field.name.canonicalName)
            || field.name != .idempotencyKey && isNamedSecret(field.name)
            || headers[values: field.name].contains(field.value)
    }
}
