// ResendReason: why a call sends once more.

/// Why a call sends once more, see ``CallEvent/Kind/resending(_:why:after:)``.
public struct ResendReason: Sendable, Hashable, CustomStringConvertible {
    /// What led to it.
    public enum Cause: Sendable, Hashable, CaseIterable {
        /// The answer leads elsewhere (RFC 9110 section 15.4).
        case redirect
        /// A 401 or 407 is answered by credentials.
        case authentication
        /// What failed may come about now, see `retry`.
        case retry
        /// A 417: once more without Expect (RFC 9110 section 10.1.1).
        case expectation
        /// The connection was taken from the pool and had been closed, before a byte of an answer.
        case closedConnection
        /// The server has said that it did not process the request (RFC 9113 section 8.7).
        case unprocessed
    }

    /// What led to it.
    public let cause: Cause
    /// In words, such as `503, retry 1 of 2`.
    public let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }
}
