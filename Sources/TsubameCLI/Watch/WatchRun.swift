// WatchRun: sends one request again and again, until its answer changes.

import Dispatch
import Synchronization
import Tsubame
import TsubamePlatform

/// The part of an answer that is compared with the first one.
enum WatchedAnswer: Sendable, Equatable {
    /// The hash stands for the body, so that a long body needs no memory.
    /// Nil if only the status is compared.
    case answer(status: Int, bytes: Int?, hash: Int)
    case failure(CallError.Kind)

    /// Such as `200, 34 bytes` or `connection failed`.
    var shown: String {
        switch self {
        case .answer(let status, let bytes, _): bytes.map { "\(status), \($0) bytes" } ?? "\(status)"
        case .failure(let kind): kind.shown
        }
    }
}

/// Each request has a client of its own, so that each looks the name up and connects, as a new user would.
final class WatchRun: Sendable {
    /// The end of the run.
    enum End: Sendable {
        case changed(from: WatchedAnswer, to: WatchedAnswer)
        /// `--checks` or `--duration` came first.
        case unchanged
        case interrupted(by: Int32)
    }

    /// The measurements so far.
    struct Snapshot: Sendable {
        var count = 0
        var last: WatchedAnswer?
        var lastError: CallError?
        /// By the address of the server; without an answer there is none.
        var records: [String: BenchRecord] = [:]
        var end: End?
    }

    /// Further addresses are counted together, so that the memory has a bound.
    private static let mostAddresses = 32

    private let request: Request
    private let options: WatchOptions
    private let makeClient: @Sendable () -> Client
    private let state = Mutex(Snapshot())
    private let hasEnded = DispatchSemaphore(value: 0)
    private let task = Mutex<Task<Void, Never>?>(nil)
    /// Why the run was stopped from outside.
    private let stopped = Mutex<End?>(nil)

    init(_ request: Request, _ options: WatchOptions, makeClient: @escaping @Sendable () -> Client) {
        self.request = request
        self.options = options
        self.makeClient = makeClient
    }

    func start() {
        let started = Task {
            let end = await run()
            state.withLock { $0.end = end }
            hasEnded.signal()
        }
        task.withLock { $0 = started }
        // A signal may have come before.
        if stopped.withLock({ $0 }) != nil { started.cancel() }
        guard let duration = options.duration else { return }
        Task {
            try? await Task.sleep(for: .nanoseconds(clamping: duration.nanoseconds))
            stop(.unchanged)
        }
    }

    /// Gives up the request under way.
    func stop(_ end: End) {
        stopped.withLock { stopped in if stopped == nil { stopped = end } }
        task.withLock { $0 }?.cancel()
    }

    /// Whether the run ends within this time.
    func ends(within milliseconds: Int) -> Bool {
        guard hasEnded.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
        hasEnded.signal()
        return true
    }

    var snapshot: Snapshot { state.withLock { $0 } }

    private func run() async -> End {
        var first: WatchedAnswer?
        var index = 0
        while true {
            let due = MonotonicClock.now
            let answer = await check(BenchSchedule.Slot(index: index, due: due, isMeasured: true))
            guard let answer else { break }
            if let first, answer != first { return .changed(from: first, to: answer) }
            first = answer
            index += 1
            if index == options.checks { return .unchanged }
            let next = due + options.interval.nanoseconds
            let now = MonotonicClock.now
            if next > now { try? await Task.sleep(for: .nanoseconds(clamping: next - now)) }
            if Task.isCancelled { break }
        }
        return stopped.withLock { $0 } ?? .unchanged
    }

    /// - Returns: nil if the run was stopped first.
    private func check(_ slot: BenchSchedule.Slot) async -> WatchedAnswer? {
        let client = makeClient()
        let comparesBody = options.compared == .body
        var (answer, error): (WatchedAnswer, CallError?)
        var measured: (answer: BenchSample.Answer, address: String)?
        do {
            let found = try await client.stream(request) { response in
                var (bytes, hasher) = (0, Hasher())
                for try await piece in response.body {
                    bytes += piece.count
                    if comparesBody { piece.withUnsafeBytes { hasher.combine(bytes: $0) } }
                }
                let hash = comparesBody ? hasher.finalize() : 0
                return (
                    WatchedAnswer.answer(status: response.statusCode, bytes: comparesBody ? bytes : nil, hash: hash),
                    (BenchSample.Answer(response, bytes: bytes), response.connection?.remoteAddress ?? "")
                )
            }
            (answer, error, measured) = (found.0, nil, found.1)
        } catch let failure {
            let failure = failure as? CallError
            (answer, error, measured) = (.failure(failure?.kind ?? .interceptor), failure, nil)
        }
        let end = MonotonicClock.now
        await client.close()
        if Task.isCancelled { return nil }
        let (last, lastError, kept) = (answer, error, measured)
        state.withLock { state in
            state.count += 1
            (state.last, state.lastError) = (last, lastError)
            guard let kept else { return }
            var address = kept.address
            if state.records[address] == nil, state.records.count >= Self.mostAddresses { address = "other addresses" }
            state.records[address, default: BenchRecord()].add(
                BenchSample(
                    slot: slot, begun: slot.due, end: end, outcome: .answer(kept.answer), hasWaited: false,
                    isFirst: false))
        }
        return answer
    }
}
