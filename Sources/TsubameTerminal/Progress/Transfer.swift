// Transfer: how far something on its way has come, and how fast.

/// Times are seconds from any point; they come from the caller, so that nothing here waits.
package struct Transfer: Sendable {
    /// Speeds older than this count for little, in seconds.
    private static let memory = 3.0

    package let name: String
    /// Bytes that were there before, such as those of a download that is resumed.
    package let offset: Int64
    /// Bytes so far, those before included.
    package private(set) var done: Int64
    /// Bytes in all; nil while nobody knows.
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

    /// So many bytes have gone their way.
    package mutating func reach(_ count: Int64) { done = max(done, count) }

    /// Measures the speed; called a few times a second.
    package mutating func measure(at time: Double) {
        let elapsed = time - last.time
        guard elapsed > 0 else { return }
        let current = Double(done &- last.done) / elapsed
        // One that is measured late counts for more.
        let weight = elapsed / (elapsed + Self.memory)
        speed = speed.map { $0 + (current - $0) * weight } ?? current
        last = (time, done)
    }

    /// From 0 to 1; nil where it is not known.
    package var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(Double(done) / Double(total), 1)
    }

    /// Bytes a second, of the last seconds.
    package var currentSpeed: Int64 { Self.whole(speed ?? 0) }

    /// Seconds until the end at this speed; nil where that is not known, or longer than anybody waits.
    package var secondsLeft: Int64? {
        guard let total, let speed, speed > 0 else { return nil }
        let left = Double(max(total &- done, 0)) / speed
        return left < 1_000_000 ? Self.whole(left.rounded(.up)) : nil
    }

    /// Bytes a second over all of it.
    package func meanSpeed(at time: Double) -> Int64 {
        let elapsed = time - start
        return elapsed > 0 ? Self.whole(Double(done &- offset) / elapsed) : done &- offset
    }

    package func microseconds(at time: Double) -> Int64 { Self.whole((time - start) * 1_000_000) }

    private static func whole(_ value: Double) -> Int64 { Int64(exactly: min(max(value, 0), 1e15).rounded()) ?? 0 }
}
