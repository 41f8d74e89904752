// LatencyHistogram: counts times in buckets, whose widths grow with the times.

/// A histogram of times after HdrHistogram (Gil Tene): buckets are at most a thousandth as wide as their times.
///
/// Its memory is bounded, however many times it counts. A time is counted in tenths of a microsecond, up to an hour. A
/// longer time counts as an hour, but ``longest`` still tells it.
package struct LatencyHistogram: Sendable, Equatable {
    /// Times below this number of units have buckets of one unit.
    private static let exact: UInt64 = 2048
    private static let unit: UInt64 = 100
    private static let greatest: UInt64 = 3_600 * 1_000_000_000 / unit

    /// The number of times.
    package private(set) var count: UInt64 = 0
    /// Nanoseconds; 0 if nothing is counted.
    package private(set) var shortest: UInt64 = 0
    /// Nanoseconds; 0 if nothing is counted.
    package private(set) var longest: UInt64 = 0
    private var sum = 0.0
    /// Empty until the first time comes.
    private var buckets: [UInt64] = []

    package init() {}

    /// The mean in nanoseconds; 0 if nothing is counted.
    package var mean: UInt64 { count == 0 ? 0 : min(UInt64(min(sum / Double(count), 1e19)), longest) }

    /// Counts a time in nanoseconds.
    /// - Parameter times: how often it counts.
    package mutating func add(_ time: UInt64, times: UInt64 = 1) {
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: Self.index(Self.greatest) + 1)
            shortest = time
        }
        buckets[Self.index(min(time / Self.unit, Self.greatest))] += times
        count += times
        sum += Double(time) * Double(times)
        shortest = min(shortest, time)
        longest = max(longest, time)
    }

    /// The time in nanoseconds that this share of the times does not exceed, to a thousandth; 0 if nothing is counted.
    /// - Parameter percent: from 0 to 100.
    package func time(atPercentile percent: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        // 99.9 has no exact Double. Rounding up must not turn rank 999 of 1000 into 1000.
        let exact = min(max(percent, 0), 100) * Double(count) / 100
        let rank = max(1, UInt64((exact - 4 * exact.ulp).rounded(.up)))
        var seen: UInt64 = 0
        for (index, number) in buckets.enumerated() where number > 0 {
            seen += number
            // Only the last bucket can reach beyond the longest time.
            if seen >= rank { return min(max(Self.upperEdge(index) * Self.unit, shortest), longest) }
        }
        return longest
    }

    /// How many times are at most this long, in nanoseconds.
    package func count(upTo time: UInt64) -> UInt64 {
        guard count > 0 else { return 0 }
        return buckets.prefix(Self.index(min(time / Self.unit, Self.greatest)) + 1).reduce(0, +)
    }

    /// From `exact` on, each doubling of the times has half as many buckets.
    private static func index(_ units: UInt64) -> Int {
        guard units >= exact else { return Int(units) }
        let shift = exact.leadingZeroBitCount - units.leadingZeroBitCount + 1
        return shift * Int(exact / 2) + Int(units >> shift)
    }

    /// The greatest number of units in a bucket, and one more.
    private static func upperEdge(_ index: Int) -> UInt64 {
        guard index >= Int(exact) else { return UInt64(index) + 1 }
        let shift = index / Int(exact / 2) - 1
        return UInt64(index - shift * Int(exact / 2) + 1) << shift
    }
}
