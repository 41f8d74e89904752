// LatencyChart: draws a histogram as bars, one below the other.

/// Bars of equal width in time, from the shortest time to the 99th percentile, and one bar for all longer times.
package struct LatencyChart: Sendable {
    /// One line of the chart.
    package struct Bar: Sendable, Equatable {
        /// Nanoseconds: times up to this one count.
        package let end: UInt64
        package let count: UInt64
    }

    package let bars: [Bar]

    /// - Parameter lines: the greatest number of bars.
    package init(_ histogram: LatencyHistogram, lines: Int = 11) {
        guard histogram.count > 0, lines > 1 else {
            bars = []
            return
        }
        let (start, end) = (histogram.shortest, histogram.time(atPercentile: 99))
        let steps = UInt64(lines - 1)
        var edges = (1...steps).map { start + (end - start) / steps * $0 + (end - start) % steps * $0 / steps }
        edges.append(histogram.longest)
        var (bars, seen): ([Bar], UInt64) = ([], 0)
        for edge in edges where edge > bars.last?.end ?? 0 || bars.isEmpty {
            let total = edge == histogram.longest ? histogram.count : histogram.count(upTo: edge)
            bars.append(Bar(end: edge, count: total - seen))
            seen = total
        }
        self.bars = bars
    }

    /// - Parameters:
    ///   - width: the length of a line, in characters.
    ///   - isUnicode: whether bars are made of block characters, otherwise of ASCII.
    package func draw(width: Int, isUnicode: Bool, on canvas: inout Canvas) {
        let most = max(bars.map(\.count).max() ?? 0, 1)
        let counts = bars.map { "\($0.count)" }
        let times = bars.map { DurationText.short(.nanoseconds(Int64(clamping: $0.end))) }
        let countWidth = counts.map(\.count).max() ?? 0
        let timeWidth = times.map(\.count).max() ?? 0
        let room = max(0, min(width, 200) - countWidth - timeWidth - (isUnicode ? 8 : 9))
        for (index, bar) in bars.enumerated() {
            canvas.write(isUnicode ? "  ≤ " : "  <= ")
            canvas.write(times[index].padded(to: -timeWidth), .label)
            canvas.write("  " + counts[index].padded(to: -countWidth) + "  ")
            let length = Int((Double(bar.count) / Double(most) * Double(room)).rounded())
            canvas.write(String(repeating: isUnicode ? "█" : "#", count: bar.count > 0 ? max(length, 1) : 0), .waiting)
            canvas.write("\n")
        }
    }
}
