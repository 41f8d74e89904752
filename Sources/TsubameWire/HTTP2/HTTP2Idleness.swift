// HTTP2Idleness: how much a peer makes the client do for nothing.

import TsubameCore

/// Counts frames that bring no exchange further: PING, SETTINGS, empty DATA, resets, what is unknown, what is for streams
/// that are over. A thousand in ten seconds, without anything useful between them, are a flood (CVE-2019-9512, -9515, -9518,
/// CVE-2023-44487 the other way round).
package struct HTTP2Idleness {
    private static var most: Int { 1_000 }
    /// In nanoseconds.
    private static var span: MonotonicTime { 10_000_000_000 }

    /// Shorter frames of DATA cost about as much as empty ones.
    private static var shortData: Int { 256 }
    /// So many bytes that nobody wants count as one frame, in however many they come.
    private static var fullData: Int { 16 << 10 }

    private var count = 0
    private var lateData = 0
    private var since: MonotonicTime = 0

    mutating func begin(at now: MonotonicTime) {
        guard now &- since > Self.span else { return }
        since = now
        count = 0
    }

    /// Something useful has come, or gone.
    mutating func end() { count = 0 }

    mutating func add() throws(HTTP2Fault) {
        count &+= 1
        guard count <= Self.most else {
            throw HTTP2Fault(
                .enhanceYourCalm, .limit("more than \(Self.most) frames that bring nothing, one after the other"))
        }
    }

    /// A frame of DATA on a stream that is over. When a body is given up, a whole window of it may be on its way.
    mutating func add(lateData bytes: Int) throws(HTTP2Fault) {
        lateData &+= bytes
        guard bytes < Self.shortData || lateData >= Self.fullData else { return }
        lateData = 0
        try add()
    }
}
