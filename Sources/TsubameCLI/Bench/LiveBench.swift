// LiveBench: the figures of a running load, as lines at the foot of a terminal.

import TsubameTerminal

struct LiveBench: Sendable {
    /// The most lines of the chart.
    private static let chartLines = 10

    private let report: BenchReport
    private let seconds: Double

    init(_ snapshot: BenchLoad.Snapshot, _ target: String, _ options: BenchOptions) {
        report = BenchReport(snapshot, target: target, options)
        seconds = Double(snapshot.elapsed) / 1e9
    }

    /// - Returns: the number of lines.
    func paint(_ size: OutputWidth, isUnicode: Bool, on canvas: inout Canvas) -> Int {
        let record = report.record
        var lines: [(label: String, text: String)] = []
        let rate = Int(report.requestsPerSecond.rounded())
        lines.append(
            ("\(Int(seconds)) s", seconds > 0 ? "\(CountText.of(record.answers, "request")), \(rate)/s" : "warming up"))
        let percentiles = [50, 90, 99, 99.9].map { percent in
            let time = record.latency.time(atPercentile: percent)
            let name = percent == 99.9 ? "99.9" : "\(Int(percent))"
            return "p\(name) \(DurationText.short(.nanoseconds(Int64(clamping: time))))"
        }
        if record.answers > 0 { lines.append(("latency", percentiles.joined(separator: "  "))) }
        for (kind, entry) in record.errors.sorted(by: { $0.value.count > $1.value.count }).prefix(3) {
            lines.append(("failed", "\(entry.count): \(kind.shown)"))
        }
        for (index, line) in lines.enumerated() {
            if index > 0 { canvas.write("\n") }
            canvas.write(line.label.padded(to: 9), .label)
            // A line that wraps could not be removed again.
            canvas.write(line.text.prefix(max(0, size.columns - 10)))
        }
        let room = min(Self.chartLines, size.rows - lines.count - 2)
        guard record.answers > 0, room > 3, size.columns >= 40 else { return lines.count }
        let chart = LatencyChart(record.latency, lines: room)
        canvas.write("\n")
        chart.draw(width: size.columns - 1, isUnicode: isUnicode, on: &canvas)
        return lines.count + chart.bars.count + 1
    }
}
