// NameResolver: where the addresses of a host's name come from.

import Synchronization
import TsubameCore
import TsubamePlatform

/// Where the addresses of names come from.
///
/// ```swift
/// $0.connection.resolver = .custom { host in
///     NameResolver.Answer(try await directory.addresses(of: host), lifetime: .seconds(30))
/// }
/// ```
/// Literals, `localhost` and what ``ConnectionSettings/resolve`` names never come here.
public struct NameResolver: Sendable, Hashable, CustomStringConvertible {
    /// The addresses of a host, the best first; of two families they are tried by turns (RFC 8305).
    public struct Answer: Sendable {
        /// IPv4 and IPv6 literals.
        public var addresses: [String]
        /// How long they are good for, at most as long as ``ConnectionSettings/addressLifetime``; nil for that.
        public var lifetime: Duration?

        /// These addresses, good for `lifetime`.
        public init(_ addresses: [String], lifetime: Duration? = nil) {
            self.addresses = addresses
            self.lifetime = lifetime
        }
    }

    let names: NameCache
    /// `system` or `custom`.
    public let description: String

    private init(_ names: NameCache, _ description: String) {
        self.names = names
        self.description = description
    }

    /// The system's: hosts file, name servers, whatever it is set up for.
    public static let system = NameResolver(NameCache(SystemLookUps().ask), "system")

    /// One of your own. A host is asked for once however many calls want to know at once; the calls' deadlines run
    /// meanwhile. What it throws fails the calls with ``CallError/Kind/nameResolution`` and that error as `underlying`.
    public static func custom(_ lookUp: @escaping @Sendable (_ host: String) async throws -> Answer) -> NameResolver {
        NameResolver(
            NameCache { host, answer in
                Task {
                    do {
                        answer(.success(try await lookUp(host)))
                    } catch {
                        answer(
                            .failure(
                                CallError(
                                    .nameResolution, "the client's resolver failed for \(host): \(error)",
                                    phase: .resolving, underlying: error)))
                    }
                }
            }, "custom")
    }

    /// The same if made by the same call.
    public static func == (left: NameResolver, right: NameResolver) -> Bool { left.names === right.names }

    /// By the resolver's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(names.number) }
}

/// The answers of one resolver, kept for a while.
final class NameCache: Sendable {
    typealias Reply = @Sendable (Result<NameResolver.Answer, any Error>) -> Void

    /// More names than this are not kept: whoever is led from host to host must not fill the memory.
    private static let maximum = 1_000
    /// In nanoseconds.
    private static let joinTimeout: MonotonicTime = 30_000_000_000

    private struct State: Sendable {
        var kept: [String: (answer: NameResolver.Answer, at: MonotonicTime)] = [:]
        var waiting: [String: (replies: [Reply], since: MonotonicTime)] = [:]
    }

    let number = UniqueNumber()
    private let state = Mutex(State())
    private let lookUp: @Sendable (String, @escaping Reply) -> Void

    init(_ lookUp: @escaping @Sendable (String, @escaping Reply) -> Void) { self.lookUp = lookUp }

    /// What is known and not older than `lifetime`.
    func known(_ host: String, lifetime: Duration) -> [String]? {
        state.withLock { state in
            guard let (answer, at) = state.kept[host] else { return nil }
            let limit = Swift.min(lifetime, answer.lifetime ?? lifetime).nanosecondsClamped
            return MonotonicClock.now &- at < limit ? answer.addresses : nil
        }
    }

    /// Asks; `reply` is called once, on a thread that must not be kept. Who asks meanwhile waits for the same answer, unless
    /// it has been waited for so long that it may never come: then the question is put once more, and the first answer is
    /// everybody's.
    func ask(_ host: String, _ reply: @escaping Reply) {
        let asks = state.withLock { state in
            let now = MonotonicClock.now
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
                // What cannot be used is not kept.
                if case .success(let answer) = result, !answer.addresses.isEmpty,
                    answer.addresses.allSatisfy({ IPAddress($0) != nil })
                {
                    if state.kept.count >= Self.maximum { state.kept.removeAll() }
                    state.kept[host] = (answer, MonotonicClock.now)
                }
                return state.waiting.removeValue(forKey: host)?.replies ?? []
            }
            for reply in replies { reply(result) }
        }
    }

    /// None of its addresses could be reached: the next call asks again.
    func forget(_ host: String) { state.withLock { $0.kept[host] = nil } }
}
