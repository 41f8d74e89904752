// DigestSession: the answers to one challenge of Digest authentication, one after the other (RFC 7616 section 3.4).

package import TsubameCore

/// Counts how often its nonce has been used. A plain value: whoever shares it guards it.
package struct DigestSession: Sendable {
    /// A name and a password.
    package struct User: Sendable, Hashable {
        package let name: String
        package let password: String

        package init(name: String, password: String) {
            self.name = name
            self.password = password
        }

        /// In the form that a server means who asks for UTF-8 (RFC 7616 section 4).
        fileprivate var normalized: User { User(name: name.normalizedFormC, password: password.normalizedFormC) }
    }

    /// What is to be sent.
    package struct Message: Sendable {
        package let method: String
        /// As it stands in the request line.
        package let target: String
        /// nil if its bytes are not known; no body has no bytes.
        package let body: Bytes?

        package init(method: String, target: String, body: Bytes?) {
            self.method = method
            self.target = target
            self.body = body
        }
    }

    package private(set) var challenge: DigestChallenge
    private var count: UInt32 = 0
    /// The client's nonce goes with the server's, and is made anew with it.
    private var clientNonce: String

    /// - Parameter clientNonce: 128 random bits unless given, as in tests.
    package init(_ challenge: DigestChallenge, clientNonce: String? = nil) {
        self.challenge = challenge
        self.clientNonce = clientNonce ?? Self.randomNonce()
    }

    /// The system's generator is one for cryptography.
    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// The server asks again: a server that gives one nonce to everybody counts on.
    package mutating func take(_ challenge: DigestChallenge) {
        if challenge.nonce != self.challenge.nonce { renew(nonce: challenge.nonce) }
        self.challenge = challenge
    }

    /// The server says which nonce comes next (Authentication-Info); it is used by itself from then on.
    package mutating func renew(nonce: String) {
        challenge = challenge.with(nonce: nonce)
        count = 0
        clientNonce = Self.randomNonce()
    }

    /// The value of Authorization or Proxy-Authorization for one request more.
    /// - Returns: nil if the body's bytes would be needed and are not known.
    package mutating func authorization(for message: Message, by user: User) -> String? {
        next(knowsBody: message.body != nil)?.answer(to: message, by: user)
    }

    /// Counts one answer more: what is returned gives it, and need not be guarded while it does.
    /// - Returns: nil if the body's bytes would be needed and are not known.
    package mutating func next(knowsBody: Bool) -> DigestSession? {
        guard challenge.protection(knowsBody: knowsBody) != nil else { return nil }
        // Behind the last number the first comes again: the server will give another nonce.
        count &+= 1
        return self
    }

    /// The answer that has been counted last.
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
        // Not quoted (RFC 7616 section 3.4), and as it came: it is the name of one that is known, in whatever case.
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

    /// The name as a digest, as a quoted string, or, if it is not in ASCII, by RFC 8187.
    private func userParameters(_ name: String) -> [String] {
        if challenge.hidesUser { return ["username=\"\(challenge.algorithm.hash(name, challenge.realm))\""] }
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return ["username=\(QuotedString.of(name))"] }
        return ["username*=UTF-8''\(PercentEncoding.encode(name, allowing: Self.attributeCharacters))"]
    }

    /// RFC 8187 section 3.2.1, beside the unreserved ones.
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

    /// Whether the server knows the password, by what it says behind an answer (`rspauth`, RFC 7616 section 3.5).
    /// - Parameters:
    ///   - authorization: what was sent.
    ///   - information: the parameters of its Authentication-Info.
    /// - Returns: nil if it says nothing, or nothing that can be checked, as for a body that was not kept.
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

    /// The nonce that credentials were made with; nil if they are none of Digest.
    package static func nonce(of authorization: String) -> String? { Answer(authorization)?.nonce }
}

/// What of an answer goes into its digest, beside the secret.
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

    /// Read back from what was sent.
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
