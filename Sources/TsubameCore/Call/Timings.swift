// Timings: when each step of an exchange was done.

package import TsubamePlatform

/// The times at which the steps of an exchange were done, counted from the start of its call. A step that did not
/// happen is nil: a reused connection needs no handshake.
public struct Timings: Sendable, Hashable {
    package var start: MonotonicTime = 0
    package var resolvedAt: MonotonicTime = 0
    package var connectedAt: MonotonicTime = 0
    package var securedAt: MonotonicTime = 0
    package var sentAt: MonotonicTime = 0
    package var headAt: MonotonicTime = 0
    package var endAt: MonotonicTime = 0

    /// No step has been done yet.
    public init() {}

    private func since(_ time: MonotonicTime) -> Duration? {
        time == 0 ? nil : .nanoseconds(clamping: time >= start ? time - start : 0)
    }

    /// When the host's name was resolved.
    public var resolved: Duration? { since(resolvedAt) }
    /// When the TCP connection was established.
    public var connected: Duration? { since(connectedAt) }
    /// When the TLS handshake was done.
    public var secured: Duration? { since(securedAt) }
    /// When the head, and a small body with it, had been handed to the system.
    public var sent: Duration? { since(sentAt) }
    /// When the response's head had been read.
    public var head: Duration? { since(headAt) }
    /// When the last byte of the body had been read; nil while the body is streamed.
    public var total: Duration? { since(endAt) }
}
