// DigestMemory: the challenges that a client and its views have received.

import HTTPTypes
import Synchronization
import TsubameCore
import TsubameWire

final class DigestMemory: Sendable {
    private static let maximumBasic = 256

    private struct BasicKey: Hashable {
        let origin: Origin
        let user: DigestSession.User
    }

    private let store = Mutex(DigestStore())
    /// The origins that have asked a user for Basic, and for nothing stronger.
    private let basic = Mutex<Set<BasicKey>>([])
    private let knows = Atomic(false)

    /// Whether no server has asked for Digest yet. Responses are then not examined for it.
    var isEmpty: Bool { !knows.load(ordering: .relaxed) }

    /// The credentials for a request that has not been challenged.
    func authorization(for request: Request, to uri: TargetURI, by user: DigestSession.User) -> String? {
        if isEmpty { return nil }
        let message = request.digestMessage(uri)
        let next = store.withLock { $0.next(to: uri, by: user, knowsBody: message.body != nil) }
        return next?.answer(to: message, by: user)
    }

    /// Remembers a challenge for later requests.
    func learn(_ challenge: DigestChallenge, at uri: TargetURI, by user: DigestSession.User) {
        knows.store(true, ordering: .relaxed)
        store.withLock { $0.learn(challenge, at: uri, by: user) }
    }

    /// The credentials for a request that was challenged.
    func answer(
        _ challenge: DigestChallenge, to request: Request, at uri: TargetURI, by user: DigestSession.User
    ) -> String? {
        knows.store(true, ordering: .relaxed)
        let message = request.digestMessage(uri)
        let next = store.withLock { $0.next(after: challenge, at: uri, by: user, knowsBody: message.body != nil) }
        return next?.answer(to: message, by: user)
    }

    /// The credentials for a request that is sent again, with a count that has not been used.
    /// - Returns: nil if the request has no credentials of this user for one of the challenges.
    func renewed(_ sent: String, for request: borrowing Request, to uri: TargetURI, by user: DigestSession.User)
        -> String?
    {
        let message = request.digestMessage(uri)
        let next = store.withLock { $0.next(after: sent, to: uri, by: user, knowsBody: message.body != nil) }
        return next?.answer(to: message, by: user)
    }

    /// Remembers that an origin asks this user for Basic.
    func learnBasic(_ origin: Origin, from user: DigestSession.User) {
        basic.withLock { keys in
            if keys.count >= Self.maximumBasic { keys = [] }
            keys.insert(BasicKey(origin: origin, user: user))
        }
    }

    func wantsBasic(_ origin: Origin, from user: DigestSession.User) -> Bool {
        basic.withLock { $0.contains(BasicKey(origin: origin, user: user)) }
    }

    /// Takes the Authentication-Info of a response.
    /// - Returns: false if the server has proven that it does not know the password.
    func take(_ response: borrowing Response, at uri: TargetURI, by user: DigestSession.User) -> Bool {
        guard let sent = response.request.headers[.authorization] else { return true }
        let fields = response.headers[values: .authenticationInfo]
        let body = response.body.bytes
        return store.withLock { $0.take(fields, for: sent, at: uri, by: user, body: body) }
    }
}

extension Request {
    fileprivate func digestMessage(_ uri: TargetURI) -> DigestSession.Message {
        DigestSession.Message(
            method: method.rawValue, target: asksServer ? "*" : uri.target, body: body.isEmpty ? Bytes() : body.bytes)
    }
}
