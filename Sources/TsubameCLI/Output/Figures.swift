// Figures: the figures of a finished call, one a line.

import Tsubame
import TsubameTerminal

/// The lines that `-m` prints: times, connection, bytes.
struct Figures: Sendable {
    /// The place of a response whose call prints figures of each of its responses.
    enum Place {
        case earlier, last
    }

    private let lines: [(label: String, value: String)]

    /// - Parameter place: nil if the call prints figures only once.
    init(_ run: RunTrace, ofEach place: Place?) {
        let trace = run.first
        let connection = trace.connection
        let elapsed = place == nil ? trace.end : trace.end - trace.start
        var lines = [("Elapsed time", DurationText.seconds(elapsed))]
        if let version = trace.version { lines.append(("HTTP version", version)) }
        if let connection {
            lines.append(("Address", connection.remoteAddress))
            if let proxy = connection.proxy { lines.append(("Proxy", proxy)) }
            lines.append(("Connection", connection.isReused ? "reused" : "new"))
            if let tls = connection.tls { lines.append(("TLS", tls.version)) }
        }
        if let status = trace.cacheStatus { lines.append(("Cache", status)) }
        let hops = trace.wholeHops
        let count = run.wholeHops.count
        if count > 1, place != .earlier {
            if place == .last { lines.append(("Total time", DurationText.seconds(trace.end))) }
            lines.append(("Exchanges", "\(count)"))
        }
        lines.append(("Sent", "\(run.sentBytes) bytes"))
        lines.append(("Received", "\(run.receivedBytes) bytes"))
        let times = hops.last?.spans.map { "\($0.phase.rawValue) \(DurationText.short($0.duration))" } ?? []
        if !times.isEmpty { lines.append(("Times", times.joined(separator: ", "))) }
        self.lines = lines
    }

    func paint(on canvas: inout Canvas) {
        for (label, value) in lines {
            canvas.write(label, .label)
            canvas.write(": \(value)\n")
        }
    }
}
