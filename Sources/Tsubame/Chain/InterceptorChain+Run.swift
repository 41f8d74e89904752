// The run of a chain: takes a request down the chain and the response back up; the only place that sends again.

import TsubameCore
import TsubamePlatform

extension InterceptorChain {
    /// How much of a response that is not the last is read, so that its connection can be used again.
    private static let drainedBytes = 256 << 10
    /// And for how long, in nanoseconds: a new connection is cheaper than a body that does not come.
    private static let drainTime: UInt64 = 500_000_000

    /// Runs the segment at `index` and everything behind it.
    ///
    /// Hooks change the message in passing, policies say on the way back what happens next. A policy's resend starts
    /// behind that policy; what the response so far still holds is given up, and it goes into the history.
    ///
    /// Whatever is not on the way of every request is in functions of its own: the locals of this one are memory that
    /// each running call holds.
    func run(_ given: consuming Request, from index: Int, _ call: Call) async throws(CallError) -> Response {
        var chainRun = ChainRun(given, steps: segments[index].steps)
        while true {
            do throws(CallError) {
                while let step = try chainRun.goOut(call) { try await wait(for: step, &chainRun, call) }
                var response: Response
                switch segments[index].end {
                case .transport:
                    try chainRun.count(call)
                    if chainRun.request.body.isDeferred { chainRun.resolveBody(by: valueRules) }
                    // Called by its own type where that is known: an async call through a protocol costs a frame more.
                    if let engine {
                        response = try await engine.send(chainRun.request, call: call)
                    } else {
                        response = try await sendByTransport(chainRun.request, call)
                    }
                case .interceptor, .callInterceptor:
                    response = try await pass(index, chainRun.request, call)
                }
                chainRun.arrive(&response)
                var isFinal = true
                while isFinal, let pending = try chainRun.comeBack(&response, call) {
                    isFinal = try await !follow(pending, &chainRun, &response, call)
                }
                if isFinal { return response }
            } catch {
                try await recover(from: error, &chainRun, call)
            }
        }
    }

    @inline(never)
    private func wait(for step: any Step, _ chainRun: inout ChainRun, _ call: Call) async throws(CallError) {
        chainRun.goOn(with: try await step.prepare(chainRun.request, call))
    }

    @inline(never)
    private func sendByTransport(_ request: Request, _ call: Call) async throws(CallError) -> Response {
        if let transportFault { throw transportFault.with(request: request) }
        return try await TransportExchange(request, call: call, support: support).run(transport)
    }

    /// Does what a policy said of a response.
    /// - Returns: whether to send again.
    @inline(never)
    private func follow(
        _ pending: PendingFollowUp, _ chainRun: inout ChainRun, _ response: inout Response, _ call: Call
    ) async throws(CallError) -> Bool {
        // Neither what is fetched nor the wait before the next attempt is to hold the connection.
        switch pending.followUp {
        case .resend, .resendWhen: await drain(response.body)
        case .giveUp(let why): response.details = response.details.with(retryObstacle: why)
        case .proceed, .wait, .note, .fail: break
        }
        guard let next = try await act(on: pending.followUp, call) else { return false }
        chainRun.start(again: next, after: response)
        return true
    }

    /// Policies that a failure has not passed yet may know better; returns if it is to be sent again.
    @inline(never)
    private func recover(from error: CallError, _ chainRun: inout ChainRun, _ call: Call) async throws(CallError) {
        var obstacle: String?
        while let pending = chainRun.followUp(error, call) {
            if case .giveUp(let why) = pending.followUp { obstacle = why }
            guard let next = try await act(on: pending.followUp, call) else { continue }
            return chainRun.start(again: next, after: nil)
        }
        throw error.with(request: chainRun.request, retryObstacle: obstacle)
    }

    /// Reads what is left of a body that nobody wants, unless it is long or slow.
    private func drain(_ body: ResponseBody) async {
        guard body.bytes == nil else { return }
        let alarm = Alarm(at: MonotonicClock.now &+ Self.drainTime, mayBlock: true) { body.discard() }
        await body.drain(upTo: Self.drainedBytes)
        withExtendedLifetime(alarm) {}
    }

    @inline(never)
    private func pass(_ index: Int, _ request: Request, _ call: Call) async throws(CallError) -> Response {
        let interceptor: any Interceptor
        switch segments[index].end {
        case .callInterceptor(let own):
            return try await own.intercept(request, call, next: CallNext(chain: self, index: index + 1))
        case .transport:
            return try await sendByTransport(request, call)
        case .interceptor(let users): interceptor = users
        }
        let next = Next { given throws(CallError) in
            try await self.run(self.adopt(given, insteadOf: request), from: index + 1, call)
        }
        do {
            var response = try await interceptor.intercept(request, next: next)
            if response.isHandMade { response.details = response.details.with(request: request) }
            return response
        } catch let error as CallError {
            throw error
        } catch is CancellationError {
            throw call.cancelled(.preparing)
        } catch {
            throw CallError(
                .interceptor, "the interceptor \(interceptor.name) threw: \(error)", underlying: error, request: request
            )
        }
    }

    /// What a follow-up asks for: the request to send next, or nil to go on with what is there.
    private func act(on followUp: FollowUp, _ call: Call) async throws(CallError) -> Request? {
        switch followUp {
        case .proceed:
            return nil
        case .wait(let work):
            try await work()
            return nil
        case .note(let why), .giveUp(let why):
            call.emit(.decision(why))
            return nil
        case .fail(let error):
            throw error
        case .resend(let request, let delay, let why):
            call.emit(.resending(request, why: why, after: delay))
            if delay > .zero { try await BackOff.wait(delay, on: clock?.clock, call) }
            return request
        case .resendWhen(let fetch, let why):
            let request = try await fetch()
            call.emit(.resending(request, why: why, after: .zero))
            return request
        }
    }
}
