// DigestGuard: the server's side of Digest authentication, strict and with faults on request.

import HTTPTypes
import Synchronization
import TsubameTesting
import TsubameWire

/// Decides which requests know the password. It accepts its own nonces, with the next counter, for exactly the target
/// of the request line.
final class DigestGuard: Sendable {
    struct Rules: Sendable {
        var realm = "realm"
        var user = "user"
        var password = "s3cret"
        /// One challenge for each algorithm; nil makes a challenge without an algorithm.
        var algorithms: [String?] = ["MD5"]
        var protections: String? = "auth"
        /// Further parameters of a challenge, such as `domain="/a"`.
        var more = ""
        /// The number of times that a nonce may be used.
        var uses = Int.max
        /// Whether each response announces the next nonce.
        var tellsNext = false
        /// The text that replaces the correct response-auth.
        var proof: String?
    }

    private struct State: Sendable {
        /// The number of uses of each nonce.
        var nonces: [String: Int] = [:]
        var problems: [String] = []
    }

    let rules: Rules
    private let state = Mutex(State())

    init(_ rules: Rules = Rules()) { self.rules = rules }

    convenience init(_ change: (inout Rules) -> Void) {
        var rules = Rules()
        change(&rules)
        self.init(rules)
    }

    /// The reasons why requests with credentials were refused.
    var problems: [String] { state.withLock { $0.problems } }

    /// The parts of a request that its credentials cover.
    struct Message {
        let method: String
        let target: String
        var body: [UInt8] = []
    }

    func reply(to request: ReceivedRequest, _ content: String = "welcome") -> Reply {
        let message = Message(method: request.method, target: request.target, body: request.body)
        guard let field = request["authorization"] else { return challenge() }
        let problem = refusal(of: field, message)
        guard problem == nil else { return challenge(isStale: problem == "stale") }
        var headers = HTTPFields()
        if let name = HTTPField.Name("Authentication-Info") {
            var parts: [String] = []
            if rules.tellsNext { parts.append("nextnonce=\"\(newNonce())\"") }
            if let proof = rules.proof { parts.append("rspauth=\"\(proof)\"") }
            if !parts.isEmpty { headers[name] = parts.joined(separator: ", ") }
        }
        return .ok(content, headers: headers)
    }

    func newNonce() -> String {
        state.withLock { state in
            let nonce = "nonce/\(state.nonces.count)=="
            state.nonces[nonce] = 0
            return nonce
        }
    }

    func challenge(isStale: Bool = false) -> Reply {
        .bytes("HTTP/1.1 401 Unauthorized\r\n\(fields("WWW-Authenticate", isStale))Content-Length: 2\r\n\r\nno")
    }

    /// The challenges as field lines.
    func fields(_ name: String, _ isStale: Bool = false) -> String {
        var lines = ""
        let nonce = newNonce()
        for algorithm in rules.algorithms {
            var parts = ["realm=\"\(rules.realm)\"", "nonce=\"\(nonce)\"", "opaque=\"o p\""]
            if let algorithm { parts.append("algorithm=\(algorithm)") }
            if let protections = rules.protections { parts.append("qop=\"\(protections)\"") }
            if isStale { parts.append("stale=true") }
            if !rules.more.isEmpty { parts.append(rules.more) }
            lines += "\(name): Digest \(parts.joined(separator: ", "))\r\n"
        }
        return lines
    }

    /// The reason why credentials are refused; nil if they are right.
    func refusal(of field: String, _ message: Message) -> String? {
        state.withLock { state in
            let problem = refusal(of: field, message, &state)
            if let problem { state.problems.append(problem) }
            return problem
        }
    }

    private func refusal(of field: String, _ request: Message, _ state: inout State) -> String? {
        guard let sent = Challenge.parse([field]).challenges.first, sent.scheme == "digest" else { return "no Digest" }
        guard let nonce = sent["nonce"], let used = state.nonces[nonce] else { return "an unknown nonce" }
        guard sent["uri"] == request.target else { return "another target" }
        guard sent["realm"] == rules.realm, sent["username"] == rules.user, sent["opaque"] == "o p" else {
            return "another realm, user or opaque"
        }
        guard let response = expected(sent, request), response == sent["response"] else { return "a wrong digest" }
        if rules.protections != nil {
            guard let count = sent["nc"].flatMap({ Int($0, radix: 16) }), count == used + 1 else { return "counter" }
        }
        guard used < rules.uses else { return "stale" }
        state.nonces[nonce] = used + 1
        return nil
    }

    /// Computed by RFC 7616 section 3.4.1, without the library's code.
    private func expected(_ sent: Challenge, _ request: Message) -> String? {
        let named = sent["algorithm"]
        guard rules.algorithms.contains(named) else { return nil }
        let isSession = named?.uppercased().hasSuffix("-SESS") == true
        func hash(_ bytes: [UInt8]) -> String {
            let digest =
                switch named?.uppercased().replacing("-SESS", with: "") {
                case "SHA-256": SHA256.digest(bytes)
                case "SHA-512-256": SHA512.digest256(bytes)
                case "SHA-512": SHA512.digest(bytes)
                default: MD5.digest(bytes)
                }
            return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        func hash(_ text: String) -> String { hash(Array(text.utf8)) }
        var secret = hash("\(rules.user):\(rules.realm):\(rules.password)")
        let (nonce, count, own) = (sent["nonce"] ?? "", sent["nc"] ?? "", sent["cnonce"] ?? "")
        if isSession { secret = hash("\(secret):\(nonce):\(own)") }
        switch sent["qop"] {
        case nil: return hash("\(secret):\(nonce):\(hash("\(request.method):\(request.target)"))")
        case "auth":
            return hash("\(secret):\(nonce):\(count):\(own):auth:\(hash("\(request.method):\(request.target)"))")
        case "auth-int":
            let message = hash("\(request.method):\(request.target):\(hash(request.body))")
            return hash("\(secret):\(nonce):\(count):\(own):auth-int:\(message)")
        default: return nil
        }
    }
}

extension ScriptedServer {
    /// The scheme of each request's credentials; `-` for none.
    var schemes: [String] { requests.map { $0["authorization"]?.prefix { $0 != " " }.description ?? "-" } }
}
