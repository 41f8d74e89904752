// LookUps: questions to the system's resolver, on threads of their own.

import NIOCore
import NIOPosix
import Synchronization

/// Asks for a host once however many want to know at once. The threads are its own, since a name server that does not
/// answer holds one for half a minute, and files and TLS must not wait for that.
final class LookUps: Sendable {
    typealias Answer = Result<[String], any Error>

    private static let threads = 16

    private let lookUp: @Sendable (String) throws -> [String]
    private let pool: NIOThreadPool
    private let waiting = Mutex<[String: [@Sendable (Answer) -> Void]]>([:])

    init(_ lookUp: @escaping @Sendable (String) throws -> [String]) {
        self.lookUp = lookUp
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// `answer` is called once, on a thread that must not be kept.
    func ask(_ host: String, _ answer: @escaping @Sendable (Answer) -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting[host, default: []].append(answer)
            return waiting[host]?.count == 1
        }
        guard isFirst else { return }
        pool.submit { state in
            let result: Answer =
                state == .active ? Result { try self.lookUp(host) } : .failure(ChannelError.ioOnClosedChannel)
            for answer in self.waiting.withLock({ $0.removeValue(forKey: host) }) ?? [] { answer(result) }
        }
    }
}
