// BenchRecord: everything that a load has measured so far.

import Tsubame
import TsubamePlatform
import TsubameTerminal

/// The result of one request of a load.
struct BenchSample: Sendable {
    enum Outcome: Sendable {
        case answer(Answer)
        case failure(CallError)
        /// The end of the load came first.
        case unfinished
    }

    struct Answer: Sendable {
        let status: Int
        /// Of the body, after its framing.
        let bytes: Int
        let timings: Timings
        /// Whether it came over no connection, or over one that had carried another request.
        let isReused: Bool
        /// nil if the response came over no connection.
        let version: HTTPVersion?

        init(_ response: Response, bytes: Int) {
            let connection = response.connection
            status = response.statusCode
            self.bytes = bytes
            timings = response.timings
            isReused = connection?.isReused ?? true
            version = connection?.version
        }
    }

    let slot: BenchSchedule.Slot
    /// When the request was handed to the client.
    let begun: MonotonicTime
    let end: MonotonicTime
    let outcome: Outcome
    /// Whether the request waited for its time, and so began when it was due or a little later.
    let hasWaited: Bool
    /// Whether it was the first request of its stream.
    let isFirst: Bool

    /// From when it was due, in nanoseconds. One that began a little too early counts from its beginning.
    var sinceDue: UInt64 { end - min(begun, slot.due) }
}

/// The times of each phase that a load measures.
struct BenchPhases: Sendable {
    var resolving = LatencyHistogram()
    var connecting = LatencyHistogram()
    var securing = LatencyHistogram()
    var waiting = LatencyHistogram()
    var receiving = LatencyHistogram()

    /// nil if the load does not measure the phase, or has no time of it.
    subscript(_ phase: HopTimes.Phase) -> LatencyHistogram? {
        let histogram: LatencyHistogram
        switch phase {
        case .resolving: histogram = resolving
        case .connecting: histogram = connecting
        case .securing: histogram = securing
        case .waiting: histogram = waiting
        case .receiving: histogram = receiving
        case .queued, .sending: return nil
        }
        return histogram.count > 0 ? histogram : nil
    }
}

/// Memory does not grow with the number of requests.
struct BenchRecord: Sendable {
    /// How many times stand for the requests that were not sent.
    private static let missedSteps = 1000
    /// A later beginning is this machine's fault, and is reported.
    private static let lateness: UInt64 = 1_000_000

    /// Whether requests are due at a rate.
    let hasRate: Bool
    /// From when a request was due to the last byte of its response. This is the figure that users of the server see. With a
    /// rate, requests without an answer count until their timeout or the end of the load.
    private(set) var latency = LatencyHistogram()
    /// From when a request was sent. Without a rate this is ``latency``, and nothing is counted here.
    private(set) var service = LatencyHistogram()
    private(set) var phases = BenchPhases()
    private(set) var statuses: [Int: Int] = [:]
    /// Failed requests by kind, each with the first error of its kind.
    private(set) var errors: [CallError.Kind: (count: Int, first: CallError)] = [:]
    private(set) var answers = 0
    private(set) var failures = 0
    private(set) var bytes = 0
    /// Requests that were under way at the end.
    private(set) var unfinished = 0
    /// How long the oldest of them had been due, in nanoseconds.
    private(set) var longestUnfinished: UInt64 = 0
    /// Requests of the warm-up that failed, or that were under way at the end.
    private(set) var lostInWarmUp = 0
    /// Requests that this machine began late, though a stream was free.
    private(set) var late = 0
    private(set) var version: HTTPVersion?
    /// Answers and failures of the whole run, with the warm-up.
    private(set) var hasAnswer = false
    /// The streams whose first request failed, and all failures before the first answer.
    private(set) var firstFailures = 0
    private(set) var earlyFailures = 0

    init(hasRate: Bool = false) { self.hasRate = hasRate }

    mutating func add(_ sample: BenchSample) {
        if !hasAnswer { note(sample) }
        guard sample.slot.isMeasured else {
            if case .answer = sample.outcome {} else { lostInWarmUp += 1 }
            return
        }
        switch sample.outcome {
        case .answer(let answer): add(answer, sample)
        case .failure(let error):
            failures += 1
            errors[error.kind, default: (0, error)].count += 1
            // Otherwise a shorter timeout would make a server that stalls look better.
            if hasRate, error.kind == .timeout { latency.add(sample.sinceDue) }
        case .unfinished:
            unfinished += 1
            longestUnfinished = max(longestUnfinished, sample.sinceDue)
            if hasRate { latency.add(sample.sinceDue) }
        }
    }

    /// Counts requests that were due and not sent, evenly from the oldest to none. Their latencies are at least as long.
    mutating func addMissed(_ count: Int, oldest: UInt64) {
        let steps = min(count, Self.missedSteps)
        for step in 0..<steps {
            let share = count / steps + (step < count % steps ? 1 : 0)
            latency.add(oldest / UInt64(steps) * UInt64(step + 1), times: UInt64(share))
        }
    }

    /// Before the first answer, failures say whether the run makes sense.
    private mutating func note(_ sample: BenchSample) {
        switch sample.outcome {
        case .answer(let answer):
            hasAnswer = true
            version = answer.version
        case .failure:
            earlyFailures += 1
            if sample.isFirst { firstFailures += 1 }
        case .unfinished: break
        }
    }

    private mutating func add(_ answer: BenchSample.Answer, _ sample: BenchSample) {
        answers += 1
        bytes += answer.bytes
        statuses[answer.status, default: 0] += 1
        let own = sample.end - sample.begun
        if hasRate { service.add(own) }
        // A timer that rang late says nothing about the server.
        latency.add(sample.hasWaited ? own : sample.sinceDue)
        if sample.hasWaited, sample.begun > sample.slot.due + Self.lateness { late += 1 }
        add(answer.timings, own, isReused: answer.isReused)
    }

    private mutating func add(_ timings: Timings, _ total: UInt64, isReused: Bool) {
        // A step that was not done has the time 0.
        var before = timings.start
        func step(_ phase: inout LatencyHistogram, _ end: MonotonicTime) {
            guard end > 0, end >= before else { return }
            phase.add(end - before)
            before = end
        }
        if !isReused {
            step(&phases.resolving, timings.resolvedAt)
            step(&phases.connecting, timings.connectedAt)
            step(&phases.securing, timings.securedAt)
        }
        before = max(before, timings.sentAt)
        step(&phases.waiting, timings.headAt)
        step(&phases.receiving, timings.start + total)
    }
}

extension CallError.Kind {
    /// The kind in words, such as `connection failed`.
    var shown: String {
        rawValue.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
    }
}
