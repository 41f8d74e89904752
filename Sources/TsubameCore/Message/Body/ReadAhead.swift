// ReadAhead: how far a producer may be ahead of the reader of a body, as a value.

package import TsubamePlatform

/// Counts the unread bytes of a body, and decides when its producer pauses and goes on.
///
/// The producer may be far ahead only of a reader that keeps up: one that has taken much, and for which the producer never
/// had to pause for long. A thousand slow readers would otherwise take a quarter of a gibibyte. And the system widens its
/// own window by the bytes that are taken from it, so a producer that takes much for a slow reader makes room there too.
package struct ReadAhead: Sendable {
    /// The producer pauses above this many unread bytes, for a reader that keeps up and for any other.
    package static let most = 256 << 10
    package static let least = 12 << 10
    /// After a pause of so many nanoseconds, the reader is slow.
    package static let slowPause: MonotonicTime = 50_000_000
    /// Many small pieces take more memory than their bytes.
    private static let pieceCost = 128

    private var unread = 0
    /// The number of bytes that the reader has taken, up to ``most``, since it was slow.
    private var taken = 0
    private var isTrusted = false
    private var pausedAt: MonotonicTime?
    /// Whether the last pause was long, so that the producer should not take much at once.
    package private(set) var isSlow = false

    package init() {}

    package var isPaused: Bool { pausedAt != nil }

    /// Whether the reader has taken much since it was slow.
    package var keepsUp: Bool { isTrusted || taken >= Self.most }

    private var limit: Int { keepsUp ? Self.most : Self.least }

    /// The reader is known to take all that comes, even if its thread is busy for a while.
    package mutating func trust() { isTrusted = true }

    /// A piece of so many bytes has arrived.
    /// - Parameter isMerged: whether it belongs to the piece before it.
    package mutating func received(_ count: Int, isMerged: Bool = false) {
        unread += count + (isMerged ? 0 : Self.pieceCost)
    }

    /// - Returns: whether the producer must pause, or is still paused.
    @discardableResult
    package mutating func pauseIfFull(at now: @autoclosure () -> MonotonicTime) -> Bool {
        guard unread >= limit else { return isPaused }
        if pausedAt == nil { pausedAt = now() }
        return true
    }

    /// The reader has taken a piece of so many bytes.
    /// - Returns: whether the producer, which has paused, goes on.
    package mutating func taken(_ count: Int, at now: @autoclosure () -> MonotonicTime) -> Bool {
        unread -= count + Self.pieceCost
        if taken < Self.most { taken += count }
        guard let pausedAt, unread < limit / 2 else { return false }
        isSlow = !isTrusted && now() - pausedAt >= Self.slowPause
        if isSlow { taken = 0 }
        self.pausedAt = nil
        return true
    }

    /// The body has ended, so nothing more is produced.
    package mutating func endPause() { pausedAt = nil }
}
