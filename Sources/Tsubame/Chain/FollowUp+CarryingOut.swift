// FollowUp+CarryingOut: the waiting and the events of a follow-up, and the rest of a response that is followed up.

import TsubameCore
import TsubamePlatform

extension FollowUp {
    /// Reports the decision, and waits as it asks.
    /// - Returns: the request to send next; nil to go on with the response or the failure.
    func request(on clock: (any Clock<Duration>)?, _ call: Call) async throws(CallError) -> Request? {
        switch self {
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
            if delay > .zero { try await CallDelay.wait(delay, on: clock, for: call, .backingOff) }
            return request
        case .resendWhen(let fetch, let why):
            let request = try await fetch()
            call.emit(.resending(request, why: why, after: .zero))
            return request
        }
    }
}

extension ResponseBody {
    /// How much of a response that is followed up is read, so that its connection can be used again.
    private static let drainedBytes = 256 << 10
    /// The longest time for this, in nanoseconds. A new connection is cheaper than a body that does not come.
    private static let drainTime: UInt64 = 500_000_000

    /// Reads the rest of the body, unless it is long or slow.
    func drainForReuse() async {
        guard bytes == nil else { return }
        let alarm = Alarm(at: MonotonicClock.now &+ Self.drainTime, mayBlock: true) { discard() }
        await drain(upTo: Self.drainedBytes)
        withExtendedLifetime(alarm) {}
    }
}
