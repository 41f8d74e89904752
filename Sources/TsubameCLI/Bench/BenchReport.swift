// BenchReport: the figures of a load, as text, JSON or CSV.

import Tsubame
import TsubameRequestFiles
import TsubameTerminal

struct BenchReport: Sendable {
    private static let percentiles = [50, 75, 90, 95, 99, 99.9, 99.99]

    let record: BenchRecord
    /// Seconds.
    private let elapsed: Double
    /// Seconds for which the requests are enough. With a rate, the turn of the last one lasts until the next would be due.
    private let span: Double
    private let missed: Int
    private let isInterrupted: Bool
    /// Method and URL, or the number of URLs.
    let target: String
    let connections: Int
    let streams: Int
    let rate: Double?

    init(_ snapshot: BenchLoad.Snapshot, target: String, _ options: BenchOptions) {
        record = snapshot.record
        missed = snapshot.missed
        let elapsed = Double(snapshot.elapsed) / 1e9
        self.elapsed = elapsed
        let due = record.answers + record.failures + record.unfinished + missed
        span = options.rate.map { max(elapsed, Double(due) / $0) } ?? elapsed
        if case .interrupted = snapshot.stop { isInterrupted = true } else { isInterrupted = false }
        self.target = target
        (connections, streams, rate) = (options.connections, options.streams ?? 1, options.rate)
    }

    /// Requests a second that were answered.
    var requestsPerSecond: Double { span > 0 ? Double(record.answers) / span : 0 }

    /// The latency first. Without a rate, the time from sending is the same, and has no row.
    private var rows: [LatencyTable.Row] { LatencyTable.rows(of: record, hasRate: rate != nil) }

    // MARK: Text

    func paint(width: Int, isUnicode: Bool, on canvas: inout Canvas) {
        canvas.write(target, .target)
        canvas.write("\n")
        var load = CountText.of(connections, "connection")
        if streams > 1 { load += " of \(streams) streams" }
        if let version = record.version { load += ", \(version)" }
        load += ", \(Self.rounded(elapsed)) s"
        if let rate { load += ", \(Self.rounded(rate)) requests/s asked for" }
        canvas.write("\(load)\n\n")
        let bytesPerSecond = span > 0 ? Int64(Double(record.bytes) / span) : 0
        line("Requests", "\(record.answers) (\(Self.rounded(requestsPerSecond))/s)", on: &canvas)
        line("Bodies", "\(ByteCount.text(Int64(record.bytes))) (\(ByteCount.text(bytesPerSecond))/s)", on: &canvas)
        if !record.statuses.isEmpty {
            canvas.write("Statuses    ", .label)
            for (index, entry) in record.statuses.sorted(by: { $0.key < $1.key }).enumerated() {
                canvas.write(index > 0 ? ", " : "")
                canvas.write("\(entry.key)", .status(entry.key))
                canvas.write(": \(entry.value)")
            }
            canvas.write("\n")
        }
        for entry in sortedErrors {
            line(
                "Failed", "\(entry.count) \(entry.kind.shown); the first: \(FlagNames.text(of: entry.first))",
                on: &canvas)
        }
        for note in notes { line("Note", note, on: &canvas) }
        guard record.answers > 0 else { return }
        canvas.write("\n")
        LatencyTable(rows: rows).paint(on: &canvas)
        canvas.write("\nlatency", .label)
        canvas.write(", by number of requests\n")
        LatencyChart(record.latency).draw(width: width, isUnicode: isUnicode, on: &canvas)
    }

    private func line(_ label: String, _ text: String, on canvas: inout Canvas) {
        canvas.write(label.padded(to: 12), .label)
        canvas.write("\(Canvas.visible(text))\n")
    }

    private var sortedErrors: [(kind: CallError.Kind, count: Int, first: CallError)] {
        record.errors.map { ($0.key, $0.value.count, $0.value.first) }
            .sorted { ($1.count, $0.kind.rawValue) < ($0.count, $1.kind.rawValue) }
    }

    /// The first error of the kind that came most often.
    var firstError: CallError? { sortedErrors.first?.first }

    /// Everything that makes the figures less than they seem.
    private var notes: [String] {
        var notes: [String] = []
        if isInterrupted { notes.append("the load was interrupted") }
        if record.unfinished > 0 {
            let longest = DurationText.short(.nanoseconds(Int64(clamping: record.longestUnfinished)))
            notes.append("\(Self.requests(record.unfinished)) had no answer at the end, the oldest for \(longest)")
        }
        if record.lostInWarmUp > 0 {
            notes.append("in the warm-up, \(Self.requests(record.lostInWarmUp)) had no answer, and none of them counts")
        }
        if missed > 0 {
            notes.append(
                record.hasRate
                    ? "no connection was free in time for \(Self.requests(missed))"
                    : "the load ended early, and did not send \(Self.requests(missed))")
        }
        if record.hasRate, record.unfinished + missed > 0 {
            notes.append("the latency counts these until the end, so it is at least as long as shown")
        }
        if record.hasRate, record.errors[.timeout] != nil {
            notes.append("the latency counts a timeout as an answer, so it is at least as long as shown")
        }
        if record.late > 0 {
            notes.append(
                "\(Self.requests(record.late)) began over 1 ms late, because this machine was busy; the latency counts from then"
            )
        }
        return notes
    }

    private static func requests(_ number: Int) -> String { CountText.of(number, "request") }

    private static func rounded(_ number: Double) -> String {
        guard number < 1e15 else { return "\(number)" }
        let hundredths = Int64((number * 100).rounded())
        guard hundredths % 100 != 0 else { return "\(hundredths / 100)" }
        let fraction = hundredths % 100
        return "\(hundredths / 100)."
            + (fraction % 10 == 0 ? "\(fraction / 10)" : fraction < 10 ? "0\(fraction)" : "\(fraction)")
    }

    // MARK: JSON and CSV

    /// Times are in milliseconds.
    var json: String {
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        var members: [(name: String, value: JSONValue)] = [
            ("target", .string(target)), ("connections", number(connections)), ("streams", number(streams)),
            ("rate", rate.map { .number($0) } ?? .null),
            ("http_version", record.version.map { .string("\($0)") } ?? .null),
            ("seconds", .number(elapsed)), ("interrupted", .bool(isInterrupted)), ("requests", number(record.answers)),
            ("requests_per_second", .number(requestsPerSecond)), ("body_bytes", number(record.bytes)),
            ("failed", number(record.failures)), ("unfinished", number(record.unfinished)),
            ("not_sent", number(missed)),
            ("late", number(record.late)),
        ]
        let statuses = record.statuses.sorted { $0.key < $1.key }.map { ("\($0.key)", number($0.value)) }
        members.append(("statuses", .object(statuses)))
        let errors = sortedErrors.map { entry in
            JSONValue.object([
                ("kind", .string(entry.kind.rawValue)), ("count", number(entry.count)),
                ("first", .string(FlagNames.text(of: entry.first))),
            ])
        }
        members.append(("errors", .array(errors)))
        members.append(("milliseconds", .object(rows.map { ($0.name, .object(figures($0.histogram))) })))
        let bars = LatencyChart(record.latency).bars.map { bar in
            JSONValue.object([("up_to", .number(Self.milliseconds(bar.end))), ("count", .number(Double(bar.count)))])
        }
        members.append(("histogram", .array(bars)))
        return JSONValue.object(members).indentedText + "\n"
    }

    /// One line for the latency, for each phase, status and kind of error, for each count of requests without an answer, and
    /// for the requests a second. Times are in milliseconds.
    var csv: String {
        let rows = rows
        let names = figures(LatencyHistogram()).map(\.name)
        var lines = rows.map { row in
            let figures = figures(row.histogram).map { row.histogram.count > 0 ? $0.value.compactText : "" }
            return ([row.name, "\(row.histogram.count)"] + figures.dropFirst()).joined(separator: ",")
        }
        var counts = record.statuses.sorted { $0.key < $1.key }.map { ("status \($0.key)", "\($0.value)") }
        counts += sortedErrors.map { ("error \($0.kind.rawValue)", "\($0.count)") }
        counts += [("requests a second", Self.rounded(requestsPerSecond))]
        counts += [("failed", record.failures), ("unfinished", record.unfinished), ("not sent", missed)]
            .map { ($0.0, "\($0.1)") }
        lines += counts.map { "\($0.0),\($0.1)" + String(repeating: ",", count: names.count - 1) }
        return ([(["phase"] + names).joined(separator: ",")] + lines).map { $0 + "\r\n" }.joined()
    }

    private func figures(_ histogram: LatencyHistogram) -> [(name: String, value: JSONValue)] {
        let times: [(String, UInt64)] =
            [("min", histogram.shortest), ("mean", histogram.mean)]
            + Self.percentiles.map { ("p\(Self.rounded($0))", histogram.time(atPercentile: $0)) }
            + [("max", histogram.longest)]
        return [("count", .number(Double(histogram.count)))]
            + times.map { (name: $0.0, value: histogram.count > 0 ? .number(Self.milliseconds($0.1)) : .null) }
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds / 100) / 10_000 }
}
