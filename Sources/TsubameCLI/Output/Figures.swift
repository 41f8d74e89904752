// Figures: the figures of a finished call, one a line.

import Tsubame
import TsubameTerminal

/// The lines that `-m` prints: times, connection, bytes.
struct Figures {
    private let lines: [(label: String, value: String)]

    init(_ trace: CallTrace) {
        let connection = trace.connection
        var lines = [("Elapsed time", DurationText.seconds(trace.end))]
        if let version = trace.version { lines.append(("HTTP version", version)) }
        if let connection {
            lines.append(("Address", connection.remoteAddress))
            if let proxy = connection.proxy { lines.append(("Proxy", proxy)) }
            lines.append(("Connection", connection.isReused ? "reused" : "new"))
            if let tls = connection.tls { lines.append(("TLS", tls.version)) }
        }
        if let status = trace.cacheStatus { lines.append(("Cache", status)) }
        let hops = trace.wholeHops
        if hops.count > 1 { lines.append(("Exchanges", "\(hops.count)")) }
        lines.append(("Sent", "\(trace.sentBytes) bytes"))
        lines.append(("Received", "\(trace.receivedBytes) bytes"))
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
