// RetryDecisionTests: the decision whether something is sent again, as a table without sockets.

import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore

@Suite struct RetryDecisionTests {
    private typealias Next = RetryPolicy.Next
    private typealias Progress = RetryPolicy.Progress

    private static let get = Request(.get, url: "https://a.example/")

    /// The standard policy with the longest delays.
    private static func policy(_ change: (inout RetryPolicy) -> Void = { _ in }) -> RetryPolicy {
        .standard {
            $0.random = { 1 }
            change(&$0)
        }
    }

    private func failed(_ error: CallError, _ request: Request = get, retries: Int = 0) -> RetryPolicy.Outcome {
        RetryPolicy.Outcome(request: request, response: nil, error: error, retries: retries)
    }

    private func answered(_ status: Int, retries: Int = 0) -> RetryPolicy.Outcome {
        let response = Response(status: HTTPResponse.Status(code: status))
        return RetryPolicy.Outcome(request: Self.get, response: response, error: nil, retries: retries)
    }

    private static func error(
        _ kind: CallError.Kind, _ phase: CallError.Phase = .connecting, _ timeout: Timeouts.Name? = nil
    ) -> CallError {
        CallError(kind, "", phase: phase, timeout: timeout)
    }

    private static let lost = error(.connectionLost, .waitingForHead)
    private static let interrupted = error(.timeout, .receivingBody, .idle)

    @Test func `the text of a policy names its reasons`() {
        #expect("\(RetryPolicy.off)" == "off")
        #expect("\(RetryPolicy.connectionFailures)" == "up to 2 after connection failures")
        let ruled = RetryPolicy.standard { ($0.statuses, $0.rule) = ([503, 429], { _ in .standard }) }
        #expect("\(ruled)" == "up to 3 after connection failures, 429, 503, a rule")
    }

    // MARK: The classification

    @Test(arguments: CallError.Kind.allCases) func `each kind of failure has one class`(_ kind: CallError.Kind) {
        let expected: Transience =
            switch kind {
            case .connectionFailed, .connectionLost, .emptyReply, .incompleteResponse: .connection
            case .timeout: .interruption
            default: .permanent
            }
        #expect(Self.error(kind, .securing).transience == expected)
    }

    @Test func `the deadlines of a new connection are failures of connections, the others interruptions`() {
        for name in Timeouts.Name.allCases {
            let expected: Transience =
                name == .connect || name == .tls ? .connection : name == .total ? .expiry : .interruption
            #expect(Self.error(.timeout, .connecting, name).transience == expected)
        }
    }

    @Test func `a fault of TLS is an interruption in the middle of a transfer, and permanent in the handshake`() {
        for phase in [.sendingHead, .sendingBody, .waitingForHead, .receivingBody] as [CallError.Phase] {
            #expect(Self.error(.tls, phase).transience == .interruption)
        }
        for phase in [.connecting, .securing, .preparing] as [CallError.Phase] {
            #expect(Self.error(.tls, phase).transience == .permanent)
        }
    }

    @Test func `a cause that is known decides instead of the kind`() {
        for isTransient in [true, false] {
            let error = CallError(
                .connectionFailed, "", phase: .resolving, underlying: FailureCause(isTransient: isTransient))
            #expect(error.transience == (isTransient ? .connection : .permanent))
        }
    }

    // MARK: Which failures

    @Test func `an interruption is retried by those alone who continue behind it`() {
        let policy = Self.policy()
        let resumable = Progress.resumable(bytes: 0)
        for (error, progress, isRetried) in [
            (Self.lost, .none, true), (Self.lost, resumable, true), (Self.interrupted, .none, false),
            (Self.interrupted, resumable, true), (Self.error(.status), resumable, false),
            (Self.error(.cancelled), resumable, false),
            (Self.error(.timeout, .receivingBody, .total), resumable, false),
            (Self.error(.timeout, .receivingBody, .total), .subscription(maximum: 1, delay: .zero), true),
        ] as [(CallError, Progress, Bool)] {
            let next = policy.decide(failed(error), .init(), progress)
            if case .retry = next { #expect(isRetried, "\(error)") } else { #expect(next == .stop(why: nil)) }
            if case .stop = next { #expect(!isRetried, "\(error)") }
        }
    }

    @Test func `a policy without connection failures retries none, but subscriptions go on`() {
        let policy = Self.policy { $0.retriesConnectionFailures = false }
        #expect(policy.decide(failed(Self.lost), .init(), .none) == .stop(why: nil))
        #expect(policy.decide(failed(Self.lost), .init(), .resumable(bytes: 9)) == .stop(why: nil))
        #expect(
            RetryPolicy.off.decide(failed(Self.lost), .init(), .subscription(maximum: 1, delay: .seconds(3)))
                == .retry(number: 1, after: .seconds(3), reason: "a lost connection", isFree: true))
    }

    @Test func `a status counts if the policy names it, or if the transfer is unfinished`() {
        let policy = Self.policy()
        #expect(policy.decide(answered(200), .init(), .none) == .success)
        #expect(policy.decide(answered(404), .init(), .resumable(bytes: 0)) == .success)
        let retry = Next.retry(number: 1, after: .milliseconds(200), reason: "503", isFree: false)
        #expect(policy.decide(answered(503), .init(), .none) == retry)
        #expect(policy.decide(answered(503), .init(), .resumable(bytes: 0)) == retry)
        #expect(
            policy.decide(answered(200), .init(), .resumable(bytes: 0, isUnfinished: true))
                == .retry(number: 1, after: .milliseconds(200), reason: "200", isFree: false))
    }

    @Test func `a request that may not be repeated is not, unless the transfer continues`() {
        let post = Request(.post, url: "https://a.example/", body: .text("x"))
        let policy = Self.policy()
        #expect(
            policy.decide(failed(Self.lost, post), .init(), .none)
                == .stop(
                    why: "not sent again after a lost connection: POST may not be repeated without an Idempotency-Key"))
        guard case .retry = policy.decide(failed(Self.lost, post), .init(), .resumable(bytes: 1)) else {
            Issue.record("a transfer is not continued")
            return
        }
        let all = Self.policy { $0.allowsAllMethods = true }
        guard case .retry = all.decide(failed(Self.lost, post), .init(), .none) else {
            Issue.record("allowsAllMethods is not asked")
            return
        }
        let once = Request(.put, url: "https://a.example/", body: .stream(once: AsyncStream<[UInt8]> { $0.finish() }))
        #expect(
            all.decide(failed(Self.lost, once), .init(), .none)
                == .stop(why: "not sent again after a lost connection: the body can be sent only once"))
    }

    // MARK: How often and when

    @Test func `retries are counted anew after a mebibyte, and are then free`() {
        let policy = Self.policy { $0.retries = 2 }
        let (few, many) = (Progress.resumable(bytes: (1 << 20) - 1), Progress.resumable(bytes: 1 << 20))
        #expect(
            policy.decide(failed(Self.lost, retries: 2), .init(), few)
                == .stop(why: "not sent again after a lost connection: already retried 2 times"))
        #expect(
            policy.decide(failed(Self.lost, retries: 2), .init(), many)
                == .retry(number: 1, after: .milliseconds(200), reason: "a lost connection", isFree: true))
        #expect(
            policy.decide(failed(Self.lost, retries: 1), .init(), few)
                == .retry(number: 2, after: .milliseconds(400), reason: "a lost connection", isFree: false))
        #expect(
            Self.policy { $0.retries = 1 }.decide(failed(Self.lost, retries: 1), .init(), .none)
                == .stop(why: "not sent again after a lost connection: already retried once"))
        #expect(
            policy.decide(failed(Self.lost, retries: 2), .init(), .subscription(maximum: 2, delay: .zero))
                == .stop(why: "not sent again after a lost connection: already retried 2 times"))
    }

    @Test func `the rule's delay goes before the server's, and the server's before the policy's`() {
        func delay(_ policy: RetryPolicy, asked: Duration?) -> Duration? {
            guard case .retry(_, let delay, _, _) = policy.decide(answered(503), .init(retryAfter: asked), .none) else {
                return nil
            }
            return delay
        }
        let own = Self.policy { $0.rule = { _ in .retry(after: .seconds(7)) } }
        #expect(delay(own, asked: .seconds(500)) == .seconds(7))
        #expect(delay(Self.policy(), asked: .seconds(120)) == .seconds(120))
        #expect(delay(Self.policy(), asked: nil) == .milliseconds(200))
        #expect(delay(Self.policy { $0.rule = { _ in .retry(after: .seconds(-7)) } }, asked: nil) == .zero)
        #expect(
            Self.policy().decide(answered(503), .init(retryAfter: .seconds(121)), .none)
                == .stop(why: "not sent again: the server asks to wait 121 s", isObstacle: true))
    }

    @Test func `a delay that the deadline does not outlive is not begun`() {
        let policy = Self.policy()
        guard case .retry = policy.decide(answered(503), .init(timeLeft: .milliseconds(201)), .none) else {
            Issue.record("the delay ends before the deadline")
            return
        }
        #expect(
            policy.decide(answered(503), .init(timeLeft: .milliseconds(200)), .none)
                == .stop(why: "not sent again after 503: the deadline is nearer than 0.2 s", isObstacle: true))
    }

    // MARK: The rule and the budget

    @Test func `the rule has the last word, except about a cancelled call`() {
        let never = Self.policy { $0.rule = { _ in .giveUp } }
        #expect(never.decide(answered(503), .init(), .none) == .stop(why: nil))
        #expect(never.decide(answered(200), .init(), .none) == .stop(why: nil))
        #expect(
            never.decide(failed(Self.lost), .init(), .subscription(maximum: 9, delay: .zero)) == .stop(why: nil))
        let always = Self.policy { $0.rule = { _ in .retry() } }
        for outcome in [answered(200), failed(Self.error(.decoding)), failed(Self.interrupted)] {
            guard case .retry = always.decide(outcome, .init(), .none) else {
                Issue.record("\(outcome)")
                continue
            }
        }
        #expect(always.decide(failed(Self.error(.cancelled)), .init(), .none) == .stop(why: nil))
        let standard = Self.policy { $0.rule = { _ in .standard } }
        #expect(standard.decide(answered(200), .init(), .none) == .success)
    }

    @Test func `to decide takes nothing out of the budget, and to go on takes one retry, unless it is free`() throws {
        let policy = Self.policy { ($0.extraLoad, $0.retries) = (1, 100) }
        for _ in 0..<100 { _ = policy.decide(answered(503), .init(), .none) }
        func isRetried(_ progress: Progress) -> Bool {
            if case .retry = policy.next(after: answered(503), .init(), progress) { true } else { false }
        }
        // The reserve is ten retries.
        for _ in 0..<10 { #expect(isRetried(.none)) }
        #expect(
            policy.next(after: answered(503), .init(), .none)
                == .stop(
                    why: "not sent again after 503: too many calls of this client fail (retry.extraLoad)",
                    isObstacle: true))
        #expect(isRetried(.resumable(bytes: 1 << 20)) && isRetried(.subscription(maximum: 9, delay: .zero)))
        #expect(!isRetried(.resumable(bytes: 1)))
        // The chain sees each response. A success adds `extraLoad`, which is one retry here.
        #expect(policy.next(after: answered(200), .init(), .none) == .success)
        #expect(!isRetried(.none))
        let request = Request(.get, url: "http://a.example/")
        let call = Call(
            request, CallOptions(), observers: ObserverList())
        var (success, failure) = (
            Response(status: .ok, request: request), Response(status: .serviceUnavailable, request: request)
        )
        #expect(try Retries(policy: policy).didReceive(&failure, call))
        #expect(!isRetried(.none))
        #expect(try !Retries(policy: policy).didReceive(&success, call))
        #expect(isRetried(.none) && !isRetried(.none))
    }

    @Test func `a response that the rule calls a failure does not fill the budget`() throws {
        let policy = Self.policy {
            ($0.extraLoad, $0.retries, $0.statuses) = (1, 1_000, [])
            $0.rule = { $0.response?.statusCode == 503 ? .retry(after: .zero) : .standard }
        }
        let (retries, request) = (Retries(policy: policy), Self.get)
        let call = Call(
            request, CallOptions(), observers: ObserverList())
        func isResent(_ status: Int) throws -> Bool {
            var response = Response(status: .init(code: status), request: request)
            guard try retries.didReceive(&response, call) else { return false }
            let followUp = retries.followUp(response, Hop(request: request, call: call, resends: 0))
            if case .resend = followUp { return true } else { return false }
        }
        // The reserve is ten retries.
        for _ in 0..<10 { #expect(try isResent(503)) }
        #expect(try !isResent(503))
        // The rule calls this one no failure, so it adds a retry.
        #expect(try !isResent(200))
        #expect(try isResent(503))
        #expect(try !isResent(503))
    }
}
