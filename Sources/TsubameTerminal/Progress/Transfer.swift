// Transfer: the progress and speed of one transfer.

/// Times are seconds from any fixed point. The caller passes them, so that nothing here waits.
package struct Transfer: Sendable {
    /// The weight of older speeds fades over this time, in seconds.
    private static let memory = 3.0

    package let name: String
    /// Bytes that were there before the start, such as those of a resumed download.
    package let offset: Int64
    /// Bytes so far, including those from before the start.
    package private(set) var done: Int64
    /// The total number of bytes; nil if unknown.
    package var total: Int64?
    private let start: Double
    private var last: (time: Double, done: Int64)
    private var speed: Double?

    package init(_ name: String, offset: Int64 = 0, total: Int64?, at start: Double) {
        self.name = name
        self.offset = max(offset, 0)
        self.total = total
        self.start = start
        done = self.offset
        last = (start, self.offset)
    }

    /// Sets the number of bytes so far, which never decreases.
    package mutating func reach(_ count: Int64) { done = max(done, count) }

    /// Measures the speed. Called a few times a second.
    package mutating func measure(at time: Double) {
        let elapsed = time - last.time
        guard elapsed > 0 else { return }
        let current = Double(done &- last.done) / elapsed
        // A measurement over a longer time has more weight.
        let weight = elapsed / (elapsed + Self.memory)
        speed = speed.map { $0 + (current - $0) * weight } ?? current
        last = (time, done)
    }

    /// The fraction that is done, from 0 to 1; nil if unknown.
    package var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(Double(done) / Double(total), 1)
    }

    /// The speed of the last seconds, in bytes a second.
    package var currentSpeed: Int64 { Self.whole(speed ?? 0) }

    /// Seconds until the end at the current speed; nil if unknown, or longer than a million seconds.
    package var secondsLeft: Int64? {
        guard let total, let speed, speed > 0 else { return nil }
        let left = Double(max(total &- done, 0)) / speed
        return left < 1_000_000 ? Self.whole(left.rounded(.up)) : nil
    }

    /// The mean speed, in bytes a second.
    package func meanSpeed(at time: Double) -> Int64 {
        let elapsed = time - start
        return elapsed > 0 ? Self.whole(Double(done &- offset) / elapsed) : done &- offset
    }

    package func microseconds(at time: Double) -> Int64 { Self.whole((time - start) * 1_000_000) }

    private static func whole(_ value: Double) -> Int64 { Int64(exactly: min(max(value, 0), 1e15).rounded()) ?? 0 }
}
