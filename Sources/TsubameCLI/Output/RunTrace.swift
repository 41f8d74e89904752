// RunTrace: the traces of all calls of one run, on one time scale.

import Tsubame
import TsubamePlatform
import TsubameTerminal

/// A download over several connections makes several calls. The first is the run's own.
struct RunTrace: Sendable {
    private struct Entry {
        let call: UInt64
        /// When the call started, counted from the start of the first.
        let offset: Duration
        var trace = CallTrace()
    }

    private var start: MonotonicTime = 0
    private var entries: [Entry] = []
    /// The bytes that a download has received. The events of a call do not count the end of a piece that it gives up.
    var savedBytes: Int64?

    mutating func take(_ event: CallEvent) {
        if entries.isEmpty { start = MonotonicClock.now }
        if !entries.contains(where: { $0.call == event.call }) {
            entries.append(Entry(call: event.call, offset: .nanoseconds(MonotonicClock.now - start)))
        }
        for index in entries.indices where entries[index].call == event.call { entries[index].trace.take(event) }
    }

    /// The trace of the run's own call.
    var first: CallTrace { entries.first?.trace ?? CallTrace() }
    var sentBytes: Int64 { entries.reduce(0) { $0 + $1.trace.sentBytes } }
    /// Body bytes received, before decoding.
    var receivedBytes: Int64 { savedBytes ?? entries.reduce(0) { $0 + $1.trace.receivedBytes } }

    /// All hops of all calls, in the order in which the calls started.
    var wholeHops: [HopTimes] {
        entries.flatMap { entry in
            entry.trace.wholeHops.map { hop in
                var hop = hop
                hop.spans = hop.spans.map { span in
                    HopTimes.Span(phase: span.phase, start: span.start + entry.offset, end: span.end + entry.offset)
                }
                return hop
            }
        }
    }
}
