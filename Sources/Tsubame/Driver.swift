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
    func run(_ given: consuming Request, from index: Int, _ call: Call) async throws(CallError) -> Response {
        let segment = segments[index]
        let steps = segment.steps
        var request = given
        var first = 0
        var passed = PassedJudges()
        var history: [Response] = []
        sending: while true {
            for position in first..<steps.count {
                let step = steps[position]
                if step.judges {
                    passed.remember(request, at: position)
                } else {
                    try step.willSend(&request)
                }
            }
            var position = steps.count
            do throws(CallError) {
                var response: Response
                switch segment.end {
                case .transport:
                    do throws(CallError) {
                        try call.countExchange()
                    } catch {
                        throw error.with(response: Self.joined(history))
                    }
                    // Called by its own type where that is known: an async call through a protocol costs a frame more.
                    if let engine {
                        response = try await engine.send(request, call: call)
                    } else {
                        response = try await transport.send(request, call: call)
                    }
                case .around(let around):
                    response = try await pass(around, index, request, call)
                }
                if !history.isEmpty {
                    response.details = response.details.with(history: history + response.history)
                }
                while position > 0 {
                    position -= 1
                    let step = steps[position]
                    guard try step.didReceive(&response), let hop = passed.hop(at: position, call) else { continue }
                    let verdict = step.judge(response, hop)
                    if case .proceed = verdict { continue }
                    guard let next = try await act(on: verdict, call) else { continue }
                    await drain(response.body)
                    history = response.history
                    response.details = response.details.with(history: [])
                    history.append(response)
                    passed.countResend(of: next, at: position)
                    request = next
                    first = position + 1
                    continue sending
                }
                return response
            } catch {
                // Judges that the failure has not passed yet may know better.
                while position > 0 {
                    position -= 1
                    guard steps[position].judges, let hop = passed.hop(at: position, call),
                        let next = try await act(on: steps[position].judge(error, hop), call)
                    else { continue }
                    passed.countResend(of: next, at: position)
                    request = next
                    first = position + 1
                    continue sending
                }
                throw error.with(request: request)
            }
        }
    }

    /// Reads what is left of a body that nobody wants, unless it is long or slow.
    private func drain(_ body: ReceivedBody) async {
        guard body.bytes == nil else { return }
        let alarm = Alarm(at: MonotonicClock.now &+ Self.drainTime) { body.discard() }
        await body.drain(upTo: Self.drainedBytes)
        withExtendedLifetime(alarm) {}
    }

    /// The last response with those before it: what a call has to show that is not sent again.
    private static func joined(_ history: [Response]) -> Response? {
        guard var last = history.last else { return nil }
        last.details = last.details.with(history: Array(history.dropLast()))
        return last
    }

    private func pass(
        _ around: any Around, _ index: Int, _ request: Request, _ call: Call
    ) async throws(CallError) -> Response {
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
        case .note(let why):
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

/// The requests as they passed the judges of one segment. The first is kept in place: most lists have one judge.
private struct PassedJudges {
    private struct Entry {
        let position: Int
        var request: Request
        var resends = 0
    }

    private var first: Entry?
    private var rest: [Entry] = []

    mutating func remember(_ request: Request, at position: Int) {
        if first == nil || first?.position == position {
            first = Entry(position: position, request: request, resends: first?.resends ?? 0)
        } else if let index = rest.firstIndex(where: { $0.position == position }) {
            rest[index].request = request
        } else {
            rest.append(Entry(position: position, request: request))
        }
    }

    func hop(at position: Int, _ call: Call) -> Hop? {
        let entry = first?.position == position ? first : rest.first { $0.position == position }
        return entry.map { Hop(request: $0.request, call: call, resends: $0.resends) }
    }

    /// A resend goes on from the request that it sends.
    mutating func countResend(of request: Request, at position: Int) {
        if first?.position == position {
            first?.resends += 1
            first?.request = request
        } else if let index = rest.firstIndex(where: { $0.position == position }) {
            rest[index].resends += 1
            rest[index].request = request
        }
    }
}
