// DigestChallenge: a challenge of Digest authentication that the client can answer (RFC 7616 section 3.3, RFC 2069).

import TsubameCore

package struct DigestChallenge: Sendable, Hashable {
    /// The quality of protection: the parts of a request that the answer covers.
    package enum Protection: String, Sendable, Hashable {
        /// The method and the target.
        case request = "auth"
        /// The method, the target and the body.
        case integrity = "auth-int"
        /// The method and the target, as in RFC 2069, which has no choice of protection. The answer has neither a
        /// counter nor a client nonce.
        case legacy = ""
    }

    /// The limit for the realm, nonce and opaque value together, which every request sends back.
    package static let maximumBytes = 4 << 10

    package let realm: String
    package private(set) var nonce: String
    let opaque: String?
    package let algorithm: DigestAlgorithm
    /// As the server wrote it, because the answer repeats it unchanged; nil if the server named no algorithm.
    let algorithmName: String?
    private let protections: Set<Protection>
    /// Whether the server rejected only the nonce as too old, so the password was right.
    package let isStale: Bool
    /// The URIs for which the answer holds; empty for the whole origin.
    package let domain: [String]
    /// Whether the user name is sent as a digest (`userhash`).
    let hidesUser: Bool
    /// Whether the server names the charset, which must be UTF-8. The client always sends UTF-8, but normalizes the name
    /// and password only if this is true.
    let wantsUTF8: Bool

    /// - Throws: the reason why the challenge cannot be answered.
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
            throw ChallengeProblem("its realm, nonce and opaque have more than \(Self.maximumBytes) bytes together")
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

    /// Chooses the challenge to answer: the first one with the strongest algorithm.
    /// - Returns: nil if no challenge can be answered, and the reason for each challenge that cannot.
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

    /// The protection for a request. A protection that leaves out the body is preferred.
    /// - Parameter knowsBody: whether the body's bytes are available.
    /// - Returns: nil if the answer must cover the body and the body's bytes are not available.
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

/// The reason why a challenge cannot be answered.
package struct ChallengeProblem: Error, Sendable, Hashable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
