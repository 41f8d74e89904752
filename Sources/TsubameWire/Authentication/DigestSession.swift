// DigestSession: the successive answers to one challenge of Digest authentication (RFC 7616 section 3.4).

package import TsubameCore

/// Counts how often its nonce has been used. A plain value without a lock: code that shares a session must guard it.
package struct DigestSession: Sendable {
    /// A name and a password.
    package struct User: Sendable, Hashable {
        package let name: String
        package let password: String

        package init(name: String, password: String) {
            self.name = name
            self.password = password
        }

        /// Normalized to form C, as a server that asks for UTF-8 expects (RFC 7616 section 4).
        fileprivate var normalized: User { User(name: name.normalizedFormC, password: password.normalizedFormC) }
    }

    /// The request that an answer is for.
    package struct Message: Sendable {
        package let method: String
        /// As it stands in the request line.
        package let target: String
        /// nil if the bytes are not available; empty if there is no body.
        package let body: Bytes?

        package init(method: String, target: String, body: Bytes?) {
            self.method = method
            self.target = target
            self.body = body
        }
    }

    package private(set) var challenge: DigestChallenge
    private var count: UInt32 = 0
    /// Made anew with each nonce of the server.
    private var clientNonce: String

    /// - Parameter clientNonce: 128 random bits by default; tests pass a fixed value.
    package init(_ challenge: DigestChallenge, clientNonce: String? = nil) {
        self.challenge = challenge
        self.clientNonce = clientNonce ?? Self.randomNonce()
    }

    /// The system's generator is cryptographically secure.
    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Takes a repeated challenge. If the server repeats the nonce, as one that gives all clients the same nonce
    /// does, the count continues.
    package mutating func take(_ challenge: DigestChallenge) {
        if challenge.nonce != self.challenge.nonce { renew(nonce: challenge.nonce) }
        self.challenge = challenge
    }

    /// Takes the next nonce, which the server announced in Authentication-Info.
    package mutating func renew(nonce: String) {
        challenge = challenge.with(nonce: nonce)
        count = 0
        clientNonce = Self.randomNonce()
    }

    /// The value of Authorization or Proxy-Authorization for one more request.
    /// - Returns: nil if the answer must cover the body and the body's bytes are not available.
    package mutating func authorization(for message: Message, by user: User) -> String? {
        next(knowsBody: message.body != nil)?.answer(to: message, by: user)
    }

    /// Counts one more answer and returns a copy of the session. The copy makes the answer without a lock.
    /// - Returns: nil if the answer must cover the body and the body's bytes are not available.
    package mutating func next(knowsBody: Bool) -> DigestSession? {
        guard challenge.protection(knowsBody: knowsBody) != nil else { return nil }
        // After the highest count the count wraps around. The server rejects a repeated count and sends a new nonce.
        count &+= 1
        return self
    }

    /// The answer for the latest count.
    package func answer(to message: Message, by user: User) -> String? {
        guard let protection = challenge.protection(knowsBody: message.body != nil) else { return nil }
        let user = challenge.wantsUTF8 ? user.normalized : user
        let answer = Answer(
            nonce: challenge.nonce, count: Self.hexadecimal(count), clientNonce: clientNonce, protection: protection,
            target: message.target)
        var list = userParameters(user.name)
        func add(_ name: String, _ value: String) { list.append("\(name)=\(value)") }
        add("realm", QuotedString.of(challenge.realm))
        add("nonce", QuotedString.of(answer.nonce))
        add("uri", QuotedString.of(answer.target))
        // Not quoted (RFC 7616 section 3.4), and spelt as the server sent it. It is safe to echo, because it is the
        // name of a known algorithm.
        if let name = challenge.algorithmName { add("algorithm", name) }
        add("response", QuotedString.of(response(to: message, answer, by: user)))
        if protection != .legacy {
            add("qop", protection.rawValue)
            add("nc", answer.count)
            add("cnonce", QuotedString.of(answer.clientNonce))
        }
        if let opaque = challenge.opaque { add("opaque", QuotedString.of(opaque)) }
        if challenge.hidesUser { add("userhash", "true") }
        return "Digest " + list.joined(separator: ", ")
    }

    /// The user name as a digest or as a quoted string. A name with non-ASCII characters is encoded by RFC 8187.
    private func userParameters(_ name: String) -> [String] {
        if challenge.hidesUser { return ["username=\"\(challenge.algorithm.hash(name, challenge.realm))\""] }
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return ["username=\(QuotedString.of(name))"] }
        return ["username*=UTF-8''\(PercentEncoding.encode(name, allowing: Self.attributeCharacters))"]
    }

    /// Whether an answer is this user's.
    package func names(_ user: User, in authorization: String) -> Bool {
        let user = challenge.wantsUTF8 ? user.normalized : user
        return userParameters(user.name).allSatisfy(authorization.contains)
    }

    /// The characters that RFC 8187 section 3.2.1 allows in addition to the unreserved ones.
    private static let attributeCharacters = ASCIISet("!#$&+^`|")

    private static func hexadecimal(_ count: UInt32) -> String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: Swift.max(8 - digits.utf8.count, 0)) + digits
    }

    private func response(to message: Message, _ answer: Answer, by user: User) -> String {
        let algorithm = challenge.algorithm
        let request =
            answer.protection == .integrity
            ? algorithm.hash(message.method, answer.target, algorithm.hash(Array(message.body ?? Bytes())))
            : algorithm.hash(message.method, answer.target)
        return answer.digest(of: request, key: key(of: user, answer), algorithm)
    }

    /// H(A1).
    private func key(of user: User, _ answer: Answer) -> String {
        let algorithm = challenge.algorithm
        let key = algorithm.hash(user.name, challenge.realm, user.password)
        return algorithm.isSession ? algorithm.hash(key, answer.nonce, answer.clientNonce) : key
    }

    /// Whether the server has proven that it knows the password (`rspauth`, RFC 7616 section 3.5).
    /// - Parameters:
    ///   - authorization: the credentials that were sent.
    ///   - information: the parameters of the response's Authentication-Info.
    /// - Returns: nil if there is no proof, or none that can be checked, for example because the body was not kept.
    package func isProven(
        _ authorization: String, by user: User, _ information: [Challenge.Parameter], body: Bytes?
    ) -> Bool? {
        guard let proof = information.first(where: { $0.name == "rspauth" })?.value, let answer = Answer(authorization)
        else { return nil }
        let user = challenge.wantsUTF8 ? user.normalized : user
        let algorithm = challenge.algorithm
        let response: String
        switch answer.protection {
        case .integrity:
            guard let body else { return nil }
            response = algorithm.hash("", answer.target, algorithm.hash(Array(body)))
        case .request, .legacy:
            response = algorithm.hash("", answer.target)
        }
        return answer.digest(of: response, key: key(of: user, answer), algorithm) == proof.lowercased()
    }

    /// The nonce of the given credentials; nil if they are not Digest credentials.
    package static func nonce(of authorization: String) -> String? { Answer(authorization)?.nonce }

    /// The realm of the given credentials; nil if they are not Digest credentials.
    static func realm(of authorization: String) -> String? {
        guard let sent = Challenge.parse([authorization]).challenges.first, sent.scheme == "digest" else { return nil }
        return sent["realm"]
    }
}

/// The parts of an answer that enter its digest, except the secret.
private struct Answer {
    let nonce: String
    let count: String
    let clientNonce: String
    let protection: DigestChallenge.Protection
    let target: String

    init(
        nonce: String, count: String, clientNonce: String, protection: DigestChallenge.Protection, target: String
    ) {
        self.nonce = nonce
        self.count = count
        self.clientNonce = clientNonce
        self.protection = protection
        self.target = target
    }

    /// Parses the credentials that were sent.
    init?(_ authorization: String) {
        guard let sent = Challenge.parse([authorization]).challenges.first, sent.scheme == "digest",
            let nonce = sent["nonce"], let target = sent["uri"],
            let protection = DigestChallenge.Protection(rawValue: sent["qop"] ?? "")
        else { return nil }
        self.init(
            nonce: nonce, count: sent["nc"] ?? "", clientNonce: sent["cnonce"] ?? "", protection: protection,
            target: target)
    }

    func digest(of message: String, key: String, _ algorithm: DigestAlgorithm) -> String {
        protection == .legacy
            ? algorithm.hash(key, nonce, message)
            : algorithm.hash(key, nonce, count, clientNonce, protection.rawValue, message)
    }
}
