// UploadPassage: an upload under way, exchange by exchange.

import HTTPTypes
import TsubameCore

/// Sends all of it, and when that breaks off asks how much has come and sends the rest, as often as the client's policy for
/// retries has it.
struct UploadPassage {
    /// Statuses that may be others a little later, and mean that not all has been processed.
    private static let passing: Set<Int> = [408, 423, 425, 429, 500, 502, 503, 504]

    /// Why there is no last answer yet.
    private enum Interruption {
        case error(CallError)
        case response(Response)
        /// A part was answered as if it had come, and nothing of it has.
        case standstill(Response)
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
    /// What the server had where this stretch began.
    private var beginning: Int64 = 0

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
            noteObstacle()
            guard state.resource != nil, Self.isOfConnection(error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        guard state.resource != nil else {
            if !(200..<300).contains(response.statusCode) { noteObstacle() }
            if state.obstacle == nil { try checkCompletion(response) }
            return .done(response)
        }
        try checkCompletion(response)
        return mayBeMended(response) ? broken(response) : .done(response)
    }

    private func noteObstacle() {
        if let obstacle = state.obstacle { call.emit(.decision("the upload is not resumed: \(obstacle)")) }
    }

    /// What is said to be complete has to have all bytes.
    /// - Parameter end: where what was sent ends.
    private func checkCompletion(_ response: Response, behind end: Int64? = nil) throws(CallError) {
        guard UploadFields.isComplete(response.headers) else { return }
        let said = UploadFields.offset(response.headers) ?? source.length
        let offset = said > source.length ? said : min(said, end ?? said)
        guard offset == source.length else {
            throw fail("the server says that the upload is complete with \(offset) of \(source.length) bytes", response)
        }
    }

    /// Asks how much the server has.
    private mutating func findOut(
        _ resource: UploadResource, after interruption: Interruption
    ) async throws(CallError) -> Step {
        var request = resource.request(.head, from: run.original)
        request.cachePolicy = .reload
        let response: Response
        do throws(CallError) {
            response = try await send(request)
        } catch {
            guard Self.isOfConnection(error) else { throw error }
            // What the server has answered says more than that it cannot be reached any more.
            if case .error = interruption { return .broken(.error(error), retryAfter: nil) }
            return .broken(interruption, retryAfter: nil)
        }
        guard (200..<300).contains(response.statusCode) else {
            if isPassing(response) { return .broken(interruption, retryAfter: Retries.retryAfter(response)) }
            call.emit(.decision("the upload is not resumed: asked for it, the server answered \(response.statusCode)"))
            return .done(try giveUp(interruption))
        }
        let offset = try offset(in: response)
        credit(offset)
        beginning = offset
        state.resume()
        guard UploadFields.isComplete(response.headers) else { return .append(from: offset) }
        try checkCompletion(response)
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
    private mutating func append(from offset: Int64) async throws(CallError) -> Step {
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
        let exchanges = call.exchanges
        let response: Response
        do throws(CallError) {
            response = try await send(request)
        } catch {
            guard Self.isOfConnection(error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        try checkCompletion(response, behind: end)
        if UploadFields.isComplete(response.headers) { return .done(response) }
        guard (200..<300).contains(response.statusCode) else {
            return mayBeMended(response) ? broken(response) : .done(response)
        }
        // Without a word that all of it has come, it is asked for.
        guard !isLast else { return broken(response) }
        let next = UploadFields.offset(response.headers) ?? end
        guard next <= end else {
            throw fail("the server says that it has \(next) bytes, and only \(end) were sent", response)
        }
        try acknowledge(next, response)
        guard next > offset else {
            return .broken(.standstill(response), retryAfter: Retries.retryAfter(response))
        }
        // However small the parts are that the server takes: there are only so many bytes.
        call.forgiveExchanges(call.exchanges &- exchanges)
        credit(next)
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
        case .standstill(let response):
            throw fail("the server takes nothing more, at \(state.acknowledged) of \(source.length) bytes", response)
        }
    }

    /// A stretch that has brought enough makes up for what went wrong before.
    private mutating func credit(_ offset: Int64) {
        guard offset &- beginning >= RetryPolicy.worth else { return }
        (retries, hasMoved, beginning) = (0, true, offset)
        // What broke off, and the question how much has come.
        call.forgiveExchanges(2)
    }

    /// Waits before the server is asked; false if that was done often enough.
    private mutating func pause(
        after interruption: Interruption, _ retryAfter: Duration?
    ) async throws(CallError) -> Bool {
        credit(state.acknowledged)
        let policy = run.client.configuration.retry
        let (isMeant, asked) = judge(interruption)
        guard isMeant else { return false }
        let retryAfter = asked == nil ? retryAfter : nil
        guard retries < policy.retries, hasMoved || policy.budget.withdraw() else { return false }
        if let retryAfter, retryAfter > policy.maximumRetryAfter { return false }
        let delay = max(asked ?? retryAfter ?? policy.backOff(after: retries), .zero)
        guard BackOff.fits(delay, call) else { return false }
        retries += 1
        hasMoved = false
        let what =
            switch interruption {
            case .error(let error): error.kind.words
            case .response(let response), .standstill(let response): "\(response.statusCode)"
            }
        let why = ResendReason(.retry, "\(what) within an upload, retry \(retries) of \(policy.retries)")
        call.emit(.resending(run.request, why: why, after: delay))
        try await BackOff.wait(delay, on: run.client.corridor.clock?.clock, call)
        return true
    }

    /// Whether to go on behind it, and after what time if the policy's rule names one.
    private func judge(_ interruption: Interruption) -> (isMeant: Bool, after: Duration?) {
        let policy = run.client.configuration.retry
        let outcome: RetryPolicy.Outcome
        let isMeant: Bool
        switch interruption {
        case .error(let error):
            outcome = RetryPolicy.Outcome(
                request: error.request ?? run.request, response: nil, error: error, retries: retries)
            isMeant = policy.retriesConnectionFailures
        case .response(let response), .standstill(let response):
            outcome = RetryPolicy.Outcome(request: response.request, response: response, error: nil, retries: retries)
            isMeant = (200..<300).contains(response.statusCode) || isPassing(response)
        }
        return switch policy.rule?(outcome) {
        case .giveUp: (false, nil)
        case .retry(let after): (true, after)
        case .standard, nil: (isMeant, nil)
        }
    }

    /// Whether an answer that is none to the whole of it is worth a judgement: the policy's rule may have any in mind.
    private func mayBeMended(_ response: Response) -> Bool {
        if UploadFields.isComplete(response.headers) || (200..<300).contains(response.statusCode) { return false }
        return isPassing(response) || run.client.configuration.retry.rule != nil
    }

    private func isPassing(_ response: Response) -> Bool {
        // 409: it has another number of bytes than it had said.
        Self.passing.contains(response.statusCode)
            || (response.statusCode == 409 && response.request.headers.contains(.uploadOffset))
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
