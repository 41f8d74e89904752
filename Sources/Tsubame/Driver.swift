// Driver: takes a request down the corridor and the response back up; the only place that sends again.

import TsubameCore

extension Corridor {
    /// How much of a response that is not the last is read, so that its connection can be used again.
    private static let drainedBytes = 256 << 10
    /// And for how long, in nanoseconds: a new connection is cheaper than a body that does not come.
    private static let drainTime: UInt64 = 500_000_000

    /// Runs the segment at `index` and everything behind it.
    ///
    /// Hooks change the message in passing, judges say on the way back what happens next. A judge's resend starts
    /// behind that judge; what the response so far still holds is given up, and it goes into the history.
    ///
    /// Whatever is not on the way of every request is in functions of its own: the locals of this one are memory that
    /// each running call holds.
    func run(_ given: consuming Request, from index: Int, _ call: Call) async throws(CallError) -> Response {
        var passage = Passage(given, steps: segments[index].steps)
        while true {
            do throws(CallError) {
                while let step = try passage.goOut(call) { try await wait(for: step, &passage, call) }
                var response: Response
                switch segments[index].end {
                case .transport:
                    try passage.count(call)
                    if passage.request.body.isDeferred { passage.resolveBody(by: json) }
                    // Called by its own type where that is known: an async call through a protocol costs a frame more.
                    if let engine {
                        response = try await engine.send(passage.request, call: call)
                    } else {
                        response = try await sendByTransport(passage.request, call)
                    }
                case .around, .callAround:
                    response = try await pass(index, passage.request, call)
                }
                passage.arrive(&response)
                var isFinal = true
                while isFinal, let judgement = try passage.comeBack(&response, call) {
                    isFinal = try await !follow(judgement, &passage, &response, call)
                }
                if isFinal { return response }
            } catch {
                try await recover(from: error, &passage, call)
            }
        }
    }

    @inline(never)
    private func wait(for step: any Step, _ passage: inout Passage, _ call: Call) async throws(CallError) {
        passage.goOn(with: try await step.prepare(passage.request, call))
    }

    @inline(never)
    private func sendByTransport(_ request: Request, _ call: Call) async throws(CallError) -> Response {
        call.isInTransport = true
        defer { call.isInTransport = false }
        return try await transport.send(request, call: call)
    }

    /// Does what a judge said of a response.
    /// - Returns: whether to send again.
    @inline(never)
    private func follow(
        _ judgement: Judgement, _ passage: inout Passage, _ response: inout Response, _ call: Call
    ) async throws(CallError) -> Bool {
        // Neither what is fetched nor the wait before the next attempt is to hold the connection.
        switch judgement.verdict {
        case .resend, .resendWhen: await drain(response.body)
        case .giveUp(let why): response.details = response.details.with(retryObstacle: why)
        case .proceed, .wait, .note, .fail: break
        }
        guard let next = try await act(on: judgement.verdict, call) else { return false }
        passage.start(again: next, after: response)
        return true
    }

    /// Judges that a failure has not passed yet may know better; returns if it is to be sent again.
    @inline(never)
    private func recover(from error: CallError, _ passage: inout Passage, _ call: Call) async throws(CallError) {
        var obstacle: String?
        while let judgement = passage.judge(error, call) {
            if case .giveUp(let why) = judgement.verdict { obstacle = why }
            guard let next = try await act(on: judgement.verdict, call) else { continue }
            return passage.start(again: next, after: nil)
        }
        throw error.with(request: passage.request, retryObstacle: obstacle)
    }

    /// Reads what is left of a body that nobody wants, unless it is long or slow.
    private func drain(_ body: ReceivedBody) async {
        guard body.bytes == nil else { return }
        let alarm = Alarm(at: MonotonicClock.now &+ Self.drainTime, mayBlock: true) { body.discard() }
        await body.drain(upTo: Self.drainedBytes)
        withExtendedLifetime(alarm) {}
    }

    @inline(never)
    private func pass(_ index: Int, _ request: Request, _ call: Call) async throws(CallError) -> Response {
        let around: any Around
        switch segments[index].end {
        case .callAround(let own):
            return try await own.intercept(request, call, next: Onward(corridor: self, index: index + 1))
        case .transport: return try await transport.send(request, call: call)
        case .around(let foreign): around = foreign
        }
        let next = Next { given throws(CallError) in
            try await self.run(self.adopt(given, insteadOf: request), from: index + 1, call)
        }
        do {
            var response = try await around.intercept(request, next: next)
            if response.isHandMade { response.details = response.details.with(request: request) }
            return response
        } catch let error as CallError {
            throw error
        } catch is CancellationError {
            throw call.cancelled(.preparing)
        } catch {
            throw CallError(
                .interceptor, "the interceptor \(around.name) threw: \(error)", underlying: error, request: request)
        }
    }

    /// What a verdict asks for: the request to send next, or nil to go on with what is there.
    private func act(on verdict: Verdict, _ call: Call) async throws(CallError) -> Request? {
        switch verdict {
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
