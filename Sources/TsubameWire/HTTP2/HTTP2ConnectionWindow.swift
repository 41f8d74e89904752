// HTTP2ConnectionWindow: the flow control of a whole connection (RFC 9113 section 5.2).

import TsubameCore

/// The number of body bytes that each side can still send on all streams together.
struct HTTP2ConnectionWindow {
    /// The number of bytes that the client can send.
    private(set) var sendable = 65_535
    /// The number of bytes that the peer may still send.
    private(set) var receivable = HTTP2Settings.Own.connectionWindow
    /// The number of received bytes that the peer may not yet send again.
    private var uncredited = 0

    mutating func send(_ count: Int) { sendable &-= count }

    /// Handles a WINDOW_UPDATE of the peer.
    mutating func widen(by count: Int) throws(HTTP2Fault) {
        guard let window = HTTP2Settings.window(sendable, widenedBy: count) else {
            throw HTTP2Fault(.flowControl, .invalid("the connection's window is widened beyond 2^31 - 1"))
        }
        sendable = window
    }

    /// Counts received bytes. They are given back without waiting for a reader, half a window at a time.
    /// - Parameter count: at most ``receivable``.
    /// - Returns: the number of bytes to give back with a WINDOW_UPDATE now; nil if it is too early.
    mutating func receive(_ count: Int) -> Int? {
        receivable &-= count
        uncredited &+= count
        guard uncredited >= HTTP2Settings.Own.connectionWindow / 2 else { return nil }
        defer { uncredited = 0 }
        receivable &+= uncredited
        return uncredited
    }
}
