// Client+TransferRetry: carries out the retry policy's decision for downloads and uploads that continue by themselves.

import TsubameCore

extension Client {
    /// The step of a transfer after an attempt.
    enum TransferStep {
        /// Continue. The number counts the retries since the attempts last moved many bytes.
        case retry(Int)
        /// The outcome stands.
        /// - Parameter obstacle: why there is no other attempt, for the error of the call; nil if the error needs no reason.
        case stop(obstacle: String?)
    }

    /// Asks the retry policy about an attempt of a transfer, reports the decision, and waits before the next attempt.
    /// - Parameters:
    ///   - request: the request that the event about the retry shows.
    ///   - progress: how far the transfer has come, in words, such as `after 10 bytes`.
    func step(
        after outcome: RetryPolicy.Outcome, _ attempt: RetryPolicy.Attempt, _ moved: RetryPolicy.Progress,
        _ progress: String, showing request: Request, _ call: Call
    ) async throws(CallError) -> TransferStep {
        let policy = configuration.retry
        switch policy.next(after: outcome, attempt, moved) {
        case .success, .stop(nil, _): return .stop(obstacle: nil)
        case .stop(let why?, let isObstacle):
            call.emit(.decision(why))
            return .stop(obstacle: isObstacle ? why : nil)
        case .retry(let number, let delay, let reason, _):
            let why = ResendReason(.retry, "\(reason) \(progress), retry \(number) of \(policy.retries)")
            call.emit(.resending(request, why: why, after: delay))
            try await CallDelay.wait(delay, on: chain.clock?.clock, for: call, .backingOff)
            return .retry(number)
        }
    }
}
