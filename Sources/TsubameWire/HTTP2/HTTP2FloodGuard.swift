// HTTP2FloodGuard: limits the frames that cause work without advancing an exchange.

import TsubameCore
import TsubamePlatform

/// Counts frames that do not advance an exchange: PING, SETTINGS, empty DATA, resets, unknown frames, and frames for
/// streams that are over. More than a thousand of them in ten seconds, without a useful frame between them, are a
/// flood. Such attacks are CVE-2019-9512, CVE-2019-9515 and CVE-2019-9518, and CVE-2023-44487 with the roles exchanged.
package struct HTTP2FloodGuard {
    private static var most: Int { 1_000 }
    /// In nanoseconds.
    private static var span: MonotonicTime { 10_000_000_000 }

    /// Shorter frames of DATA cost about as much as empty ones.
    private static var shortData: Int { 256 }
    /// This many bytes of unwanted DATA count as one frame, independent of the number of frames that carry them.
    private static var fullData: Int { 16 << 10 }

    private var count = 0
    private var lateData = 0
    private var since: MonotonicTime = 0

    mutating func begin(at now: MonotonicTime) {
        guard now &- since > Self.span else { return }
        since = now
        count = 0
    }

    /// Resets the count, because something useful was received or sent.
    mutating func end() { count = 0 }

    mutating func add() throws(HTTP2Fault) {
        count &+= 1
        guard count <= Self.most else {
            throw HTTP2Fault(
                .enhanceYourCalm, .limit("the server sent more than \(Self.most) frames in a row that are of no use"))
        }
    }

    /// Counts a DATA frame on a stream that is over. After a body was given up, a whole window of it may still arrive.
    mutating func add(lateData bytes: Int) throws(HTTP2Fault) {
        lateData &+= bytes
        guard bytes < Self.shortData || lateData >= Self.fullData else { return }
        lateData = 0
        try add()
    }
}
