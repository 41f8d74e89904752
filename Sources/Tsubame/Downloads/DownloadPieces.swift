// DownloadPieces: several ranges of a large file, downloaded over several connections at once.

import HTTPTypes
import Synchronization
import TsubameCore
import TsubamePlatform

/// The first response brings the first piece. Calls of their own bring the other pieces, each over its own
/// connection. They only help: the download asks for the bytes that they leave out, as after a broken connection.
/// If the server's answers do not agree with each other, or it refuses more connections, the first response is read
/// to its end.
final class DownloadPieces: Sendable {
    private static let maximumConnections = 16
    private static let maximumGaps = 256

    private struct State: Sendable {
        /// The position at which the first response stops.
        var limit: Int64
        /// The pieces that no call has taken yet.
        var waiting: [Range<Int64>]
        /// Whether an answer was of another version, or no range.
        var disagrees = false
        var isCancelled = false
        var failure: CallError?
        var calls: [UInt64: Call] = [:]
    }

    private let run: DownloadRun
    private let part: DownloadPart
    private let record: DownloadRecord
    private let call: Call
    private let helpers: Int
    private let state: Mutex<State>

    /// nil if there is nothing to split, or the server does not serve ranges.
    init?(_ run: DownloadRun, _ part: DownloadPart, _ response: Response, from start: Int64, _ call: Call) {
        let servesRanges =
            response.statusCode == 206
            || response.headers[values: .acceptRanges].contains { $0.lowercased().contains("bytes") }
        guard run.policy.connections > 1, run.needsRecord, servesRanges, let record = part.record,
            let total = record.total
        else { return nil }
        var pieces = Self.pieces(of: part, start..<max(total, start), run.policy)
        guard pieces.count > 1 else { return nil }
        let first = pieces.removeFirst()
        helpers = min(pieces.count, min(run.policy.connections, Self.maximumConnections) - 1)
        self.run = run
        self.part = part
        self.record = record
        self.call = call
        state = Mutex(State(limit: first.upperBound, waiting: pieces))
    }

    /// Splits the missing bytes into parts of about the same length, one for each connection; more if there are
    /// more gaps.
    private static func pieces(
        of part: DownloadPart, _ span: Range<Int64>, _ policy: DownloadPolicy
    ) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position = span.lowerBound
        while gaps.count < maximumGaps, let gap = part.gap(in: position..<span.upperBound) {
            gaps.append(gap)
            position = gap.upperBound
        }
        let missing = gaps.reduce(0) { $0 &+ ($1.upperBound &- $1.lowerBound) }
        let most = Int64(min(policy.connections, maximumConnections))
        let count = min(most, missing / max(policy.minimumPiece, 1))
        guard count > 1 else { return [] }
        let length = missing / count
        return gaps.flatMap { gap -> [Range<Int64>] in
            let size = gap.upperBound &- gap.lowerBound
            let parts = max((size &+ length / 2) / length, 1)
            let starts = (0..<parts).map { gap.lowerBound &+ size / parts &* $0 } + [gap.upperBound]
            return zip(starts, starts.dropFirst()).map { $0..<$1 }
        }
    }

    /// - Returns: the position at which the first response ended.
    func fetch(_ first: Response, _ span: Range<Int64>) async throws(CallError) -> Int64 {
        try part.scatter()
        if run.resumes { run.hooks.kept?(part.path, false) }
        let result = await withTaskGroup(of: Void.self, returning: Result<Int64, CallError>.self) { group in
            for _ in 0..<helpers { group.addTask { await self.help() } }
            let result: Result<Int64, CallError>
            do throws(CallError) {
                let end = try await DownloadWriter(part, run.meter).write(first, span, until: limit)
                // From now on the call waits for the others, and cancelling must reach them.
                guard call.onCancel(self) else { throw call.cancelled(.receivingBody) }
                result = .success(end)
            } catch {
                // The others go on if the download can continue, and can still be cancelled.
                if !run.resumes || !error.transience.mayContinue || !call.onCancel(self) { self.cancel() }
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

    /// Brings one piece after another, until none is left or the server refuses to help.
    private func help() async {
        var unfinished: Range<Int64>?
        while unfinished == nil, let piece = next() {
            if await !bring(piece) { unfinished = piece }
        }
        if let unfinished, part.gap(in: unfinished) == unfinished {
            state.withLock { $0.waiting.append(unfinished) }
        }
    }

    /// The position at which the first response stops. It goes on through pieces that no other call has taken.
    private func limit(before end: Int64) -> Int64 {
        state.withLock { state in
            while end >= state.limit, let index = state.waiting.firstIndex(where: { $0.lowerBound == state.limit }) {
                state.limit = state.waiting.remove(at: index).upperBound
            }
            return state.limit
        }
    }

    private func next() -> Range<Int64>? {
        state.withLock { state in
            state.isCancelled || state.disagrees || state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }

    /// Brings one piece, in one call with as many exchanges as the client's retry policy allows.
    /// - Returns: whether the piece is complete.
    private func bring(_ piece: Range<Int64>) async -> Bool {
        guard let gap = part.gap(in: piece) else { return true }
        var request = run.asking(for: gap, record, isBounded: true)
        if let timeLeft = call.timeLeft { request.timeouts.total = timeLeft }
        let helper = run.client.makeCall(
            request, wantsStream: true, executor: call.options.executor, retriesItself: { true })
        let isWanted = state.withLock { state in
            if state.isCancelled || state.disagrees { return false }
            state.calls[helper.id] = helper
            return true
        }
        guard isWanted else { return false }
        defer { state.withLock { $0.calls[helper.id] = nil } }
        do throws(CallError) {
            return try await run.client.perform(sending: helper) { () async throws(CallError) -> (Bool, Response) in
                try await self.bring(piece, helper)
            }
        } catch {
            if error.kind == .file { state.withLock { $0.failure = $0.failure ?? error } }
            return false
        }
    }

    /// - Returns: whether the piece is complete, and the last response.
    private func bring(_ piece: Range<Int64>, _ helper: Call) async throws(CallError) -> (Bool, Response) {
        var retries = 0
        while true {
            let (gap, exchanges) = (part.gap(in: piece) ?? piece, helper.exchanges)
            do throws(CallError) {
                let (isRest, response) = try await fetch(gap, helper)
                if !isRest || state.withLock({ $0.disagrees || $0.isCancelled }) { return (false, response) }
                if part.gap(in: piece) == nil { return (true, response) }
                // A range may be shorter than the one that was asked for, but not again and again.
                throw CallError(
                    .incompleteResponse, "the server sent less than the range", phase: .receivingBody,
                    request: response.request)
            } catch {
                let moved = (part.gap(in: piece) ?? gap).lowerBound &- gap.lowerBound
                run.forgive(since: exchanges, moved: moved, helper)
                try await run.pause(after: error, moved: moved, received: part.received, &retries, helper)
            }
        }
    }

    /// - Returns: whether the server sent bytes of the gap, and its response.
    private func fetch(_ gap: Range<Int64>, _ helper: Call) async throws(CallError) -> (Bool, Response) {
        let response = try await run.client.sendAgain(run.asking(for: gap, record, isBounded: true), helper)
        defer { response.body.discard() }
        let answer = DownloadAnswer(
            response, asked: gap, record: record, received: gap.lowerBound, hasDigest: run.digest != nil)
        guard case .rest(let span, _) = answer else {
            // A server that refuses this call may be busy; the bytes of the other calls stay valid.
            if answer != .refused { disagree() }
            return (false, response)
        }
        try part.join(DownloadRecord.origin(of: response))
        _ = try await DownloadWriter(part, run.meter).write(response, span) { _ in gap.upperBound }
        return (true, response)
    }

    /// Ends the other calls: the first response brings all of the rest.
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
