// CrossOriginFields: the fields that must not reach another origin, by a redirect or by an interceptor.

import HTTPTypes
import TsubameCore

/// Credentials, the fields that the client adds to its own requests, and fields that carry its token.
struct CrossOriginFields: Sendable {
    /// Fields that belong to the origin for which they were made.
    private static let credentials: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie, .host]

    private let headers: HTTPFields
    /// In lower case, the fields that carry a token.
    private let secret: Set<String>

    init(_ configuration: Configuration) {
        headers = configuration.headers.fields
        secret = configuration.authentication.secretFields
    }

    /// Removes the fields from a request that a redirect leads to another origin.
    func strip(_ request: inout Request) { request.headers.removeAll(where: contains) }

    /// Removes the fields that a request made anew has from the one in whose place it is sent. A field with another value is
    /// the caller's own.
    func stripCopied(_ request: inout Request, from given: borrowing Request) {
        let fields = given.headers
        request.headers.removeAll { field in contains(field) && fields[values: field.name].contains(field.value) }
    }

    /// Whether a request to another origin loses the field. A field of the client's is one with the client's own value.
    func contains(_ field: HTTPField) -> Bool {
        Self.credentials.contains(field.name) || secret.contains(field.name.canonicalName)
            || headers[values: field.name].contains(field.value)
    }
}
