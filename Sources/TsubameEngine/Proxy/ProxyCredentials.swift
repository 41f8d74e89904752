// ProxyCredentials: who asks a proxy, for one request or tunnel; and what the proxies of a client have said.

import HTTPTypes
import Synchronization
import TsubameCore
import TsubameWire

/// The newest challenge of each proxy that wants Digest (RFC 7616).
final class ProxyMemory: Sendable {
    private static let maximum = 64

    /// By proxy, with its credentials.
    private let sessions = Mutex<[Proxy: DigestSession]>([:])

    /// The credentials that are sent unasked: an answer, if it is known that one is wanted, and Basic or Bearer otherwise.
    func authorization(of proxy: Proxy, for message: DigestSession.Message) -> String? {
        guard let user = proxy.digestUser else { return proxy.authorization }
        let next = sessions.withLock { $0[proxy]?.next(knowsBody: message.body != nil) }
        return next?.answer(to: message, by: user) ?? proxy.authorization
    }

    func answer(
        _ challenge: DigestChallenge, of proxy: Proxy, for message: DigestSession.Message
    ) -> String? {
        guard let user = proxy.digestUser else { return nil }
        let next = sessions.withLock { sessions in
            if sessions[proxy] == nil, sessions.count >= Self.maximum { sessions = [:] }
            var session = sessions[proxy] ?? DigestSession(challenge)
            session.take(challenge)
            let next = session.next(knowsBody: message.body != nil)
            sessions[proxy] = session
            return next
        }
        return next?.answer(to: message, by: user)
    }

    /// The proxy names the nonce that comes next.
    func take(_ information: [String], of proxy: Proxy, for sent: String) {
        guard information.count == 1, let field = information.first, let parameters = Challenge.parameters(of: field),
            let nonce = parameters.first(where: { $0.name == "nextnonce" })?.value, !nonce.isEmpty,
            nonce.utf8.count <= DigestChallenge.maximumBytes
        else { return }
        sessions.withLock { sessions in
            guard sessions[proxy]?.challenge.nonce == DigestSession.nonce(of: sent) else { return }
            sessions[proxy]?.renew(nonce: nonce)
        }
    }
}

/// The credentials of one request to a proxy, or of one tunnel. A challenge is answered once, and once more if only its
/// nonce was too old.
// Guarded by confinement to the loop of its exchange or connector.
final class ProxyCredentials: ProxyAuthorizer, @unchecked Sendable {
    private let proxy: Proxy
    private let memory: ProxyMemory
    private let message: DigestSession.Message
    private var answers = 0
    /// The value of Proxy-Authorization to be sent.
    private(set) var authorization: String?
    /// Called with what was decided of a challenge.
    private let tell: (String) -> Void

    init(
        _ proxy: Proxy, _ memory: ProxyMemory, _ message: DigestSession.Message, tell: @escaping (String) -> Void
    ) {
        self.proxy = proxy
        self.memory = memory
        self.message = message
        self.tell = tell
        authorization = memory.authorization(of: proxy, for: message)
    }

    /// Whether there is a password to answer by; a token has been shown already.
    var answersChallenges: Bool { proxy.digestUser != nil }

    func answer(_ challenges: [String]) -> String? {
        guard answersChallenges else { return nil }
        let asked = Challenge.parse(challenges)
        let (found, problems) = DigestChallenge.strongest(of: asked.challenges)
        guard let challenge = found else {
            let reasons = asked.problems + problems.map { "Digest cannot be answered: \($0)" }
            if !reasons.isEmpty {
                tell("the proxy's 407 is not answered: \(reasons.joined(separator: "; "))")
            } else if proxy.authorization == nil {
                tell("the proxy's 407 is not answered: it does not offer Digest, and the client uses nothing else")
            }
            return nil
        }
        guard answers == 0 || challenge.isStale && answers < 2 else {
            tell("the proxy refuses the answer to its challenge")
            return nil
        }
        guard let answer = memory.answer(challenge, of: proxy, for: message) else {
            tell("the proxy's 407 is not answered: the digest of the body is wanted, and its bytes are not known")
            return nil
        }
        answers += 1
        authorization = answer
        tell("the proxy's 407 is answered by Digest (\(challenge.algorithm.function.rawValue))")
        return answer
    }

    func take(_ information: [String]) {
        if !information.isEmpty, let authorization { memory.take(information, of: proxy, for: authorization) }
    }
}
