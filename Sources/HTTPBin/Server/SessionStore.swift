// SessionStore: the signed-in sessions of one server.
#if Server
import Synchronization

final class SessionStore: Sendable {
    private static let limit = 1000

    private struct State {
        var names: [String: String] = [:]
        /// Oldest first.
        var tokens: [String] = []
    }

    private let state = Mutex(State())

    /// Begins a session and returns its token. If there are too many sessions, the oldest ends.
    func begin(for name: String) -> String {
        let token = String(decoding: Hexadecimal.lowercase(RandomBytes.make(16)), as: UTF8.self)
        state.withLock { state in
            state.names[token] = name
            state.tokens.append(token)
            if state.tokens.count > Self.limit { state.names[state.tokens.removeFirst()] = nil }
        }
        return token
    }

    func name(for token: String) -> String? {
        state.withLock { $0.names[token] }
    }
}

#endif
