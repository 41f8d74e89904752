// LatencyHistogramTests: percentiles of times, and their chart.
import Testing
import TsubameTerminal

@Suite struct LatencyHistogramTests {
    private func histogram(_ times: some Sequence<UInt64>) -> LatencyHistogram {
        var histogram = LatencyHistogram()
        for time in times { histogram.add(time) }
        return histogram
    }

    @Test func `an empty histogram has no times`() {
        let empty = LatencyHistogram()
        #expect(empty.count == 0 && empty.mean == 0 && empty.shortest == 0 && empty.longest == 0)
        #expect(empty.time(atPercentile: 99) == 0 && empty.count(upTo: .max) == 0)
        #expect(LatencyChart(empty).bars.isEmpty)
    }

    /// Every percentile of 1 to 10,000 microseconds is known.
    @Test(arguments: [0, 1, 50, 75, 90, 99, 99.9, 100, -5, 200] as [Double])
    func `a percentile is right to a thousandth`(percent: Double) {
        let histogram = histogram((1...10_000).map { $0 * 1000 })
        let exact = max(1, min(100, max(0, percent)) * 100) * 1000
        let found = Double(histogram.time(atPercentile: percent))
        #expect(found >= exact && found <= exact * 1.001 + 200, "\(found)")
    }

    @Test(arguments: [(1000, 99.9, 999), (1000, 99, 990), (2000, 99.9, 1998), (100, 50, 50), (10_000, 99.99, 9999)])
    func `a percentile has the exact rank`(count: UInt64, percent: Double, rank: UInt64) {
        // Below 204.8 µs, each tenth of a microsecond has a bucket of its own.
        let step: UInt64 = 204_000 / count / 100 * 100
        guard step > 0 else {
            // Only the last two times differ from the others.
            let histogram = histogram((1...count).map { $0 <= rank ? 1000 : 90_000_000 })
            return #expect(histogram.time(atPercentile: percent) < 2000)
        }
        let histogram = histogram((1...count).map { $0 * step })
        #expect(
            histogram.time(atPercentile: percent) == rank * step + 100
                || histogram.time(atPercentile: percent) == rank * step)
    }

    /// The edges of buckets, and the greatest times.
    @Test(
        arguments: [
            0, 99, 100, 204_700, 204_800, 204_900, 409_599, 409_600, 1_000_000_007, 3_599_999_999_999,
            3_600_000_000_000,
        ] as [UInt64])
    func `a single time is every percentile`(time: UInt64) {
        let histogram = histogram([time])
        for percent in [0, 50, 100] as [Double] { #expect(histogram.time(atPercentile: percent) == time) }
        #expect(histogram.shortest == time && histogram.longest == time && histogram.mean == time)
        #expect(histogram.count(upTo: time) == 1)
    }

    @Test func `a time above an hour counts, and is the longest`() {
        let histogram = histogram([1000, .max])
        #expect(histogram.count == 2 && histogram.longest == .max && histogram.mean > 1000)
        #expect(histogram.time(atPercentile: 50) <= 1100 && histogram.time(atPercentile: 100) >= 3_600_000_000_000)
    }

    @Test func `each doubling keeps its order`() {
        let times = (0..<36).flatMap { [UInt64(100) << $0, (UInt64(100) << $0) + (UInt64(50) << $0)] }
        for (first, second) in zip(times, times.dropFirst()) {
            let both = histogram([first, second])
            #expect(both.count(upTo: first) == 1 || first / 100 == second / 100, "\(first) \(second)")
            #expect(both.time(atPercentile: 50) <= second)
        }
    }

    @Test func `bars hold every time once, and the last one the longest`() {
        let histogram = histogram((1...1000).map { $0 * 1_000_000 } + [60_000_000_000])
        let bars = LatencyChart(histogram, lines: 11).bars
        #expect(bars.count == 11 && bars.map(\.count).reduce(0, +) == 1001)
        #expect(bars.last?.end == 60_000_000_000 && bars.map(\.end) == bars.map(\.end).sorted())
        #expect(LatencyChart(self.histogram([5_000_000, 5_000_000])).bars.map(\.count) == [2])
    }

    @Test(arguments: [(false, "  <= "), (true, "  ≤ ")]) func `a bar is as long as its count`(
        isUnicode: Bool, start: String
    ) {
        var canvas = Canvas(theme: nil, isTerminal: true)
        let histogram = histogram(Array(repeating: 1_000_000, count: 40) + Array(repeating: 2_000_000, count: 10))
        LatencyChart(histogram, lines: 3).draw(width: 60, isUnicode: isUnicode, on: &canvas)
        let lines = String(decoding: canvas.finish(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix(start) && $0.count <= 60 }, "\(lines)")
        let lengths = lines.map { $0.count { $0 == "#" || $0 == "█" } }
        #expect(lengths[1] == Int((Double(lengths[0]) / 4).rounded()), "\(lines)")
    }
}
