// LatencyTable: percentiles of the latency and of each phase.

import TsubameTerminal

struct LatencyTable: Sendable {
    struct Row: Sendable {
        let name: String
        let histogram: LatencyHistogram
    }

    private static let columns: [(name: String, percent: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9),
    ]

    let rows: [Row]

    /// The latency first. Without a rate, the time from sending is the same, and has no row.
    static func rows(of record: BenchRecord, hasRate: Bool) -> [Row] {
        var rows = [Row(name: "latency", histogram: record.latency)]
        if hasRate { rows.append(Row(name: "from sending", histogram: record.service)) }
        for phase in HopTimes.Phase.allCases {
            if let histogram = record.phases[phase] { rows.append(Row(name: phase.rawValue, histogram: histogram)) }
        }
        return rows
    }

    func paint(on canvas: inout Canvas) {
        canvas.write("".padded(to: 12))
        for name in Self.columns.map(\.name) + ["max", "mean"] { canvas.write(name.padded(to: -11), .label) }
        canvas.write("\n")
        for row in rows {
            canvas.write(row.name.padded(to: 12), .label)
            let times = Self.columns.map { row.histogram.time(atPercentile: $0.percent) }
            for time in times + [row.histogram.longest, row.histogram.mean] {
                canvas.write(DurationText.short(.nanoseconds(Int64(clamping: time))).padded(to: -11))
            }
            canvas.write("\n")
        }
    }
}
