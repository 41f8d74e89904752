// ReadAhead: how far a producer may be ahead of the reader of a body, as a value.

internal import Synchronization
package import TsubamePlatform

/// Counts the unread bytes of a body, and decides when its producer pauses and goes on.
///
/// The producer may be far ahead only of a reader that keeps up: one that has taken much, and for which the producer never
/// had to pause for long. A thousand slow readers would otherwise take a quarter of a gibibyte. And the system widens its
/// own window by the bytes that are taken from it, so a producer that takes much for a slow reader makes room there too.
/// A reader that was quick may stop. So a process has a limited number of places (``ReadAheadPlaces``) for such readers, and
/// one without a place counts as any other.
package struct ReadAhead: Sendable {
    /// The producer pauses above this many unread bytes, for a reader that keeps up and for any other.
    package static let most = 256 << 10
    package static let least = 12 << 10
    /// After a pause of so many nanoseconds, the reader is slow.
    package static let slowPause: MonotonicTime = 50_000_000
    /// Many small pieces take more memory than their bytes.
    private static let pieceCost = 128

    private var unread = 0
    /// The number of bytes that the reader has taken since it was slow, and before it had a place.
    private var taken = 0
    private var isTrusted = false
    private let places: ReadAheadPlaces
    /// Given back when the reader is slow, and with the body.
    private var place: ReadAheadPlaces.Place?
    private var pausedAt: MonotonicTime?
    /// Whether the last pause was long, so that the producer should not take much at once.
    package private(set) var isSlow = false

    package init(places: ReadAheadPlaces = .ofProcess) { self.places = places }

    package var isPaused: Bool { pausedAt != nil }

    /// Whether the reader has taken much since it was slow, and has a place.
    package var keepsUp: Bool { isTrusted || place != nil }

    private var limit: Int { keepsUp ? Self.most : Self.least }

    /// The reader is known to take all that comes, even if its thread is busy for a while.
    package mutating func trust() { isTrusted = true }

    /// A piece of so many bytes has arrived.
    package mutating func received(_ count: Int) { unread += count + Self.pieceCost }

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
        if place == nil, !isTrusted {
            taken += count
            if taken >= Self.most { place = places.take() }
        }
        guard let pausedAt, unread < limit / 2 else { return false }
        isSlow = !isTrusted && now() - pausedAt >= Self.slowPause
        if isSlow { (taken, place) = (0, nil) }
        self.pausedAt = nil
        return true
    }

    /// The body has ended, so nothing more is produced.
    package mutating func endPause() { pausedAt = nil }
}

/// The readers of a process for which a producer may be far ahead.
package final class ReadAheadPlaces: Sendable {
    /// Together these readers leave at most 32 MiB unread.
    package static let ofProcess = ReadAheadPlaces(128)

    private let free: Atomic<Int>

    package init(_ count: Int) { free = Atomic(count) }

    /// - Returns: nil if all places are taken.
    fileprivate func take() -> Place? {
        guard free.load(ordering: .relaxed) > 0 else { return nil }
        if free.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 { return Place(self) }
        free.wrappingAdd(1, ordering: .relaxed)
        return nil
    }

    /// One place, which is free again when its holder releases it.
    fileprivate final class Place: Sendable {
        private let places: ReadAheadPlaces

        init(_ places: ReadAheadPlaces) { self.places = places }

        deinit { places.free.wrappingAdd(1, ordering: .relaxed) }
    }
}
