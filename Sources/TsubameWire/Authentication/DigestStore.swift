// DigestStore: the known protection spaces of each origin (RFC 7616 section 3.3, `domain`).

package import TsubameCore

/// Answers Digest challenges, for requests that were challenged and for later requests to the same protection space.
/// A plain value without a lock: code that shares a store must guard it.
package struct DigestStore: Sendable {
    /// An origin and a user name. A challenge to one origin or user says nothing about another.
    private struct Owner: Hashable {
        let origin: Origin
        let user: String
    }

    private struct Space {
        var session: DigestSession
        /// The beginnings of the targets in the space.
        var prefixes: [String]
    }

    static let maximumOwners = 256
    static let maximumSpaces = 8
    private static let maximumPrefixes = 32

    /// The spaces of each owner; the newest space is last.
    private var spaces: [Owner: [Space]] = [:]
    /// The owners; the oldest owner is first.
    private var owners: [Owner] = []

    package init() {}

    /// The session that answers for a request that was not challenged.
    /// - Parameter knowsBody: whether the body's bytes are available.
    /// - Returns: nil if no protection space is known, or if the answer must cover a body whose bytes are not
    ///   available.
    package mutating func next(
        to uri: TargetURI, by user: DigestSession.User, knowsBody: Bool
    ) -> DigestSession? {
        let owner = Owner(origin: uri.origin, user: user.name)
        // The longest prefix wins; among equal prefixes, the newest space.
        var best: (index: Int, length: Int)?
        for (index, space) in (spaces[owner] ?? []).enumerated() {
            let fitting = space.prefixes.filter { uri.target.utf8.starts(with: $0.utf8) }
            guard let length = fitting.map(\.utf8.count).max(), length >= best?.length ?? 0 else { continue }
            best = (index, length)
        }
        return best.flatMap { spaces[owner]?[$0.index].session.next(knowsBody: knowsBody) }
    }

    /// The session that answers for a request that was challenged.
    /// - Returns: nil if the answer must cover the body and the body's bytes are not available.
    package mutating func next(
        after challenge: DigestChallenge, at uri: TargetURI, by user: DigestSession.User, knowsBody: Bool
    ) -> DigestSession? {
        learn(challenge, at: uri, by: user)
        // The challenge has just been added as the last space.
        let owner = Owner(origin: uri.origin, user: user.name)
        guard let index = spaces[owner]?.indices.last else { return nil }
        return spaces[owner]?[index].session.next(knowsBody: knowsBody)
    }

    /// The session that answers once more for a request that was answered before. Its nonce may be a later one.
    /// - Parameter authorization: the answer before.
    /// - Returns: nil if the answer is another user's, if no session is for its realm, or if the next answer must cover a
    ///   body whose bytes are not available.
    package mutating func next(
        after authorization: String, to uri: TargetURI, by user: DigestSession.User, knowsBody: Bool
    ) -> DigestSession? {
        let owner = Owner(origin: uri.origin, user: user.name)
        guard let realm = DigestSession.realm(of: authorization),
            let index = spaces[owner]?.firstIndex(where: { $0.session.challenge.realm == realm }),
            spaces[owner]?[index].session.names(user, in: authorization) == true
        else { return nil }
        return spaces[owner]?[index].session.next(knowsBody: knowsBody)
    }

    private func index(of nonce: String, of owner: Owner) -> Int? {
        spaces[owner]?.firstIndex { $0.session.challenge.nonce == nonce }
    }

    /// Stores a challenge for later requests.
    package mutating func learn(_ challenge: DigestChallenge, at uri: TargetURI, by user: DigestSession.User) {
        let owner = Owner(origin: uri.origin, user: user.name)
        if spaces[owner] == nil {
            if owners.count >= Self.maximumOwners { spaces[owners.removeFirst()] = nil }
            owners.append(owner)
        }
        var list = spaces[owner] ?? []
        let known = list.firstIndex { $0.session.challenge.realm == challenge.realm }.map { list.remove(at: $0) }
        var session = known?.session ?? DigestSession(challenge)
        session.take(challenge)
        list.append(Space(session: session, prefixes: Self.prefixes(of: challenge, at: uri)))
        spaces[owner] = Array(list.suffix(Self.maximumSpaces))
    }

    /// Takes the server's Authentication-Info: the next nonce, and the proof that the server knows the password.
    /// - Parameters:
    ///   - fields: the values of Authentication-Info.
    ///   - authorization: the credentials that were sent.
    ///   - body: the response's body, if it was kept.
    /// - Returns: false if the proof is wrong; the next nonce is then not taken.
    package mutating func take(
        _ fields: [String], for authorization: String, at uri: TargetURI, by user: DigestSession.User, body: Bytes?
    ) -> Bool {
        let owner = Owner(origin: uri.origin, user: user.name)
        guard fields.count == 1, let field = fields.first, let information = Challenge.parameters(of: field),
            let nonce = DigestSession.nonce(of: authorization),
            let index = index(of: nonce, of: owner), let session = spaces[owner]?[index].session
        else { return true }
        guard session.isProven(authorization, by: user, information, body: body) ?? true else { return false }
        if let next = information.first(where: { $0.name == "nextnonce" })?.value, !next.isEmpty,
            next.utf8.count <= DigestChallenge.maximumBytes
        {
            spaces[owner]?[index].session.renew(nonce: next)
        }
        return true
    }

    /// URIs at other origins are left out, because credentials are never sent to another origin on a server's
    /// request.
    private static func prefixes(of challenge: DigestChallenge, at uri: TargetURI) -> [String] {
        guard !challenge.domain.isEmpty else { return [""] }
        let prefixes = challenge.domain.prefix(maximumPrefixes).compactMap { reference -> String? in
            guard case .uri(let resolved)? = try? uri.resolving(reference), resolved.origin == uri.origin else {
                return nil
            }
            return resolved.target
        }
        return prefixes.isEmpty ? [uri.path] : prefixes
    }
}
