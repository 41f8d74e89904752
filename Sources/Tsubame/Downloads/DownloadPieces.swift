// DownloadPieces: several ranges of a large file at once.

import HTTPTypes
import Synchronization
import TsubameCore

/// The response that is there brings the first piece; calls of their own bring the others, each on a connection of its own.
/// They only help: what a piece that fails leaves out is asked for afterwards like any other rest, and if the server's answers do
/// not agree with each other, the first response is read on to its end.
final class DownloadPieces: Sendable {
    private static let maximumConnections = 16

    private struct State: Sendable {
        /// Where the first response stops.
        var limit: Int64
        /// Some answer was not of the same version, or no range.
        var disagrees = false
        var isCancelled = false
        var failure: CallError?
        var calls: [UInt64: Call] = [:]
    }

    private let run: DownloadRun
    private let part: DownloadPart
    private let record: DownloadRecord
    private let call: Call
    private let others: [Range<Int64>]
    private let state: Mutex<State>

    /// nil if there is nothing to spread, or nobody to ask.
    init?(_ run: DownloadRun, _ part: DownloadPart, _ response: Response, from start: Int64, _ call: Call) {
        let servesRanges =
            response.statusCode == 206
            || response.headers[values: .acceptRanges].contains { $0.lowercased().contains("bytes") }
        guard run.policy.connections > 1, run.needsRecord, servesRanges, let record = part.record,
            let total = record.total
        else { return nil }
        // What is missing behind the front; holes behind that are few, and filled afterwards.
        guard let gap = part.gap(in: start..<total), gap.upperBound == total else { return nil }
        let missing = total &- gap.lowerBound
        let most = Int64(min(run.policy.connections, Self.maximumConnections))
        let count = min(most, missing / max(run.policy.minimumPiece, 1))
        guard count > 1 else { return nil }
        let length = missing / count
        let starts = (0..<count).map { gap.lowerBound &+ length &* $0 }
        others = starts.indices.dropFirst().map { index in
            starts[index]..<(index + 1 < starts.count ? starts[index + 1] : total)
        }
        self.run = run
        self.part = part
        self.record = record
        self.call = call
        state = Mutex(State(limit: starts[1]))
    }

    /// - Returns: where the first response ended.
    func fetch(_ first: Response, _ span: Range<Int64>) async throws(CallError) -> Int64 {
        try part.scatter()
        if run.resumes { run.hooks.kept?(part.path, false) }
        let result = await withTaskGroup(of: Void.self, returning: Result<Int64, CallError>.self) { group in
            for piece in others { group.addTask { await self.help(with: piece) } }
            let result: Result<Int64, CallError>
            do throws(CallError) {
                let end = try await DownloadWriter(part, run.meter).write(first, span) {
                    self.state.withLock { $0.limit }
                }
                // From now on the call waits for the others.
                guard call.onCancel(self) else { throw call.cancelled(.receivingBody) }
                result = .success(end)
            } catch {
                if !DownloadPassage.isOfConnection(error) { self.cancel() }
                result = .failure(error)
            }
            await group.waitForAll()
            return result
        }
        try part.save()
        if let failure = state.withLock({ $0.failure }) { throw failure }
        if call.isCancelled { throw call.cancelled(.receivingBody) }
        return try result.get()
    }

    /// One piece, over as many connections as the client would try.
    private func help(with piece: Range<Int64>) async {
        var failures = 0
        while let gap = part.gap(in: piece), !Task.isCancelled, failures <= run.client.configuration.retry.retries {
            let before = part.gap(in: piece)?.lowerBound
            do throws(CallError) {
                try await fetch(gap)
            } catch {
                if error.kind == .file { state.withLock { $0.failure = $0.failure ?? error } }
                guard DownloadPassage.isOfConnection(error) else { return }
            }
            if state.withLock({ $0.disagrees || $0.isCancelled }) { return }
            if part.gap(in: piece)?.lowerBound == before { failures += 1 }
        }
    }

    private func fetch(_ gap: Range<Int64>) async throws(CallError) {
        var request = run.asking(for: gap, record, isBounded: true)
        if call.deadline != MonotonicClock.never {
            let now = MonotonicClock.now
            request.timeouts.total = .nanoseconds(clamping: call.deadline > now ? call.deadline - now : 0)
        }
        let helper = run.client.makeCall(request, wantsStream: true, executor: call.executor)
        let isWanted = state.withLock { state in
            if state.isCancelled || state.disagrees { return false }
            state.calls[helper.id] = helper
            return true
        }
        guard isWanted else { return }
        defer { state.withLock { $0.calls[helper.id] = nil } }
        try await run.client.perform(helper) { response throws(CallError) in
            defer { response.body.discard() }
            let answer = DownloadAnswer(response, asked: gap, record: self.record, received: gap.lowerBound)
            guard case .rest(let span, _) = answer else {
                // Busy, perhaps: nothing speaks against what the others bring.
                if answer != .refused { self.disagree() }
                return
            }
            _ = try await DownloadWriter(self.part, self.run.meter).write(response, span) { gap.upperBound }
        }
    }

    /// The first response is all there is.
    private func disagree() {
        let calls = state.withLock { state in
            state.disagrees = true
            state.limit = .max
            defer { state.calls = [:] }
            return state.calls
        }
        for call in calls.values { call.cancel() }
    }
}

extension DownloadPieces: CallCancellable {
    func cancel() {
        let calls = state.withLock { state in
            state.isCancelled = true
            defer { state.calls = [:] }
            return state.calls
        }
        for call in calls.values { call.cancel() }
    }
}
