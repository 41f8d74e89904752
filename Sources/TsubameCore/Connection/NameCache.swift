// NameCache: the answers of one resolver, kept for a while.

import Synchronization
package import TsubamePlatform

/// The answers of one resolver, kept for a while.
package final class NameCache: Sendable {
    package typealias Reply = @Sendable (Result<NameResolver.Answer, any Error>) -> Void

    /// The most names that are kept. Without a limit, a series of redirects to ever new hosts would fill the memory.
    private static let maximum = 1_000
    /// The age after which a look-up is asked for once more, in nanoseconds.
    private static let joinTimeout: MonotonicTime = 30_000_000_000

    private struct State: Sendable {
        var kept: [String: (answer: NameResolver.Answer, at: MonotonicTime)] = [:]
        var waiting: [String: (replies: [Reply], since: MonotonicTime)] = [:]
    }

    package let number = UniqueNumber()
    private let state = Mutex(State())
    private let lookUp: @Sendable (String, @escaping Reply) -> Void

    package init(_ lookUp: @escaping @Sendable (String, @escaping Reply) -> Void) { self.lookUp = lookUp }

    /// The kept addresses of a host, if they are not older than `lifetime`.
    package func known(_ host: String, lifetime: Duration) -> [String]? {
        state.withLock { state in
            guard let (answer, at) = state.kept[host] else { return nil }
            let limit = Swift.min(lifetime, answer.lifetime ?? lifetime).nanosecondsClamped
            return MonotonicClock.nowWithSleep &- at < limit ? answer.addresses : nil
        }
    }

    /// Looks a host up. Callers that ask for the same host meanwhile get the same answer. If an answer has not come within
    /// 30 seconds, it may never come. The next caller then starts a second look-up, and the first answer goes to all.
    /// - Parameter reply: called once, on a thread that it must not block.
    package func ask(_ host: String, _ reply: @escaping Reply) {
        let asks = state.withLock { state in
            let now = MonotonicClock.nowWithSleep
            guard let (_, since) = state.waiting[host], now &- since < Self.joinTimeout else {
                state.waiting[host] = ((state.waiting[host]?.replies ?? []) + [reply], now)
                return true
            }
            state.waiting[host]?.replies.append(reply)
            return false
        }
        guard asks else { return }
        lookUp(host) { result in
            let replies = self.state.withLock { state in
                // Unusable answers are not kept.
                if case .success(let answer) = result, !answer.addresses.isEmpty,
                    answer.addresses.allSatisfy({ IPAddress($0) != nil })
                {
                    if state.kept.count >= Self.maximum { state.kept.removeAll() }
                    state.kept[host] = (answer, MonotonicClock.nowWithSleep)
                }
                return state.waiting.removeValue(forKey: host)?.replies ?? []
            }
            for reply in replies { reply(result) }
        }
    }

    /// Forgets the addresses of a host of which none could be reached.
    package func forget(_ host: String) { state.withLock { $0.kept[host] = nil } }
}
