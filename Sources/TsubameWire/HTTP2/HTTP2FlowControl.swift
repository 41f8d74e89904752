// HTTP2FlowControl: the windows of a connection and of its streams (RFC 9113 section 5.2).

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

/// The number of body bytes that the peer can send on one stream. It grows while the reader keeps up.
struct HTTP2StreamWindow {
    /// The number of bytes that the peer may still send.
    private(set) var receivable = HTTP2Settings.Own.firstStreamWindow
    /// The number of bytes up to which that is filled up.
    private var size = HTTP2Settings.Own.firstStreamWindow
    /// The number of bytes that have been received since the reader was slow.
    private var takenBytes = 0
    /// Whether the peer has sent padding, which takes a part of the window.
    private var hasPadding = false

    /// Counts received bytes.
    /// - Parameters:
    ///   - count: at most ``receivable``.
    ///   - isPadded: whether some of them are padding.
    mutating func receive(_ count: Int, isPadded: Bool) {
        receivable &-= count
        takenBytes &+= count
        if isPadded { hasPadding = true }
    }

    /// Makes the window as small as at first, since the reader was slow.
    mutating func shrink() {
        size = HTTP2Settings.Own.firstStreamWindow
        takenBytes = 0
    }

    /// Makes the window as large as it can be.
    mutating func widen() { size = HTTP2Settings.Own.streamWindow }

    /// Fills the window up once half of it is used, unless the rest of the body fits into it. The window doubles after
    /// each two windows.
    /// - Parameter remaining: the rest of the body; below 0 if its length is unknown.
    /// - Returns: the number of bytes to give back with a WINDOW_UPDATE; nil if it is too early.
    mutating func refill(_ remaining: Int64) -> Int? {
        guard receivable <= size / 2, remaining < 0 || hasPadding || remaining > Int64(receivable) else { return nil }
        if takenBytes >= size * 2 { size = Swift.min(size * 2, HTTP2Settings.Own.streamWindow) }
        defer { receivable = size }
        return size - receivable
    }
}
