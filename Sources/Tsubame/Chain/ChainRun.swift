// ChainRun: how far a request has come in one segment of the chain, and its response on the way back.

import TsubameCore

struct ChainRun {
    private(set) var request: Request
    private let steps: [any Step]
    /// Where to go on outwards.
    private var first = 0
    /// The step that the response, or the failure, has passed last.
    private var position = 0
    private var passed = PassedPolicies()
    /// Whether something has been sent before.
    private var isAgain = false
    /// The responses before this one, oldest first.
    private var history: [Response] = []

    init(_ request: consuming Request, steps: [any Step]) {
        self.request = request
        self.steps = steps
    }

    /// Out through the hooks; each policy's request is remembered.
    /// - Returns: a step that has to wait before the request can go on (``goOn(with:)``); nil at the inner end.
    mutating func goOut(_ call: Call) throws(CallError) -> (any Step)? {
        // What fails out here has passed nobody on its way back.
        position = 0
        for index in first..<steps.count {
            let step = steps[index]
            let stance = step.stance(toward: request)
            switch stance {
            case .absent, .passing:
                // It may have decided about the request before this one.
                if isAgain { passed.forget(at: index) }
            // Behind the last step nobody changes the request any more.
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

    /// The step that had to wait has done so; out from behind it.
    mutating func goOn(with request: Request) { self.request = request }

    /// What an interceptor put into the request may still depend on the client.
    mutating func resolveBody(by rules: any ValueRules) {
        request.body = request.body.resolved(by: rules)
    }

    /// Counts one more exchange.
    func count(_ call: Call) throws(CallError) {
        do throws(CallError) {
            try call.countExchange()
        } catch {
            throw error.with(response: lastResponse)
        }
    }

    /// The last response with those before it: what a call has to show that is not sent again.
    private var lastResponse: Response? {
        guard var last = history.last else { return nil }
        last.details = last.details.with(history: Array(history.dropLast()))
        return last
    }

    /// A response is at the inner end.
    func arrive(_ response: inout Response) {
        if !history.isEmpty { response.details = response.details.with(history: history + response.history) }
    }

    /// In through the hooks, up to a policy that has something to say.
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

    /// What the next policy says of a failure; nil when there is none left.
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

    /// Starts over with another request, behind the policy that said so.
    mutating func start(again request: Request, after response: Response?) {
        if var response {
            history = response.history
            response.details = response.details.with(history: [])
            history.append(response)
        }
        passed.countResend(of: request, at: position)
        self.request = request
        isAgain = true
        first = position + 1
    }
}

/// What a policy said; an object, since few calls have one.
final class PendingFollowUp {
    let followUp: FollowUp

    init(_ followUp: FollowUp) { self.followUp = followUp }
}

/// The requests as they passed the policies of one segment. Two are kept in place: most lists have no more.
private struct PassedPolicies {
    private struct Entry {
        let position: Int
        /// nil if it is the one that went out.
        var request: Request?
        var resends = 0
    }

    private var first: Entry?
    private var second: Entry?
    private var rest: [Entry] = []

    mutating func remember(_ request: Request?, at position: Int) {
        if first?.position == position {
            first?.request = request
        } else if second?.position == position {
            second?.request = request
        } else if let index = rest.firstIndex(where: { $0.position == position }) {
            rest[index].request = request
        } else if first == nil {
            first = Entry(position: position, request: request)
        } else if second == nil {
            second = Entry(position: position, request: request)
        } else {
            rest.append(Entry(position: position, request: request))
        }
    }

    mutating func forget(at position: Int) {
        if first?.position == position {
            first = nil
        } else if second?.position == position {
            second = nil
        } else {
            rest.removeAll { $0.position == position }
        }
    }

    /// - Parameter last: the request that went out.
    func hop(at position: Int, _ last: Request, _ call: Call) -> Hop? {
        let entry =
            first?.position == position
            ? first : second?.position == position ? second : rest.first { $0.position == position }
        return entry.map { Hop(request: $0.request ?? last, call: call, resends: $0.resends) }
    }

    /// A resend goes on from the request that it sends.
    mutating func countResend(of request: Request, at position: Int) {
        if first?.position == position {
            first?.resends += 1
            first?.request = request
        } else if second?.position == position {
            second?.resends += 1
            second?.request = request
        } else if let index = rest.firstIndex(where: { $0.position == position }) {
            rest[index].resends += 1
            rest[index].request = request
        }
    }
}
