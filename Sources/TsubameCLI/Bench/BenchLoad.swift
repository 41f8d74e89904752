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
        case interrupted
        /// Every stream's first request failed, so there is nothing to measure.
        case noAnswer(CallError)
        /// The server does not speak HTTP/2.
        case noStreams
    }

    /// The measurements so far.
    struct Snapshot: Sendable {
        let record: BenchRecord
        /// Nanoseconds from the start of measuring; 0 during the warm-up.
        let elapsed: UInt64
        let missed: Int
        let stop: Stop?
    }

    private struct State: Sendable {
        var schedule: BenchSchedule
        var record = BenchRecord()
        var stop: Stop?
        var end: MonotonicTime?
        var tasks: [Task<Void, Never>] = []
    }

    /// The most bytes of a body that is taken whole. The clients of a load have this limit.
    static let wholeBytes = 64 << 10
    /// A request that is due sooner than this is sent at once, because timers are no more exact.
    private static let timerTolerance: UInt64 = 100_000
    /// How long a stream pauses after a failed request, in milliseconds, so that a dead server is not flooded.
    private static let pause = 10

    private let requests: [Request]
    private let clients: [Client]
    private let streams: Int
    private let isHTTP2: Bool
    private let state: Mutex<State>
    private let takesWhole = Atomic(true)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - requests: sent in turn.
    ///   - streams: how many requests each client has under way at once.
    ///   - isHTTP2: whether the load ends at once if the server speaks another version.
    init(_ requests: [Request], by clients: [Client], streams: Int, isHTTP2: Bool, schedule: BenchSchedule) {
        self.requests = requests
        self.clients = clients
        self.streams = streams
        self.isHTTP2 = isHTTP2
        state = Mutex(State(schedule: schedule))
    }

    /// Starts all streams, and returns at once.
    func start() {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for client in clients {
                    for _ in 0..<streams { group.addTask { await self.run(client) } }
                }
                let end = state.withLock { $0.schedule.end }
                if let end {
                    group.addTask {
                        await Self.sleep(until: end)
                        self.cancel()
                    }
                }
                for _ in 0..<clients.count * streams { await group.next() }
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
            return Snapshot(
                record: state.record, elapsed: end > begin ? end - begin : 0, missed: state.schedule.missed(now),
                stop: state.stop)
        }
    }

    /// The requests under way are given up, and each stream ends.
    private func cancel() { state.withLock { $0.tasks }.forEach { $0.cancel() } }

    private func run(_ client: Client) async {
        let task = Task(executorPreference: client.executor) { await self.send(by: client) }
        let isOver = state.withLock { state in
            state.tasks.append(task)
            return state.stop != nil
        }
        if isOver { task.cancel() }
        await task.value
    }

    /// One stream.
    private func send(by client: Client) async {
        var slot = state.withLock { $0.stop == nil ? $0.schedule.next(MonotonicClock.now) : nil }
        while let current = slot {
            let hasWaited = current.due > MonotonicClock.now + Self.timerTolerance
            if hasWaited { await Self.sleep(until: current.due) }
            if Task.isCancelled { break }
            let sample = await sample(of: current, by: client, hasWaited: hasWaited)
            slot = finish(sample)
            if case .failure = sample.outcome, slot != nil { try? await Task.sleep(for: .milliseconds(Self.pause)) }
        }
    }

    private func sample(
        of slot: BenchSchedule.Slot, by client: Client, hasWaited: Bool
    ) async -> BenchSample {
        let request = requests[slot.index % requests.count]
        var begun = MonotonicClock.now
        let outcome: BenchSample.Outcome
        do {
            if takesWhole.load(ordering: .relaxed), let answer = try await whole(request, by: client) {
                outcome = .answer(answer)
            } else {
                begun = MonotonicClock.now
                outcome = .answer(try await Self.streamed(request, by: client))
            }
        } catch let error as CallError {
            outcome = error.kind == .cancelled ? .unfinished : .failure(error)
        } catch {
            outcome = .unfinished
        }
        return BenchSample(
            slot: slot, begun: begun, end: MonotonicClock.now, outcome: outcome, hasWaited: hasWaited)
    }

    /// Records the result.
    /// - Returns: the stream's next request; nil if the load has ended.
    private func finish(_ sample: BenchSample) -> BenchSchedule.Slot? {
        var reason: Stop?
        let slot: BenchSchedule.Slot? = state.withLock { state in
            state.record.add(sample)
            reason = self.reason(to: state.record, after: sample)
            return reason == nil && state.stop == nil ? state.schedule.next(sample.end) : nil
        }
        if let reason { stop(reason) }
        return slot
    }

    private func reason(to record: BenchRecord, after sample: BenchSample) -> Stop? {
        switch sample.outcome {
        case .failure(let error) where !record.hasAnswer && record.firstFailures >= clients.count * streams:
            .noAnswer(error)
        case .answer where isHTTP2 && (record.version ?? .http2) != .http2: .noStreams
        default: nil
        }
    }

    /// Small bodies are taken whole, because this needs fewer bytes for each call, and many calls at once then still fit into
    /// the processor's caches. After the first long body, all are read as streams.
    /// - Returns: nil if the body is too long to be taken whole.
    private func whole(_ request: Request, by client: Client) async throws(CallError) -> BenchSample.Answer? {
        do throws(CallError) {
            let response = try await client.send(request)
            return BenchSample.Answer(response, bytes: response.bytes.count)
        } catch {
            guard error.kind == .limitExceeded, error.phase == .receivingBody else { throw error }
            takesWhole.store(false, ordering: .relaxed)
            return nil
        }
    }

    private static func streamed(_ request: Request, by client: Client) async throws -> BenchSample.Answer {
        try await client.stream(request) { response in
            var bytes = 0
            for try await piece in response.body { bytes += piece.count }
            return BenchSample.Answer(response, bytes: bytes)
        }
    }

    private static func sleep(until time: MonotonicTime) async {
        let now = MonotonicClock.now
        guard time > now else { return }
        try? await Task.sleep(for: .nanoseconds(clamping: time - now), tolerance: .zero)
    }
}
