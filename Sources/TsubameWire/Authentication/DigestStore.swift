// DigestStore: what is known of the protection spaces of each origin (RFC 7616 section 3.3, `domain`).

package import TsubameCore

/// Answers to Digest challenges, for requests that have been challenged and for those that will be. A plain value:
/// whoever shares it guards it.
package struct DigestStore: Sendable {
    /// An origin with a name: what one origin, or one user, was told concerns no other.
    private struct Owner: Hashable {
        let origin: Origin
        let user: String
    }

    private struct Space {
        var session: DigestSession
        /// What its targets begin with.
        var prefixes: [String]
    }

    static let maximumOwners = 256
    static let maximumSpaces = 8
    private static let maximumPrefixes = 32

    /// The newest space last.
    private var spaces: [Owner: [Space]] = [:]
    /// The oldest first.
    private var owners: [Owner] = []

    package init() {}

    /// What gives the answer for a request that nothing has been asked of.
    /// - Parameter knowsBody: whether the body's bytes are there.
    /// - Returns: nil where no protection space is known, or the body's bytes would be needed and are not known.
    package mutating func next(
        to uri: TargetURI, by user: DigestSession.User, knowsBody: Bool
    ) -> DigestSession? {
        let owner = Owner(origin: uri.origin, user: user.name)
        // The nearest prefix, and the newest space of those.
        var best: (index: Int, length: Int)?
        for (index, space) in (spaces[owner] ?? []).enumerated() {
            let fitting = space.prefixes.filter { uri.target.utf8.starts(with: $0.utf8) }
            guard let length = fitting.map(\.utf8.count).max(), length >= best?.length ?? 0 else { continue }
            best = (index, length)
        }
        return best.flatMap { spaces[owner]?[$0.index].session.next(knowsBody: knowsBody) }
    }

    /// What gives the answer for a request that was challenged.
    /// - Returns: nil if the body's bytes would be needed and are not known.
    package mutating func next(
        after challenge: DigestChallenge, at uri: TargetURI, by user: DigestSession.User, knowsBody: Bool
    ) -> DigestSession? {
        learn(challenge, at: uri, by: user)
        // The newest space is the last.
        let owner = Owner(origin: uri.origin, user: user.name)
        guard let index = spaces[owner]?.indices.last else { return nil }
        return spaces[owner]?[index].session.next(knowsBody: knowsBody)
    }

    /// Remembers a challenge for the requests to come.
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

    /// Takes what the server says behind an answer: the next nonce, and whether it knows the password.
    /// - Parameters:
    ///   - fields: the values of Authentication-Info.
    ///   - authorization: what was sent.
    ///   - body: of the response, if it was kept.
    /// - Returns: false if it has proven that it does not; its next nonce is not taken then.
    package mutating func take(
        _ fields: [String], for authorization: String, at uri: TargetURI, by user: DigestSession.User, body: Bytes?
    ) -> Bool {
        let owner = Owner(origin: uri.origin, user: user.name)
        guard fields.count == 1, let field = fields.first, let information = Challenge.parameters(of: field),
            let nonce = DigestSession.nonce(of: authorization),
            let index = spaces[owner]?.firstIndex(where: { $0.session.challenge.nonce == nonce }),
            let session = spaces[owner]?[index].session
        else { return true }
        guard session.isProven(authorization, by: user, information, body: body) ?? true else { return false }
        if let next = information.first(where: { $0.name == "nextnonce" })?.value, !next.isEmpty,
            next.utf8.count <= DigestChallenge.maximumBytes
        {
            spaces[owner]?[index].session.renew(nonce: next)
        }
        return true
    }

    /// What other origins are said to accept the same for concerns them: nothing is sent there.
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
