// SystemLookUps: questions to the system's resolver, on threads of their own.

import DequeModule
import NIOCore
import NIOPosix
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameSockets

/// The threads are its own, since a name server that does not answer holds one for half a minute, and files and TLS must
/// not wait for that. Each is started when all others are busy: most programs ask for a few names, one after the other, and
/// a tool may ask for none.
///
/// Calls end at their deadlines, but their questions stay. Questions that have waited for too long get an error, so that
/// later ones have their turn, and the number of those that wait has a limit.
final class SystemLookUps: Sendable {
    typealias LookUp = @Sendable (String) throws -> [String]

    private struct Question: Sendable {
        let host: String
        let since: MonotonicTime
        let reply: NameCache.Reply
    }

    private static let threads = 16
    /// The most questions that wait for a thread.
    static let maximumWaiting = 1_000

    private struct State: Sendable {
        /// Each is one thread.
        var pools: [NIOThreadPool] = []
        var idle: [NIOThreadPool] = []
        var waiting: Deque<Question> = []
    }

    private let state = Mutex(State())
    private let patience: Duration
    private let lookUp: LookUp

    /// - Parameters:
    ///   - patience: the longest wait for a thread. The wait is looked at when a thread is free. It is shorter than the time for
    ///     which `NameCache` joins callers to a question, so that few of them get the error of an older one.
    ///   - lookUp: gives the addresses of a host. It may block.
    init(patience: Duration = .seconds(20), _ lookUp: @escaping LookUp = SystemLookUps.resolve) {
        self.patience = patience
        self.lookUp = lookUp
    }

    deinit {
        for pool in state.withLock({ $0.pools }) { pool.shutdownGracefully { _ in } }
    }

    /// `reply` is called once, on a thread that must not be kept. That may be the current one.
    func ask(_ host: String, _ reply: @escaping NameCache.Reply) {
        let question = Question(host: host, since: MonotonicClock.now, reply: reply)
        let (pool, isRefused) = state.withLock { state -> (NIOThreadPool?, Bool) in
            if let idle = state.idle.popLast() { return (idle, false) }
            guard state.pools.count < Self.threads else {
                if state.waiting.count >= Self.maximumWaiting { return (nil, true) }
                state.waiting.append(question)
                return (nil, false)
            }
            let pool = NIOThreadPool(numberOfThreads: 1)
            pool.start()
            state.pools.append(pool)
            return (pool, false)
        }
        if isRefused {
            return reply(.failure(Self.busy(host, "\(Self.maximumWaiting) names wait for their addresses")))
        }
        pool?.submit { condition in
            guard condition == .active else { return reply(.failure(ChannelError.ioOnClosedChannel)) }
            self.answer(question)
            self.answerWaiting(on: pool)
        }
    }

    private func answer(_ question: Question) {
        let host = question.host
        guard MonotonicClock.now &- question.since < patience.nanosecondsClamped else {
            return question.reply(
                .failure(Self.busy(host, "the name servers did not answer earlier questions for \(patience)")))
        }
        question.reply(Result { NameResolver.Answer(try lookUp(host)) })
    }

    private static func busy(_ host: String, _ reason: String) -> CallError {
        CallError(
            .nameResolution, "\(host) was not looked up: \(reason)", phase: .resolving,
            advice: "check the network and the name servers of this machine",
            underlying: FailureCause(isTransient: true))
    }

    /// The names that have been asked for meanwhile; without one the thread is free.
    private func answerWaiting(on pool: NIOThreadPool?) {
        while true {
            let next = state.withLock { state -> Question? in
                if let next = state.waiting.popFirst() { return next }
                if let pool { state.idle.append(pool) }
                return nil
            }
            guard let next else { return }
            answer(next)
        }
    }

    static func resolve(_ host: String) throws -> [String] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        // glibc says EAI_SYSTEM, or EAI_NONAME if it could not load its modules.
        errno = 0
        let status = getaddrinfo(host, nil, &hints, &list)
        let code = errno
        defer { if let list { freeaddrinfo(list) } }
        if status != 0, SocketError(.open, code).isShortOfDescriptors {
            throw CallError(
                .nameResolution, "\(host) could not be looked up: \(String(cString: strerror(code)))",
                phase: .resolving,
                advice: "close files or connections, or raise the limit of open files (ulimit -n)",
                underlying: FailureCause(isTransient: true, isShortOfDescriptors: true))
        }
        guard status == 0 else {
            throw CallError(
                .nameResolution, "\(host) has no address: \(String(cString: gai_strerror(status)))", phase: .resolving,
                advice: "check the host's name and the network",
                underlying: status == EAI_AGAIN ? FailureCause(isTransient: true) : nil)
        }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let name = entry.ai_addr else { continue }
            // A resolver's answers are texts.
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(name, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return addresses
    }
}
