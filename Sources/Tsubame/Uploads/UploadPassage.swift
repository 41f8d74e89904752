// UploadPassage: an upload under way, exchange by exchange.

import HTTPTypes
import TsubameCore

/// Sends all of it, and when that breaks off asks how much has come and sends the rest, as often as the client's policy for
/// retries has it.
struct UploadPassage {
    /// So many bytes make up for an interruption: the next one counts as the first.
    private static let worth: Int64 = 1 << 20
    /// Statuses that may be others a little later, and mean that not all has been processed.
    private static let passing: Set<Int> = [408, 423, 425, 429, 500, 502, 503, 504]

    /// Why there is no last answer yet.
    private enum Interruption {
        case error(CallError)
        case response(Response)
    }

    private enum Step {
        case done(Response)
        case append(from: Int64)
        /// - Parameter retryAfter: how long the server asks to be left alone.
        case broken(Interruption, retryAfter: Duration?)
    }

    private let run: UploadRun
    private let source: UploadSource
    private let call: Call
    private var retries = 0
    /// Whether the last stretch was worth an interruption.
    private var hasMoved = false

    init(_ run: UploadRun, _ source: UploadSource, _ call: Call) {
        self.run = run
        self.source = source
        self.call = call
    }

    private var state: UploadState { run.state }

    /// To the last answer.
    mutating func run() async throws(CallError) -> Response {
        var step = try await create()
        while true {
            if case .done(let response) = step { return response }
            // Said too late to interrupt what was being sent.
            if let failure = state.failure { throw failure }
            switch step {
            case .done(let response):
                return response
            case .append(let offset):
                step = try await append(from: offset)
            case .broken(let interruption, let retryAfter):
                guard let resource = state.resource, try await pause(after: interruption, retryAfter) else {
                    return try giveUp(interruption)
                }
                step = try await findOut(resource, after: interruption)
            }
        }
    }

    // MARK: One exchange

    private func create() async throws(CallError) -> Step {
        let response: Response
        do throws(CallError) {
            response = try await send(run.request)
        } catch {
            if let obstacle = state.obstacle { call.emit(.decision("the upload is not resumed: \(obstacle)")) }
            guard state.resource != nil, Self.isOfConnection(error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        guard state.resource != nil, !UploadFields.isComplete(response.headers) else { return .done(response) }
        return isPassing(response) ? broken(response) : .done(response)
    }

    /// Asks how much the server has.
    private mutating func findOut(
        _ resource: UploadResource, after interruption: Interruption
    ) async throws(CallError) -> Step {
        let before = state.acknowledged
        var request = resource.request(.head, from: run.original)
        request.cachePolicy = .reload
        let response: Response
        do throws(CallError) {
            response = try await send(request)
        } catch {
            guard Self.isOfConnection(error) else { throw error }
            // What the server has answered says more than that it cannot be reached any more.
            if case .response = interruption { return .broken(interruption, retryAfter: nil) }
            return .broken(.error(error), retryAfter: nil)
        }
        guard (200..<300).contains(response.statusCode) else {
            if isPassing(response) { return .broken(interruption, retryAfter: Retries.retryAfter(response)) }
            call.emit(.decision("the upload is not resumed: asked for it, the server answered \(response.statusCode)"))
            return .done(try giveUp(interruption))
        }
        let offset = try offset(in: response)
        if offset &- before >= Self.worth { (retries, hasMoved) = (0, true) }
        state.resume()
        guard UploadFields.isComplete(response.headers) else { return .append(from: offset) }
        guard offset == source.length else {
            throw fail("the server says that the upload is complete with \(offset) of \(source.length) bytes", response)
        }
        state.complete()
        if case .response(let last) = interruption { return .done(last) }
        call.emit(.decision("the upload is complete, but the answer to it is lost: this one says that it is"))
        return .done(response)
    }

    private func offset(in response: Response) throws(CallError) -> Int64 {
        guard let offset = UploadFields.offset(response.headers) else {
            throw fail("the server does not say how many bytes it has (Upload-Offset)", response)
        }
        if let length = UploadFields.length(response.headers), length != source.length {
            throw fail("the server expects \(length) bytes, and there are \(source.length)", response)
        }
        if let problem = UploadLimits(response.headers)?.problem(source.length) {
            throw state.fail(problem).with(request: response.request, response: response)
        }
        try acknowledge(offset, response)
        return offset
    }

    /// Sends the rest, or as much of it as the server takes at once.
    private func append(from offset: Int64) async throws(CallError) -> Step {
        guard let resource = state.resource else { throw fail("there is no place to go on at", nil) }
        let count = max(min(source.length &- offset, state.limits.maximumAppendSize ?? .max), 0)
        let end = offset &+ count
        let isLast = end == source.length
        var request = resource.request(.patch, from: run.original)
        request.headers[.uploadOffset] = "\(offset)"
        request.headers[.uploadComplete] = isLast ? "?1" : "?0"
        request.body = Body(
            source.content(offset..<end, state), contentType: UploadFields.mediaType, length: count)
        state.begin(at: offset)
        let response: Response
        do throws(CallError) {
            response = try await send(request)
        } catch {
            guard Self.isOfConnection(error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        if UploadFields.isComplete(response.headers) { return .done(response) }
        guard (200..<300).contains(response.statusCode) else {
            // 409: it has another number of bytes than it had said.
            return isPassing(response) || response.statusCode == 409 ? broken(response) : .done(response)
        }
        // Without a word that all of it has come, it is asked for.
        guard !isLast else { return broken(response) }
        let next = UploadFields.offset(response.headers) ?? end
        try acknowledge(next, response)
        return .append(from: next)
    }

    private func acknowledge(_ offset: Int64, _ response: Response) throws(CallError) {
        do throws(CallError) {
            try state.acknowledge(offset)
        } catch {
            throw error.with(request: response.request, response: response)
        }
    }

    private func send(_ request: Request) async throws(CallError) -> Response {
        do throws(CallError) {
            return try await run.client.collected(try await run.client.sendAgain(request, call))
        } catch {
            // What was interrupted because of it says less.
            throw call.isCancelled ? error : state.failure?.with(request: request) ?? error
        }
    }

    // MARK: Going on

    private func broken(_ response: Response) -> Step {
        .broken(.response(response), retryAfter: Retries.retryAfter(response))
    }

    private func giveUp(_ interruption: Interruption) throws(CallError) -> Response {
        switch interruption {
        case .error(let error):
            let count = state.acknowledged
            throw error.with(advice: "the server said that it has \(count) of \(source.length) bytes of the upload")
        case .response(let response): return response
        }
    }

    /// Waits before the server is asked; false if that was done often enough.
    private mutating func pause(
        after interruption: Interruption, _ retryAfter: Duration?
    ) async throws(CallError) -> Bool {
        let policy = run.client.configuration.retry
        guard retries < policy.retries, hasMoved || policy.budget.withdraw() else { return false }
        if let retryAfter, retryAfter > policy.maximumRetryAfter { return false }
        let delay = max(retryAfter ?? policy.backOff(after: retries), .zero)
        let (end, overflow) = MonotonicClock.now.addingReportingOverflow(delay.nanosecondsClamped)
        guard call.deadline == MonotonicClock.never || (!overflow && end < call.deadline) else { return false }
        retries += 1
        hasMoved = false
        let what =
            switch interruption {
            case .error(let error): error.kind.words
            case .response(let response): "\(response.statusCode)"
            }
        let why = ResendReason(.retry, "\(what) within an upload, retry \(retries) of \(policy.retries)")
        call.emit(.resending(run.request, why: why, after: delay))
        try await BackOff.wait(delay, on: run.client.corridor.clock?.clock, call)
        return true
    }

    private func isPassing(_ response: Response) -> Bool {
        Self.passing.contains(response.statusCode)
            || run.client.configuration.retry.statuses.contains(response.statusCode)
    }

    /// What another connection may mend.
    private static func isOfConnection(_ error: CallError) -> Bool {
        if Retries.isOfConnection(error) { return true }
        switch error.kind {
        case .tls: return [.sendingHead, .sendingBody, .waitingForHead, .receivingBody].contains(error.phase)
        case .timeout: return error.timeout == .idle || error.timeout == .head
        default: return false
        }
    }

    private func fail(_ reason: String, _ response: Response?) -> CallError {
        state.fail(CallError(.invalidResponse, reason, phase: .waitingForHead))
            .with(request: response?.request, response: response)
    }
}
