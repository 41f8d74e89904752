// StoredHead: what a cache knows of a stored response beside its body.

package import HTTPTypes

/// The head of a stored response, when it was got, and the fields of its request by which it is chosen.
package struct StoredHead: Sendable, Hashable {
    package var status: Int
    package var fields: HTTPFields
    /// The request's values of the fields that Vary names (RFC 9111 section 4.1): canonical name to combined value, nil
    /// for one that the request did not have.
    package var selecting: [String: String?]
    /// When the request was sent and its response came, in seconds since 1970 (RFC 9111 section 4.2.3).
    package var requestTime: Double
    package var responseTime: Double

    package init(
        status: Int, fields: HTTPFields, selecting: [String: String?], requestTime: Double, responseTime: Double
    ) {
        self.status = status
        self.fields = fields
        self.selecting = selecting
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}
