// BenchLoad: sends the requests of a load, and records what comes back.

import Dispatch
import Synchronization
import Tsubame
import TsubamePlatform

/// Each stream is a task, which sends one request after the other on the event loop of its client. With HTTP/1.1, one
/// client has all connections, because many clients do not fit into the processor's caches. A client with HTTP/2 would send
/// all streams over one connection, so there each connection has a client of its own.
final class BenchLoad: Sendable {
    /// Why the load ended before its time.
    enum Stop: Sendable {
        /// By this signal.
        case interrupted(by: Int32)
        /// No request had an answer, by any stream and from any of the URLs, so there is nothing to measure.
        case noAnswer(CallError)
        /// The server does not speak HTTP/2.
        case noStreams
    }

    /// The measurements so far.
    struct Snapshot: Sendable {
        let record: BenchRecord
        /// Nanoseconds from the start of measuring; 0 during the warm-up.
        let elapsed: UInt64
        /// Requests that were due and were not sent; without a rate, those that were not sent because the load was stopped.
        let missed: Int
        let stop: Stop?
    }

    private struct State: Sendable {
        var schedule: BenchSchedule
        var record: BenchRecord
        var stop: Stop?
        var end: MonotonicTime?
        /// Set when the requests under way are given up.
        var isOver = false
        /// Whether the last answer to each request was short enough to be taken whole.
        var isShort: [Bool]
        var running: [(Stream, Task<Void, Never>)] = []
    }

    /// A client, and the way around its chain, if it has one.
    private struct Sender: Sendable {
        let client: Client
        let direct: DirectSender?
    }

    /// One stream. The end of the load cancels its call, because cancelling its task does not cancel a direct call.
    private final class Stream: Sendable {
        let sender: Sender
        private let state = Mutex<(call: Call?, isOver: Bool)>((nil, false))

        init(_ sender: Sender) { self.sender = sender }

        /// Keeps the call, so that the end of the load cancels it.
        func begin(_ call: Call) -> Call {
            let isOver = state.withLock { state in
                state.call = call
                return state.isOver
            }
            if isOver { call.cancel() }
            return call
        }

        func cancel() {
            let call = state.withLock { state in
                state.isOver = true
                return state.call
            }
            call?.cancel()
        }
    }

    /// The most bytes of a short body. A body that grows to more than ``wholeBytes`` from one answer to the next fails.
    private static let shortBytes = 64 << 10
    /// The most bytes of a body that is taken whole. The clients of a load have this limit.
    static let wholeBytes = 16 << 20
    /// A request that is due sooner than this is sent at once, because timers are no more exact.
    private static let timerTolerance: UInt64 = 100_000
    /// How long a stream pauses after a failed request, in milliseconds, so that a dead server is not flooded.
    private static let pause = 10

    private let requests: [Request]
    /// The requests that need no run of the chain, which costs a third of a short request's time.
    private let direct: [DirectSender.Prepared?]
    private let senders: [Sender]
    private let streams: Int
    private let isHTTP2: Bool
    private let state: Mutex<State>
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - requests: sent in turn.
    ///   - streams: how many requests each client has under way at once.
    ///   - isHTTP2: whether the load ends at once if the server speaks another version.
    init(_ requests: [Request], by clients: [Client], streams: Int, isHTTP2: Bool, schedule: BenchSchedule) {
        self.requests = requests
        let senders = clients.map { Sender(client: $0, direct: DirectSender($0)) }
        self.senders = senders
        // An invalid request fails when it is sent, as any other does.
        direct = requests.map { try? senders.first?.direct?.prepared($0) }
        self.streams = streams
        self.isHTTP2 = isHTTP2
        state = Mutex(
            State(
                schedule: schedule, record: BenchRecord(hasRate: schedule.rate != nil),
                isShort: Array(repeating: false, count: requests.count)))
    }

    /// Starts all streams, and returns at once.
    func start() {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for sender in senders {
                    for _ in 0..<streams { group.addTask { await self.run(Stream(sender)) } }
                }
                let end = state.withLock { $0.schedule.end }
                if let end {
                    group.addTask {
                        await Self.sleep(until: end)
                        self.cancel()
                    }
                }
                for _ in 0..<senders.count * streams { await group.next() }
                group.cancelAll()
            }
            state.withLock { $0.end = MonotonicClock.now }
            hasEnded.signal()
        }
    }

    /// Whether the load ends within this time.
    func ends(within milliseconds: Int) -> Bool {
        guard hasEnded.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
        hasEnded.signal()
        return true
    }

    func stop(_ reason: Stop) {
        state.withLock { state in if state.stop == nil { state.stop = reason } }
        cancel()
    }

    var snapshot: Snapshot {
        state.withLock { state in
            let now = state.end ?? MonotonicClock.now
            let end = state.schedule.end.map { min($0, now) } ?? now
            let begin = state.schedule.measuring
            let missed = state.schedule.missed(now)
            var record = state.record
            if missed > 0, let oldest = state.schedule.nextDue, oldest < end {
                record.addMissed(missed, oldest: end - oldest)
            }
            return Snapshot(
                record: record, elapsed: end > begin ? end - begin : 0,
                missed: state.schedule.rate == nil && state.stop != nil ? state.schedule.unbegun : missed,
                stop: state.stop)
        }
    }

    /// The requests under way are given up, and each stream ends.
    private func cancel() {
        let running = state.withLock { state in
            state.isOver = true
            return state.running
        }
        for (stream, task) in running {
            task.cancel()
            stream.cancel()
        }
    }

    private func run(_ stream: Stream) async {
        let task = Task(executorPreference: stream.sender.client.executor) { await self.send(by: stream) }
        let isOver = state.withLock { state in
            state.running.append((stream, task))
            return state.isOver
        }
        if isOver {
            task.cancel()
            stream.cancel()
        }
        await task.value
    }

    private func send(by stream: Stream) async {
        var next = state.withLock { Self.next(&$0) }
        var isFirst = true
        while let (slot, isShort) = next {
            var begun = MonotonicClock.now
            let hasWaited = slot.due > begun + Self.timerTolerance
            if hasWaited {
                await Self.sleep(until: slot.due)
                begun = MonotonicClock.now
            }
            if Task.isCancelled {
                state.withLock { $0.schedule.giveBack(slot) }
                break
            }
            let outcome = await outcome(of: slot, isShort: isShort, by: stream)
            next = finish(
                BenchSample(
                    slot: slot, begun: begun, end: MonotonicClock.now, outcome: outcome, hasWaited: hasWaited,
                    isFirst: isFirst))
            isFirst = false
            guard case .failure = outcome else { continue }
            try? await Task.sleep(for: .milliseconds(Self.pause))
            next = state.withLock { Self.next(&$0) }
        }
    }

    private static func next(_ state: inout State) -> (slot: BenchSchedule.Slot, isShort: Bool)? {
        guard state.stop == nil, !state.isOver, let slot = state.schedule.next(MonotonicClock.now) else { return nil }
        return (slot, state.isShort[slot.index % state.isShort.count])
    }

    /// Sends a request. A short body is taken whole, because this needs fewer bytes for each call, and many calls at once
    /// then still fit into the processor's caches.
    /// - Parameter isShort: whether the last answer to this request was short.
    private func outcome(
        of slot: BenchSchedule.Slot, isShort: Bool, by stream: Stream
    ) async -> BenchSample.Outcome {
        let index = slot.index % requests.count
        do {
            if isShort {
                let response: Response
                if let request = direct[index], let sender = stream.sender.direct {
                    response = try await sender.send(stream.begin(sender.makeCall(request)))
                } else {
                    response = try await stream.sender.client.send(requests[index])
                }
                return .answer(BenchSample.Answer(response, bytes: response.bytes.count))
            }
            return .answer(try await Self.streamed(requests[index], by: stream.sender.client))
        } catch let error as CallError {
            return error.kind == .cancelled ? .unfinished : .failure(error)
        } catch {
            return .unfinished
        }
    }

    private static func streamed(_ request: Request, by client: Client) async throws -> BenchSample.Answer {
        try await client.stream(request) { response in
            var bytes = 0
            for try await piece in response.body { bytes += piece.count }
            return BenchSample.Answer(response, bytes: bytes)
        }
    }

    /// Records the result.
    /// - Returns: the stream's next request; nil if the load has ended, or if the stream pauses first.
    private func finish(_ sample: BenchSample) -> (slot: BenchSchedule.Slot, isShort: Bool)? {
        var reason: Stop?
        let next: (slot: BenchSchedule.Slot, isShort: Bool)? = state.withLock { state in
            state.record.add(sample)
            reason = self.reason(to: state.record, after: sample)
            guard case .answer(let answer) = sample.outcome, reason == nil else { return nil }
            state.isShort[sample.slot.index % state.isShort.count] = answer.bytes <= Self.shortBytes
            return Self.next(&state)
        }
        if let reason { stop(reason) }
        return next
    }

    private func reason(to record: BenchRecord, after sample: BenchSample) -> Stop? {
        switch sample.outcome {
        case .failure(let error) where !record.hasAnswer && record.firstFailures >= senders.count * streams:
            record.earlyFailures >= leastFailures(error) ? .noAnswer(error) : nil
        case .answer where isHTTP2 && (record.version ?? .http2) != .http2: .noStreams
        default: nil
        }
    }

    /// The number of failures after which no answer is expected.
    private func leastFailures(_ error: CallError) -> Int {
        // A server that breaks an exchange off may answer a later one.
        let isBroken = [.connectionLost, .emptyReply, .incompleteResponse, .invalidResponse].contains(error.kind)
        return max(requests.count, isBroken ? 10 * senders.count * streams : 0)
    }

    private static func sleep(until time: MonotonicTime) async {
        let now = MonotonicClock.now
        guard time > now else { return }
        try? await Task.sleep(for: .nanoseconds(clamping: time - now), tolerance: .zero)
    }
}
