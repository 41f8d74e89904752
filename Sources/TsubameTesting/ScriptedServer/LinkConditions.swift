// LinkConditions: how slow the connections of a ScriptedServer are.
#if TestServer

/// The delays and the throughput of a ``ScriptedServer``'s connections.
///
/// ```swift
/// LinkConditions(latency: .milliseconds(20), jitter: .milliseconds(5), bytesPerSecond: 100_000, seed: 7)
/// ```
public struct LinkConditions: Sendable, Hashable {
    /// The delay of everything that the server sends, the TLS handshake included.
    public var latency: Duration
    /// Each delay is longer by a random part of this. The order of the bytes does not change.
    public var jitter: Duration
    /// The number of bytes a second, in each direction by itself; nil for no limit. At least 1.
    public var bytesPerSecond: Int?
    /// The start of the random numbers. With the same seed the connection of the same number has the same delays.
    public var seed: UInt64

    /// Takes the conditions. Without arguments nothing is delayed.
    public init(
        latency: Duration = .zero, jitter: Duration = .zero, bytesPerSecond: Int? = nil, seed: UInt64 = 0
    ) {
        self.latency = latency
        self.jitter = jitter
        self.bytesPerSecond = bytesPerSecond
        self.seed = seed
    }

    /// The due times of what one connection sends, and the pauses of what it reads. All times are offsets from any
    /// fixed moment.
    struct Schedule: Sendable {
        private let conditions: LinkConditions
        private var random: SplitMix64
        private var lastDue = Duration.zero
        private var readable = Duration.zero

        init(_ conditions: LinkConditions, connection: Int) {
            self.conditions = conditions
            random = SplitMix64(state: conditions.seed &+ UInt64(truncatingIfNeeded: connection))
        }

        /// The most bytes that are sent at one time, about 10 ms worth.
        var pieceBytes: Int { conditions.bytesPerSecond.map { max($0 / 100, 1) } ?? .max }

        /// The time at which so many bytes that are written at `now` have left.
        mutating func due(_ count: Int, writtenAt now: Duration) -> Duration {
            let share = Double(random.next() >> 11) / Double(1 << 53)
            let begin = max(lastDue, now + conditions.latency + conditions.jitter * share)
            lastDue = begin + time(for: count)
            return lastDue
        }

        /// Counts bytes that have been read, and returns the time at which more may be read.
        mutating func read(_ count: Int, at now: Duration) -> Duration {
            readable = max(readable, now) + time(for: count)
            return readable
        }

        private func time(for count: Int) -> Duration {
            conditions.bytesPerSecond.map { .seconds(1) * (Double(count) / Double(max($0, 1))) } ?? .zero
        }
    }
}

/// The generator SplitMix64 by Steele, Lea and Flood ("Fast splittable pseudorandom number generators", 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
#endif
