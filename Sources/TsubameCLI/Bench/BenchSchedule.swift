// BenchSchedule: decides when each request of a load is due, and when the load ends.

import TsubamePlatform

/// A pure value: it reads no clock, and sends nothing.
///
/// Without a rate, a request is due as soon as a stream is free. With a rate, requests are due at equal distances from the
/// start, whether the server keeps up or not. A request that waited for a stream was due earlier than it was sent, and its
/// latency counts from when it was due. Otherwise a stall of the server would delay the requests that measure it, and
/// hide itself (Gil Tene's coordinated omission).
struct BenchSchedule: Sendable {
    /// A request to be sent.
    struct Slot: Sendable {
        /// Counted from 0, with the requests of the warm-up.
        let index: Int
        let due: MonotonicTime
        /// Whether its result counts. It does not during the warm-up.
        let isMeasured: Bool
    }

    /// The number of measured requests; nil for no limit.
    let requests: Int?
    /// The time of measuring, in nanoseconds; nil for no limit.
    let duration: UInt64?
    /// Requests a second, for all streams together; nil for as many as the server answers.
    let rate: Double?
    /// In nanoseconds.
    let warmUp: UInt64
    let start: MonotonicTime
    private var index = 0
    private var measured = 0

    init(requests: Int?, duration: UInt64?, rate: Double?, warmUp: UInt64, start: MonotonicTime) {
        self.requests = requests
        self.duration = duration
        self.rate = rate
        self.warmUp = warmUp
        self.start = start
    }

    /// When measuring begins.
    var measuring: MonotonicTime { start + warmUp }

    /// When the load ends at the latest; nil for no limit.
    var end: MonotonicTime? { duration.map { measuring + $0 } }

    /// The next request; nil when the load has ended.
    mutating func next(_ now: MonotonicTime) -> Slot? {
        let due = dueTime(index) ?? now
        if let end, now >= end || due >= end { return nil }
        let isMeasured = due >= measuring
        if isMeasured, let requests, measured >= requests { return nil }
        defer {
            index += 1
            if isMeasured { measured += 1 }
        }
        return Slot(index: index, due: due, isMeasured: isMeasured)
    }

    /// Takes back a request that was not sent, because the load ended before it was due.
    mutating func giveBack(_ slot: Slot) {
        index -= 1
        if slot.isMeasured { measured -= 1 }
    }

    /// When the first request was due that counts and was not sent; nil without a rate.
    var nextDue: MonotonicTime? { dueTime(max(index, warmUpCount)) }

    /// The number of requests that are due during the warm-up.
    private var warmUpCount: Int { rate.map { Int(min((Double(warmUp) / 1e9 * $0).rounded(.up), 1e18)) } ?? 0 }

    /// How many of the wanted number of requests have not begun.
    var unbegun: Int { requests.map { max(0, $0 - measured) } ?? 0 }

    /// How many requests that count were due by this time and were not sent, because every connection was busy.
    func missed(_ now: MonotonicTime) -> Int {
        guard let rate else { return 0 }
        let last = end.map { min($0, now) } ?? now
        guard last > start else { return 0 }
        var due = Int(min((Double(last - start) / 1e9 * rate).rounded(.up), 1e18))
        let first = max(index, warmUpCount)
        if let requests { due = min(due, first - measured + requests) }
        return max(0, due - first)
    }

    private func dueTime(_ index: Int) -> MonotonicTime? {
        // 30 years are later than any end.
        rate.map { start + UInt64(min(Double(index) / $0 * 1e9, 1e18)) }
    }
}
