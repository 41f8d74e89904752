// DigestChallenge: a challenge of Digest authentication that can be answered (RFC 7616 section 3.3, RFC 2069).

import TsubameCore

package struct DigestChallenge: Sendable, Hashable {
    /// What the answer covers (quality of protection).
    package enum Protection: String, Sendable, Hashable {
        /// Method and target.
        case request = "auth"
        /// Those and the body.
        case integrity = "auth-int"
        /// Method and target, as before there was a choice (RFC 2069): without counter and nonce of the client.
        case legacy = ""
    }

    /// Of what goes back with every request.
    package static let maximumBytes = 4 << 10

    package let realm: String
    package private(set) var nonce: String
    let opaque: String?
    package let algorithm: DigestAlgorithm
    /// As the server wrote it; it gets it back so. nil if it named none.
    let algorithmName: String?
    private let protections: Set<Protection>
    /// Whether only the nonce is too old, and the password was right.
    package let isStale: Bool
    /// Where the answer holds; empty for the whole origin.
    package let domain: [String]
    /// Whether the user's name is to be sent as a digest of it.
    let hidesUser: Bool
    /// Whether the server names the charset, which is UTF-8 in either case.
    let wantsUTF8: Bool

    /// - Throws: why it cannot be answered.
    package init(_ challenge: Challenge) throws(ChallengeProblem) {
        guard let realm = challenge["realm"] else { throw ChallengeProblem("it has no realm") }
        guard let nonce = challenge["nonce"] else { throw ChallengeProblem("it has no nonce") }
        guard let algorithm = DigestAlgorithm(challenge["algorithm"]) else {
            let name = Redaction.printable(String((challenge["algorithm"] ?? "").prefix(40)))
            throw ChallengeProblem("the algorithm \(name) is not known")
        }
        let names = (challenge["qop"] ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        protections =
            names.isEmpty ? [.legacy] : Set(names.filter { !$0.isEmpty }.compactMap(Protection.init(rawValue:)))
        guard !protections.isEmpty else { throw ChallengeProblem("it offers no quality of protection that is known") }
        if algorithm.isSession, protections == [.legacy] {
            throw ChallengeProblem("its algorithm needs a quality of protection, and it offers none")
        }
        let length = [realm, nonce, challenge["opaque"] ?? ""].map(\.utf8.count).reduce(0, +)
        guard length <= Self.maximumBytes else {
            throw ChallengeProblem("what is to be sent back has more than \(Self.maximumBytes) bytes")
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        algorithmName = challenge["algorithm"]
        opaque = challenge["opaque"]
        isStale = challenge["stale"]?.lowercased() == "true"
        domain = challenge["domain"]?.split(separator: " ").map(String.init) ?? []
        hidesUser = challenge["userhash"]?.lowercased() == "true"
        wantsUTF8 = challenge["charset"]?.lowercased() == "utf-8"
    }

    /// The one to answer: that with the strongest algorithm, and the first of those.
    /// - Returns: nil if none can be answered, with the reasons.
    package static func strongest(of challenges: [Challenge]) -> (challenge: DigestChallenge?, problems: [String]) {
        var best: DigestChallenge?
        var problems: [String] = []
        for challenge in challenges where challenge.scheme == "digest" {
            do throws(ChallengeProblem) {
                let digest = try DigestChallenge(challenge)
                if let best, best.algorithm.function >= digest.algorithm.function { continue }
                best = digest
            } catch {
                problems.append(error.reason)
            }
        }
        return (best, problems)
    }

    /// The protection for a request: without the body where that is offered.
    /// - Parameter knowsBody: whether the body's bytes are there.
    /// - Returns: nil if the body would be needed and is not known.
    package func protection(knowsBody: Bool) -> Protection? {
        if protections.contains(.request) { return .request }
        if protections.contains(.legacy) { return .legacy }
        return knowsBody ? .integrity : nil
    }

    package func with(nonce: String) -> DigestChallenge {
        var copy = self
        copy.nonce = nonce
        return copy
    }
}

/// Why a challenge cannot be answered.
package struct ChallengeProblem: Error, Sendable, Hashable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
