// StoredHead: the status, fields and times of a stored response, and the request fields that select it.

package import HTTPTypes
package import TsubameCore

/// A stored response without its body.
package struct StoredHead: Sendable, Hashable {
    package var status: Int
    /// The version of HTTP in which the response came.
    package var version: HTTPVersion
    package var fields: HTTPFields
    /// The request's values of the fields that Vary names (RFC 9111 section 4.1), by canonical name. A value is nil
    /// if the request did not have the field.
    package var selecting: [String: String?]
    /// When the request was sent and when its response arrived, in seconds since 1970 (RFC 9111 section 4.2.3).
    package var requestTime: Double
    package var responseTime: Double

    package init(
        status: Int, version: HTTPVersion = .http11, fields: HTTPFields, selecting: [String: String?],
        requestTime: Double, responseTime: Double
    ) {
        self.status = status
        self.version = version
        self.fields = fields
        self.selecting = selecting
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}
