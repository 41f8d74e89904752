// DigestTests: Digest authentication: the examples of its RFCs, and the response to a challenge.

import Testing
import TsubameCore

@testable import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct DigestTests {
    static func challenge(_ field: String) throws -> DigestChallenge {
        let found = DigestChallenge.strongest(of: Challenge.parse([field]).challenges)
        return try #require(found.challenge, "\(found.problems)")
    }

    /// The credentials, parsed again.
    static func answer(
        _ field: String, user: String = "Mufasa", password: String = "pw", method: String = "GET",
        target: String = "/dir/index.html", body: Bytes? = Bytes(), clientNonce: String? = nil, times: Int = 1
    ) throws -> Challenge? {
        var session = DigestSession(try challenge(field), clientNonce: clientNonce)
        let message = DigestSession.Message(method: method, target: target, body: body)
        let user = DigestSession.User(name: user, password: password)
        for _ in 1..<times { _ = session.authorization(for: message, by: user) }
        return session.authorization(for: message, by: user).flatMap { Challenge.parse([$0]).challenges.first }
    }

    // MARK: The RFCs

    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    private static func offer(_ algorithm: String) -> String {
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\#(algorithm), "#
            + #"nonce="\#(nonce)", opaque="\#(opaque)""#
    }

    @Test(arguments: [
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ])
    func `RFC 7616 section 3.9.1: SHA-256 and MD5`(algorithm: String, response: String) throws {
        let sent = try #require(
            try Self.answer(
                Self.offer(algorithm), password: "Circle of Life",
                clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
        #expect(sent["username"] == "Mufasa")
        #expect(sent["realm"] == "http-auth@example.org")
        #expect(sent["uri"] == "/dir/index.html")
        #expect(sent["algorithm"] == algorithm)
        #expect(sent["nonce"] == Self.nonce)
        #expect(sent["nc"] == "00000001")
        #expect(sent["cnonce"] == "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(sent["qop"] == "auth")
        #expect(sent["response"] == response)
        #expect(sent["opaque"] == Self.opaque)
        #expect(sent.parameters.count == 10)
    }

    @Test func `RFC 7616 section 3.9.1: of both the stronger is answered`() throws {
        let both = Challenge.parse([Self.offer("MD5"), Self.offer("SHA-256")]).challenges
        #expect(DigestChallenge.strongest(of: both).challenge?.algorithm.function == .sha256)
    }

    // Errata 4897: the RFC prints the result of a truncated SHA-512, which is another function.
    @Test func `RFC 7616 section 3.9.2: SHA-512-256, charset and userhash`() throws {
        let offer =
            #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
            + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
            + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#
        let sent = try #require(
            try Self.answer(
                offer, user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?", target: "/doe.json",
                clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"))
        #expect(sent["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(sent["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
        #expect(sent["userhash"] == "true")
        #expect(sent["username*"] == nil)
    }

    @Test func `RFC 2617 section 3.5`() throws {
        let offer =
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", "#
            + #"opaque="5ccc069c403ebaf9f0171e9517f40e41""#
        let sent = try #require(try Self.answer(offer, password: "Circle Of Life", clientNonce: "0a4f113b"))
        #expect(sent["response"] == "6629fae49393a05397450978507c4ef1")
        // The challenge named no algorithm.
        #expect(sent["algorithm"] == nil)
    }

    // As corrected by its errata.
    @Test("RFC 2069 section 2.4, BAD-INPUT 34: without qop there is neither counter nor nonce of the client")
    func legacy()
        throws
    {
        let offer =
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", "#
            + #"opaque="5ccc069c403ebaf9f0171e9517f40e41""#
        let sent = try #require(try Self.answer(offer, password: "CircleOfLife"))
        #expect(sent["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(
            sent.parameters.map(\.name) == ["username", "realm", "nonce", "uri", "response", "opaque"])
    }

    // MARK: Algorithms and protections

    /// Computed by Python's hashlib, for the second use of a nonce.
    @Test(arguments: [
        ("MD5", "auth", "44e8ff769e3fea0555f9756faae762b4"),
        ("MD5", "auth-int", "c98d56fb72616407214ba7498b644dfb"),
        ("MD5-sess", "auth", "00bb6cc9a1b83d064ec27c5d6a828465"),
        ("MD5-sess", "auth-int", "6eeea4f3c065d1d8dfe5220c2022dd26"),
        ("SHA-256", "auth", "82332620273324482806e1c8b94eba39c38650c35e2a21c7f7dc4db8fa19cd3b"),
        ("SHA-256", "auth-int", "ce6d6f6c1a3d84564afb2dc296aaff9429c991b93c153a47f2a35c5147355630"),
        ("SHA-256-sess", "auth", "5d1ef69e8035cfafb0f7e1a0ebe0f1ec6197593b9b43d12d49392f8ffd291c8a"),
        ("SHA-256-sess", "auth-int", "726d3f8b936b8a54620f2434cf3f1ec6355fddb1051548858fe80e3b7bd9b4e4"),
        ("SHA-512-256", "auth", "d355a3d1a34409524de6de7cea4cbe4ed576bc75c038422835bc2bcabc6d5dd9"),
        ("SHA-512-256", "auth-int", "689de07bdf6272a75ab38063e7945e08ae72327d0b828defaa0c4818d58c3e39"),
        ("SHA-512-256-sess", "auth", "02fa04bfdd815a87781776298c0619c25542f6e99125ea7823fdc2bdd30bd9c9"),
        ("SHA-512-256-sess", "auth-int", "b56947dcdf18508bc41d4f09139b8dc57f409fb2b5386aae3d63418907bdf1f9"),
        (
            "SHA-512", "auth",
            "51d4df596783c44372ee6f17a5106767a8e378d4b253c3488c0ecfe2969f0961"
                + "0b1d7ecb35449be9baad266b4200dc630ae3dfd4b480fed514e3c7b51357e774"
        ),
        (
            "SHA-512-sess", "auth-int",
            "99a2edb5a23bb9a4fb0d0747c7a3d7e32f1d6691fb464c1a63a60d7b808cb922"
                + "f0e95ba4315191e29fa017b42a21e3b04be94dd970bca8b5f70544e0c8228a27"
        ),
    ])
    func `every algorithm with either protection`(algorithm: String, protection: String, response: String) throws {
        // The name is accepted in any case and returned unchanged.
        for name in [algorithm, algorithm.lowercased()] {
            let sent = try #require(
                try Self.answer(
                    #"Digest realm="r", nonce="n", algorithm=\#(name), qop="\#(protection)""#, method: "POST",
                    target: "/a?b=c", body: Bytes("body"), clientNonce: "c", times: 2))
            #expect(sent["response"] == response)
            #expect(sent["algorithm"] == name)
            #expect(sent["qop"] == protection)
            #expect(sent["nc"] == "00000002")
        }
    }

    @Test(
        "BAD-INPUT 34: of the challenges that are understood the strongest is answered, whatever their order",
        arguments: [
            (["MD5", "SHA-256", "SHA-512-256"], "SHA-512-256"), (["SHA-512-256", "SHA-256", "MD5"], "SHA-512-256"),
            (["SHA-256-sess", "SHA-256"], "SHA-256-sess"), (["MD5", "SHA-256-sess"], "SHA-256-sess"),
            (["SHA3-512", "MD5"], "MD5"), (["X", "SHA-256", "MD5-sess"], "SHA-256"),
        ])
    func choice(offered: [String], chosen: String) {
        let fields = offered.map { #"Digest realm="r", nonce="n", qop="auth", algorithm=\#($0)"# }
        let found = DigestChallenge.strongest(of: Challenge.parse(fields).challenges)
        #expect(found.challenge?.algorithmName == chosen)
    }

    @Test(arguments: [
        (#"Digest nonce="n""#, "it has no realm"), (#"Digest realm="r""#, "it has no nonce"),
        (
            #"Digest realm="r", nonce="\#(String(repeating: "n", count: 4_096))""#,
            "its realm, nonce and opaque have more than 4096 bytes together"
        ),
        (#"Digest realm="r", nonce="n", algorithm=SHA-1"#, "the algorithm SHA-1 is not known"),
        ("Digest realm=\"r\", nonce=\"n\", algorithm=\"a\tb\"", #"the algorithm a\u{9}b is not known"#),
        (
            #"Digest realm="r", nonce="n", qop="auth-conf""#, "it offers no quality of protection that is known"
        ),
        (
            #"Digest realm="r", nonce="n", algorithm=MD5-sess"#,
            "its algorithm needs a quality of protection, and it offers none"
        ),
    ])
    func `a challenge that cannot be answered says why`(field: String, problem: String) {
        let found = DigestChallenge.strongest(of: Challenge.parse([field]).challenges)
        #expect(found.challenge == nil)
        #expect(found.problems == [problem])
    }

    @Test(arguments: [
        ("auth", true, "auth"), ("auth-int", true, "auth-int"), ("auth-int,auth", true, "auth"),
        ("auth-conf , AUTH-INT", true, "auth-int"), (" auth\tauth-int ", false, "auth"), ("auth-int", false, nil),
        ("", true, ""),
    ])
    func `the body is covered only where nothing else is offered`(qop: String, knowsBody: Bool, chosen: String?) throws
    {
        let challenge = try Self.challenge(#"Digest realm="r", nonce="n", qop="\#(qop)""#)
        #expect(challenge.protection(knowsBody: knowsBody)?.rawValue == chosen)
        if chosen == nil {
            let sent = try Self.answer(#"Digest realm="r", nonce="n", qop="\#(qop)""#, body: nil)
            #expect(sent == nil)
        }
    }

    // MARK: Written credentials

    @Test func `only what must be quoted is quoted`() throws {
        var session = DigestSession(
            try Self.challenge(#"Digest realm="r", nonce="n", qop="auth", algorithm=MD5, opaque="""#), clientNonce: "c")
        let field = session.authorization(
            for: .init(method: "GET", target: "/", body: nil), by: .init(name: "u", password: "p"))
        let digest = DigestAlgorithm("MD5")
        let response = try #require(
            digest.map { $0.hash($0.hash("u", "r", "p"), "n", "00000001", "c", "auth", $0.hash("GET", "/")) })
        #expect(
            field == #"Digest username="u", realm="r", nonce="n", uri="/", algorithm=MD5, response="\#(response)", "#
                + #"qop=auth, nc=00000001, cnonce="c", opaque="""#)
    }

    @Test(
        "BAD-INPUT 34: quotes and backslashes cannot end what they stand in",
        arguments: [#"a"b"#, #"a\"#, #"", uri="/"#])
    func quoting(text: String) throws {
        let quoted = text.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        let sent = try #require(
            try Self.answer(#"Digest realm="\#(quoted)", nonce="\#(quoted)", opaque="\#(quoted)""#, user: text))
        for name in ["username", "realm", "nonce", "opaque"] { #expect(sent[name] == text) }
        #expect(sent["uri"] == "/dir/index.html")
        #expect(sent.parameters.count == 6)
    }

    @Test(arguments: [
        ("J\u{E4}s\u{F8}n Doe", "UTF-8''J%C3%A4s%C3%B8n%20Doe"), ("燕'*%\"", "UTF-8''%E7%87%95%27%2A%25%22"),
    ])
    func `a name that is not in ASCII is written by RFC 8187`(name: String, field: String) throws {
        let sent = try #require(try Self.answer(#"Digest realm="r", nonce="n""#, user: name))
        #expect(sent["username*"] == field)
        #expect(sent["username"] == nil)
    }

    @Test func `a server that names the charset gets name and password in normalization form C`() throws {
        let offer = #"Digest realm="r", nonce="n", charset="utf-8""#
        let composed = try Self.answer(offer, user: "\u{E4}", password: "\u{F6}")
        let decomposed = try Self.answer(offer, user: "a\u{308}", password: "o\u{308}")
        #expect(decomposed == composed)
        let other = try Self.answer(#"Digest realm="r", nonce="n""#, user: "a\u{308}")
        #expect(other?["username*"] == "UTF-8''a%CC%88")
    }

    @Test func `the client's nonce is another one for each nonce of the server, and never the same`() throws {
        let offer = #"Digest realm="r", nonce="n", qop="auth""#
        var nonces: Set<String> = []
        for _ in 0..<50 { nonces.insert(try #require(try Self.answer(offer)?["cnonce"])) }
        #expect(nonces.count == 50)
        #expect(nonces.allSatisfy { $0.utf8.count == 32 })
        var session = DigestSession(try Self.challenge(offer))
        let message = DigestSession.Message(method: "GET", target: "/", body: nil)
        let user = DigestSession.User(name: "u", password: "p")
        func next() -> Challenge? {
            session.authorization(for: message, by: user).flatMap { Challenge.parse([$0]).challenges.first }
        }
        let (first, second) = (next(), next())
        #expect(first?["cnonce"] == second?["cnonce"])
        #expect([first?["nc"], second?["nc"]] == ["00000001", "00000002"])
        session.renew(nonce: "m")
        let third = next()
        #expect(third?["nonce"] == "m" && third?["nc"] == "00000001")
        #expect(third?["cnonce"] != first?["cnonce"])
    }

    // MARK: The server's response-auth

    /// Computed by Python's hashlib, for the session with these values.
    @Test(
        arguments: [
            ("auth", "a2cd6cfa40ef47f58b0e2248c29f4a34", nil, true),
            ("auth", "A2CD6CFA40EF47F58B0E2248C29F4A34", nil, true),
            ("auth", "00000000000000000000000000000000", nil, false), ("auth", "", nil, false),
            ("auth-int", "72b89578730532e4ae8150ffb89bafcc", "answer", true),
            ("auth-int", "72b89578730532e4ae8150ffb89bafcc", "another", false),
            ("auth-int", "72b89578730532e4ae8150ffb89bafcc", nil, nil),
        ] as [(String, String, String?, Bool?)])
    func `a server proves that it knows the password`(qop: String, proof: String, body: String?, expected: Bool?) throws
    {
        var session = DigestSession(
            try Self.challenge(#"Digest realm="r", nonce="n", qop="\#(qop)""#), clientNonce: "c")
        let user = DigestSession.User(name: "Mufasa", password: "pw")
        let message = DigestSession.Message(method: "POST", target: "/x", body: Bytes("body"))
        let answer = session.authorization(for: message, by: user)
        let sent = try #require(answer)
        let information = try #require(Challenge.parameters(of: #"rspauth="\#(proof)", qop=\#(qop)"#))
        #expect(session.isProven(sent, by: user, information, body: body.map { Bytes($0) }) == expected)
        #expect(session.isProven(sent, by: user, [], body: nil) == nil)
        #expect(session.isProven("Basic abc", by: user, information, body: nil) == nil)
    }
}
