// ResendReason: why a call sends a request again.

/// The reason why a call sends a request again; see ``CallEvent/Kind/resending(_:why:after:)``.
public struct ResendReason: Sendable, Hashable, CustomStringConvertible {
    /// The causes of a resend.
    public enum Cause: Sendable, Hashable, CaseIterable {
        /// The response redirects to another URI (RFC 9110 section 15.4).
        case redirect
        /// A 401 or 407 is answered with credentials.
        case authentication
        /// The attempt failed, and another one may succeed; see `retry`.
        case retry
        /// The status was 417, so the request is sent without Expect (RFC 9110 section 10.1.1).
        case expectation
        /// The connection came from the pool, and it had been closed before the first byte of a response.
        case closedConnection
        /// The server said that it did not process the request (RFC 9113 section 8.7).
        case unprocessed
    }

    /// The cause of this resend.
    public let cause: Cause
    /// The reason in words, such as `503, retry 1 of 2`.
    public let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }
}
