// UploadTransfer: a running upload, exchange by exchange.

import HTTPTypes
import TsubameCore

/// Sends the whole body. After an interruption it asks how many bytes came and sends the rest, as often as the
/// client's retry policy allows.
struct UploadTransfer {
    /// The temporary statuses which mean that the server has not processed the whole body.
    private static let passing: Set<Int> = [408, 423, 425, 429, 500, 502, 503, 504]

    /// Why there is no last response yet.
    private enum Interruption {
        case error(CallError)
        case response(Response)
        /// The server accepted a part, but kept none of its bytes.
        case standstill(Response)
    }

    private enum Step {
        case done(Response)
        case append(from: Int64)
        /// - Parameter retryAfter: the delay that the server asks for.
        case broken(Interruption, retryAfter: Duration?)
    }

    private let run: UploadRun
    private let source: UploadSource
    private let call: Call
    private var retries = 0
    /// Why the policy allows no other attempt, for the error of the call.
    private var obstacle: String?
    /// The bytes of the last stretch, if they were enough that a retry costs nothing of the budget.
    private var moved: Int64 = 0
    /// The number of bytes that the server had when this stretch began.
    private var beginning: Int64 = 0

    init(_ run: UploadRun, _ source: UploadSource, _ call: Call) {
        self.run = run
        self.source = source
        self.call = call
    }

    private var state: UploadState { run.state }

    /// Runs until there is a last response.
    mutating func run() async throws(CallError) -> Response {
        var step = try await begin()
        while true {
            if case .done(let response) = step { return response }
            // The state failed too late to interrupt the request.
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

    /// Whether the retry policy is asked about a failure. The user's rule is asked about each.
    private func mayContinue(after error: CallError) -> Bool {
        error.transience.mayContinue || run.client.configuration.retry.rule != nil
    }

    // MARK: One exchange

    /// Continues the upload of an earlier process, or sends the whole body.
    private mutating func begin() async throws(CallError) -> Step {
        switch run.continuation {
        case .resource(let resource): return try await continueEarlier(at: resource)
        case .impossible(let reason): call.emit(.decision("the upload begins at its beginning: \(reason)"))
        case nil: break
        }
        return try await create()
    }

    private mutating func continueEarlier(at resource: UploadResource) async throws(CallError) -> Step {
        run.journal?.keep()
        let response: Response
        do throws(CallError) {
            response = try await send(question(to: resource))
        } catch {
            guard mayContinue(after: error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        if (200..<300).contains(response.statusCode) {
            // Such an answer may be that of a proxy or of a page for a login. It says nothing about the upload.
            guard UploadFields.offset(response.headers) != nil else {
                throw CallError(
                    .invalidResponse, "the server does not say how many bytes it has (Upload-Offset)",
                    phase: .waitingForHead, request: response.request, response: response)
            }
            let step = try resumed(by: response, after: nil)
            if case .append(let offset) = step {
                call.emit(.decision("the upload continues after \(offset) of \(source.length) bytes"))
            }
            return step
        }
        if isPassing(response) { return broken(response) }
        guard [404, 410].contains(response.statusCode) else { return .done(response) }
        call.emit(
            .decision(
                "the upload begins at its beginning: the server no longer has the earlier one, it answered \(Redaction.printable(response.statusWords))"
            ))
        state.forget()
        run.journal?.forget()
        return try await create()
    }

    private func create() async throws(CallError) -> Step {
        let response: Response
        do throws(CallError) {
            response = try await send(run.request)
        } catch {
            noteObstacle()
            guard state.resource != nil, mayContinue(after: error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        guard state.resource != nil else {
            if !(200..<300).contains(response.statusCode) { noteObstacle() }
            if state.obstacle == nil { try checkCompletion(response) }
            if UploadFields.isIncomplete(response.headers) { throw incomplete(response) }
            return .done(response)
        }
        try checkCompletion(response)
        let isUnfinished = UploadFields.isIncomplete(response.headers)
        return isUnfinished || mayBeMended(response) ? broken(response) : .done(response)
    }

    private func noteObstacle() {
        if let obstacle = state.obstacle { call.emit(.decision("the upload is not resumed: \(obstacle)")) }
    }

    /// Checks that an upload which the server calls complete has all bytes.
    /// - Parameter end: the position after the bytes that were sent.
    private func checkCompletion(_ response: Response, behind end: Int64? = nil) throws(CallError) {
        guard UploadFields.isComplete(response.headers) else { return }
        let said = UploadFields.offset(response.headers) ?? source.length
        let offset = said > source.length ? said : min(said, end ?? said)
        guard offset == source.length else {
            throw fail("the server says that the upload is complete with \(offset) of \(source.length) bytes", response)
        }
    }

    /// Asks how many bytes the server has.
    private mutating func findOut(
        _ resource: UploadResource, after interruption: Interruption
    ) async throws(CallError) -> Step {
        let response: Response
        do throws(CallError) {
            response = try await send(question(to: resource))
        } catch {
            guard mayContinue(after: error) else { throw error }
            // An earlier response says more than the error that the server cannot be reached.
            if case .error = interruption { return .broken(.error(error), retryAfter: nil) }
            return .broken(interruption, retryAfter: nil)
        }
        guard (200..<300).contains(response.statusCode) else {
            if isPassing(response) { return .broken(interruption, retryAfter: Retries.retryAfter(response)) }
            call.emit(.decision("the upload is not resumed: the upload resource answered \(response.statusCode)"))
            if [404, 410].contains(response.statusCode), case .response(let last) = interruption,
                !UploadFields.isIncomplete(last.headers)
            {
                // The server may have removed the resource of an upload that it has taken.
                return .done(last)
            }
            return .done(try giveUp(interruption))
        }
        // The answer to an earlier question is not the upload's.
        let last: Response? =
            if case .response(let last) = interruption, last.request.method != .head { last } else { nil }
        return try resumed(by: response, after: last)
    }

    /// The request that asks how many bytes the server has.
    private func question(to resource: UploadResource) -> Request {
        var request = resource.request(.head, from: run.original)
        request.cachePolicy = .reload
        return request
    }

    /// - Parameters:
    ///   - response: the answer to the question how many bytes the server has.
    ///   - last: the response of the upload before the question.
    private mutating func resumed(by response: Response, after last: Response?) throws(CallError) -> Step {
        let offset = try offset(in: response)
        credit(offset)
        beginning = offset
        state.resume()
        guard UploadFields.isComplete(response.headers) else { return .append(from: offset) }
        try checkCompletion(response)
        state.complete()
        if let last { return .done(last) }
        call.emit(.decision("the upload is complete, but its response was lost: this response confirms it"))
        return .done(response)
    }

    private func offset(in response: Response) throws(CallError) -> Int64 {
        guard let offset = UploadFields.offset(response.headers) else {
            throw fail("the server does not say how many bytes it has (Upload-Offset)", response)
        }
        if let length = UploadFields.length(response.headers), length != source.length {
            throw fail("the server expects \(length) bytes, and there are \(source.length)", response)
        }
        if let limits = UploadLimits(response.headers) {
            if let problem = limits.problem(source.length) {
                throw state.fail(problem).with(request: response.request, response: response)
            }
            // A later process gets no 104, which would name them.
            state.learn(limits)
        }
        try acknowledge(offset, response)
        return offset
    }

    /// Sends the rest, or as much of it as the server takes at once.
    private mutating func append(from offset: Int64) async throws(CallError) -> Step {
        guard let resource = state.resource else { throw fail("there is no upload resource for the rest", nil) }
        let count = max(min(source.length &- offset, state.limits.maximumAppendSize ?? .max), 0)
        let end = offset &+ count
        let isLast = end == source.length
        var request = resource.request(.patch, from: run.original)
        request.headers[.uploadOffset] = "\(offset)"
        request.headers[.uploadComplete] = isLast ? "?1" : "?0"
        request.body = RequestBody(
            source.content(offset..<end, state), contentType: UploadFields.mediaType, length: count)
        state.begin(at: offset)
        let exchanges = call.exchanges
        let response: Response
        do throws(CallError) {
            response = try await send(request)
        } catch {
            guard mayContinue(after: error) else { throw error }
            return .broken(.error(error), retryAfter: nil)
        }
        try checkCompletion(response, behind: end)
        if UploadFields.isComplete(response.headers) { return .done(response) }
        guard (200..<300).contains(response.statusCode) else {
            return mayBeMended(response) ? broken(response) : .done(response)
        }
        // The response does not say that the upload is complete, so the server is asked.
        guard !isLast else { return broken(response) }
        let next = UploadFields.offset(response.headers) ?? end
        guard next <= end else {
            throw fail("the server says that it has \(next) bytes, and only \(end) were sent", response)
        }
        try acknowledge(next, response)
        guard next > offset else {
            return .broken(.standstill(response), retryAfter: Retries.retryAfter(response))
        }
        // Small parts cannot make an upload endless, because the number of bytes is limited.
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
            // The reason for an interruption says more than the error that it caused.
            throw call.isCancelled ? error : state.failure?.with(request: request) ?? error
        }
    }

    // MARK: Retries

    private func broken(_ response: Response) -> Step {
        .broken(.response(response), retryAfter: Retries.retryAfter(response))
    }

    private func giveUp(_ interruption: Interruption) throws(CallError) -> Response {
        switch interruption {
        case .error(let error):
            let count = state.acknowledged
            let isKept = run.journal?.isSaved == true
            throw error.with(
                advice: "the server said that it has \(count) of \(source.length) bytes of the upload"
                    + (isKept ? "; a later upload of the file can continue" : ""),
                retryObstacle: obstacle)
        case .response(let response) where isUnfinished(response): throw incomplete(response)
        case .response(var response):
            if let obstacle { response.details = response.details.with(retryObstacle: obstacle) }
            return response
        case .standstill(let response):
            throw fail("the server takes nothing more, at \(state.acknowledged) of \(source.length) bytes", response)
        }
    }

    /// Whether the response says that the upload is not complete, or is a success that does not confirm the bytes which the
    /// server did not have before.
    private func isUnfinished(_ response: Response) -> Bool {
        if UploadFields.isIncomplete(response.headers) { return true }
        return (200..<300).contains(response.statusCode) && state.resource != nil
            && !UploadFields.isComplete(response.headers) && state.acknowledged < source.length
    }

    /// The error for a server that has taken only a part.
    private func incomplete(_ response: Response) -> CallError {
        let count = UploadFields.offset(response.headers) ?? state.acknowledged
        let reason =
            UploadFields.isIncomplete(response.headers)
            ? "the server says that it has only \(count) of \(source.length) bytes of the upload"
            : "the server does not confirm that it has more than \(count) of \(source.length) bytes of the upload"
        return CallError(
            .incompleteResponse, reason,
            phase: .waitingForHead, request: response.request, response: response
        ).with(retryObstacle: obstacle)
    }

    /// Starts the count of retries anew after a stretch that has brought enough bytes.
    private mutating func credit(_ offset: Int64) {
        guard offset &- beginning >= RetryPolicy.worth else { return }
        (retries, moved, beginning) = (0, offset &- beginning, offset)
        // The two are the request that broke off, and the one that asked how many bytes came.
        call.forgiveExchanges(2)
    }

    /// Waits before the server is asked again.
    /// - Returns: false if no retry is left, or a retry is not wanted.
    private mutating func pause(
        after interruption: Interruption, _ retryAfter: Duration?
    ) async throws(CallError) -> Bool {
        credit(state.acknowledged)
        let (outcome, isUnfinished) = outcome(of: interruption)
        let step = try await run.client.step(
            after: outcome, RetryPolicy.Attempt(retryAfter: retryAfter, timeLeft: call.timeLeft),
            .resumable(bytes: moved, isUnfinished: isUnfinished), "during an upload", showing: run.request, call)
        switch step {
        case .retry(let number):
            (retries, moved) = (number, 0)
            return true
        case .stop(let obstacle):
            self.obstacle = obstacle
            return false
        }
    }

    /// The outcome for the policy, and whether the upload is unfinished with any status.
    private func outcome(of interruption: Interruption) -> (RetryPolicy.Outcome, isUnfinished: Bool) {
        switch interruption {
        case .error(let error):
            let request = error.request ?? run.request
            return (RetryPolicy.Outcome(request: request, response: nil, error: error, retries: retries), false)
        case .response(let response), .standstill(let response):
            let isUnfinished = (200..<300).contains(response.statusCode) || isPassing(response)
            return (
                RetryPolicy.Outcome(request: response.request, response: response, error: nil, retries: retries),
                isUnfinished
            )
        }
    }

    /// Whether the policy may retry after a response that does not complete the upload. Its rule may accept any
    /// response.
    private func mayBeMended(_ response: Response) -> Bool {
        if UploadFields.isComplete(response.headers) || (200..<300).contains(response.statusCode) { return false }
        return isPassing(response) || run.client.configuration.retry.rule != nil
    }

    private func isPassing(_ response: Response) -> Bool {
        // 409: the server has another number of bytes than it said before.
        Self.passing.contains(response.statusCode)
            || (response.statusCode == 409 && response.request.headers.contains(.uploadOffset))
            || run.client.configuration.retry.statuses.contains(response.statusCode)
    }

    private func fail(_ reason: String, _ response: Response?) -> CallError {
        state.fail(CallError(.invalidResponse, reason, phase: .waitingForHead))
            .with(request: response?.request, response: response)
    }
}
