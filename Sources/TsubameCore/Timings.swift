// Timings: when each part of an exchange was done.

internal import Synchronization
package import HTTPTypes

/// When each part of an exchange was done, counted from the start of its call. What did not happen (a reused connection
/// needs no handshake) is nil.
public struct Timings: Sendable, Hashable {
    package var start: MonotonicTime = 0
    package var resolvedAt: MonotonicTime = 0
    package var connectedAt: MonotonicTime = 0
    package var securedAt: MonotonicTime = 0
    package var sentAt: MonotonicTime = 0
    package var headAt: MonotonicTime = 0
    package var endAt: MonotonicTime = 0

    /// Nothing has been done yet.
    public init() {}

    private func since(_ time: MonotonicTime) -> Duration? {
        time == 0 ? nil : .nanoseconds(clamping: time >= start ? time - start : 0)
    }

    /// The host's name was resolved.
    public var resolved: Duration? { since(resolvedAt) }
    /// The TCP connection stood.
    public var connected: Duration? { since(connectedAt) }
    /// The TLS handshake was done.
    public var secured: Duration? { since(securedAt) }
    /// The head (and a small body with it) had been handed to the system.
    public var sent: Duration? { since(sentAt) }
    /// The response's head had been read.
    public var head: Duration? { since(headAt) }
    /// The last byte of the body had been read; nil while it is streamed.
    public var total: Duration? { since(endAt) }
}

/// Where the trailers of a response appear once its body has been read.
package final class TrailerBox: Sendable {
    private let box = Mutex<HTTPFields?>(nil)

    package init() {}

    package var fields: HTTPFields? { box.withLock { $0 } }

    package func set(_ fields: HTTPFields) { box.withLock { $0 = fields } }
}
