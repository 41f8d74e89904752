// ChainRun: the run of a chain. It takes a request out through the members and the response back in. It is the only place
// that sends a request again at the wish of a step.

import TsubameCore

/// The state of one segment's run: how far the request has come, and its response on the way back.
struct ChainRun {
    private(set) var request: Request
    private let steps: [any ChainStep]
    /// The step at which the request continues outwards.
    private var first = 0
    /// The step that the response, or the failure, has passed last.
    private var position = 0
    private var passed = PassedRequests()
    private var isResent = false
    /// The responses before this one, oldest first.
    private var history: [Response] = []

    init(_ request: consuming Request, steps: [any ChainStep]) {
        self.request = request
        self.steps = steps
    }

    /// Passes the request out through the steps, and remembers it for those that may have it sent again.
    /// - Returns: a step that has to wait before the request can continue (``resume(with:)``); nil at the end.
    mutating func goOut(_ call: Call) throws(CallError) -> (any ChainStep)? {
        // An error on the way out passes no step on its way back.
        position = 0
        for index in first..<steps.count {
            let step = steps[index]
            let stance = step.stance(toward: request)
            switch stance {
            case .absent, .passing:
                // The step may have decided about the request before this one.
                if isResent { passed.forget(at: index) }
            // No later step changes the request.
            case .watching where index == steps.count - 1: passed.remember(nil, at: index)
            case .watching, .deciding, .waiting: passed.remember(request, at: index)
            }
            if stance == .waiting {
                first = index + 1
                return step
            }
            if stance != .absent, stance != .watching { try step.willSend(&request, call) }
        }
        position = steps.count
        return nil
    }

    /// Continues after the step that has waited.
    mutating func resume(with request: Request) { self.request = request }

    /// Encodes a body that depends on the client's rules. An interceptor may have made it.
    mutating func resolveBody(by rules: any ValueRules) { request.body = request.body.resolved(by: rules) }

    /// Counts one more exchange of the call. Its error has the last response.
    func count(_ call: Call) throws(CallError) {
        do throws(CallError) {
            try call.countExchange()
        } catch {
            guard var last = history.last else { throw error }
            last.details = last.details.with(history: Array(history.dropLast()))
            throw error.with(response: last)
        }
    }

    /// Adds the earlier responses to one that has come from the next member.
    func arrive(_ response: inout Response) {
        if !history.isEmpty { response.details = response.details.with(history: history + response.history) }
    }

    /// Passes the response in through the steps, up to one that decides.
    /// - Returns: nil when the response has passed all of them.
    mutating func comeBack(_ response: inout Response, _ call: Call) throws(CallError) -> PendingFollowUp? {
        while position > 0 {
            position -= 1
            let step = steps[position]
            guard try step.didReceive(&response, call), let hop = passed.hop(at: position, request, call) else {
                continue
            }
            let followUp = step.followUp(response, hop)
            if case .proceed = followUp { continue }
            return PendingFollowUp(followUp)
        }
        return nil
    }

    /// Asks the next step about a failure.
    /// - Returns: nil when the failure has passed all of them.
    mutating func followUp(_ error: CallError, _ call: Call) -> PendingFollowUp? {
        while position > 0 {
            position -= 1
            guard let hop = passed.hop(at: position, request, call) else { continue }
            let followUp = steps[position].followUp(error, hop)
            if case .proceed = followUp { continue }
            return PendingFollowUp(followUp)
        }
        return nil
    }

    /// Starts over with another request, after the step that decided so.
    mutating func start(again request: Request, after response: Response?) {
        if var response {
            history = response.history
            response.details = response.details.with(history: [])
            history.append(response)
        }
        passed.countResend(of: request, at: position)
        self.request = request
        steps[position].willResend(&self.request)
        isResent = true
        first = position + 1
    }
}

extension InterceptorChain {
    /// Runs the segment at `index` and everything after it.
    ///
    /// The locals of this function are memory that each running call holds. So work that few requests need is in functions
    /// of its own.
    func run(_ given: consuming Request, from index: Int, _ call: Call) async throws(CallError) -> Response {
        var run = ChainRun(given, steps: segments[index].steps)
        while true {
            do throws(CallError) {
                while let step = try run.goOut(call) { try await wait(for: step, &run, call) }
                var response: Response
                if segments[index].interceptor != nil {
                    response = try await intercept(run.request, at: index, call)
                } else {
                    try run.count(call)
                    if run.request.body.isDeferred { run.resolveBody(by: valueRules) }
                    if let engine {
                        response = try await engine.send(run.request, call: call, files: support)
                    } else {
                        response = try await sendByTransport(run.request, call)
                    }
                }
                run.arrive(&response)
                var isFinal = true
                while isFinal, let pending = try run.comeBack(&response, call) {
                    isFinal = try await !carryOut(pending.followUp, &run, &response, call)
                }
                if isFinal { return response }
            } catch {
                try await recover(from: error, &run, call)
            }
        }
    }

    @inline(never)
    private func wait(for step: any ChainStep, _ run: inout ChainRun, _ call: Call) async throws(CallError) {
        run.resume(with: try await step.prepare(run.request, call))
    }

    @inline(never)
    private func intercept(_ request: Request, at index: Int, _ call: Call) async throws(CallError) -> Response {
        let next = CallNext(chain: self, index: index + 1)
        guard let interceptor = segments[index].interceptor else { return try await next(request, call) }
        return try await interceptor.intercept(request, call, next: next)
    }

    /// Carries out a step's decision about a response.
    /// - Returns: whether to send again.
    @inline(never)
    private func carryOut(
        _ followUp: FollowUp, _ run: inout ChainRun, _ response: inout Response, _ call: Call
    ) async throws(CallError) -> Bool {
        // Neither a fetch nor a delay may hold the connection.
        switch followUp {
        case .resend, .resendWhen: await response.body.drainForReuse()
        case .giveUp(let why): response.details = response.details.with(retryObstacle: why)
        case .proceed, .wait, .note, .fail: break
        }
        guard let next = try await followUp.request(on: clock?.clock, call) else { return false }
        run.start(again: next, after: response)
        return true
    }

    /// Asks the steps that a failure has not passed yet. Returns if the request is to be sent again.
    @inline(never)
    private func recover(from error: CallError, _ run: inout ChainRun, _ call: Call) async throws(CallError) {
        var obstacle: String?
        while let pending = run.followUp(error, call) {
            if case .giveUp(let why) = pending.followUp { obstacle = why }
            guard let next = try await pending.followUp.request(on: clock?.clock, call) else { continue }
            return run.start(again: next, after: nil)
        }
        throw error.with(request: run.request, retryObstacle: obstacle)
    }
}
