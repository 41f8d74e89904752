// ChallengeTests: WWW-Authenticate and related fields, parsed (RFC 9110 section 11).

import Testing
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct ChallengeTests {
    /// The parsed challenges, each as `scheme token68 name=value …`, with values in brackets.
    private func read(_ fields: String...) -> [String] {
        Challenge.parse(fields).challenges.map { challenge in
            ([challenge.scheme] + [challenge.token68].compactMap { $0 }
                + challenge.parameters.map { "\($0.name)=[\($0.value)]" }).joined(separator: " ")
        }
    }

    @Test(arguments: [
        (#"Basic realm="simple""#, ["basic realm=[simple]"]),
        (#"Basic REALM="simple", Charset=UTF-8"#, ["basic realm=[simple] charset=[UTF-8]"]),
        ("basic realm = \"a\" , x\t=\tb", ["basic realm=[a] x=[b]"]),
        ("Negotiate", ["negotiate"]), ("Negotiate YII=", ["negotiate YII="]), ("NTLM a-._~+/9==", ["ntlm a-._~+/9=="]),
        (#"Negotiate, Basic realm="a", NTLM"#, ["negotiate", "basic realm=[a]", "ntlm"]),
        (#"Negotiate abc==, Basic realm="a""#, ["negotiate abc==", "basic realm=[a]"]),
        // RFC 9110 section 11.6.1.
        (
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            ["basic realm=[simple]", #"newauth realm=[apps] type=[1] title=[Login to "apps"]"#]
        ),
        (#"Digest realm="a, Basic realm=b", nonce="c""#, ["digest realm=[a, Basic realm=b] nonce=[c]"]),
        (#"Digest realm="a\\b\"c\d", nonce=x"#, [#"digest realm=[a\b"cd] nonce=[x]"#]),
        (#"Digest realm="", nonce="""#, ["digest realm=[] nonce=[]"]),
        (#", , Basic realm="a",,Bearer,"#, ["basic realm=[a]", "bearer"]),
        // Against the grammar, but sent by servers: values that should be quoted.
        ("Digest realm=a@b.example, nonce=abc/+==", ["digest realm=[a@b.example] nonce=[abc/+==]"]),
        (
            #"Bearer error="invalid_token", error_description="燕""#,
            ["bearer error=[invalid_token] error_description=[燕]"]
        ),
        ("", []), (" \t, ", []),
    ])
    func `a field is a list of challenges`(field: String, challenges: [String]) {
        #expect(read(field) == challenges)
        #expect(Challenge.parse([field]).problems.isEmpty)
    }

    @Test func `several fields are one list, in their order`() {
        #expect(
            read("Digest realm=\"a\", nonce=\"n\"", "Basic realm=\"b\", Bearer", "NTLM")
                == ["digest realm=[a] nonce=[n]", "basic realm=[b]", "bearer", "ntlm"])
    }

    @Test("BAD-INPUT 34: a parameter that comes twice makes the challenge one that is not answered, and only that one")
    func duplicates() {
        let field = #"Basic realm="a", Digest realm="b", nonce="1", NONCE="2", Bearer realm="c""#
        #expect(read(field) == ["basic realm=[a]", "bearer realm=[c]"])
        #expect(Challenge.parse([field]).problems == ["a digest challenge has nonce twice"])
    }

    @Test(
        "BAD-INPUT 34: what cannot be understood ends its field and its challenge, and leaves the others",
        arguments: [
            #"Digest realm="a"#, #"Digest realm="a\"#, #"Digest realm="a\""#, #"Digest realm="a"b, nonce="c""#,
            #"Digest realm="a" nonce="c""#, "Digest realm=\"a\u{0}b\"", "Digest realm=\"a\u{7F}\"",
            "Digest realm=\"a\nb\"",
            "Digest realm=\"a\\\u{1}\"", #"Digest nonce="c", realm=, x=y"#, #"Digest realm=a"b, nonce="c""#,
            #"Digest realm="a", nonce="#, "Digest realm=a b, nonce=c",
        ])
    func broken(field: String) {
        let found = Challenge.parse(["Basic realm=\"kept\"", "Bearer realm=\"kept\", " + field, "NTLM"])
        #expect(found.challenges.map(\.scheme) == ["basic", "bearer", "ntlm"])
        #expect(found.problems.count == 1)
    }

    @Test(arguments: ["=", "\"", "\"a\"", "=a", "Basic=a", "(Basic)", "\u{0}", "é realm=a", "Basic\u{0}"])
    func `what begins with no scheme is no challenge`(field: String) {
        #expect(read(field).isEmpty)
        #expect(Challenge.parse([field]).problems == ["a challenge does not begin with a scheme"])
    }

    @Test("BAD-INPUT 34: challenges without end are read up to a bound") func bounds() {
        let long = #"Digest realm="\#(String(repeating: "a", count: 17_000))", nonce="n""#
        #expect(Challenge.parse(["NTLM", long, "Basic realm=a"]).challenges.map(\.scheme) == ["ntlm"])
        let many = [String](repeating: "Digest realm=\"\(String(repeating: "a", count: 900))\"", count: 100)
        #expect(Challenge.parse(many).challenges.count < 20)
        let wide = "Digest " + (0..<65).map { "p\($0)=1" }.joined(separator: ",")
        #expect(Challenge.parse([wide]).challenges.isEmpty)
        #expect(Challenge.parse([wide]).problems == ["a digest challenge has more than 64 parameters"])
        #expect(Challenge.parse([String(repeating: "a,", count: 8_000)]).challenges.count == 8_000)
    }

    @Test("BAD-INPUT 34: no cut and no changed byte of a challenge is a trap") func mutations() {
        let field = Array(#"Basic realm="a\"b", Digest realm="x", nonce="n==", qop="auth, auth-int", NTLM a=="#.utf8)
        var understood = 0
        for end in field.indices {
            understood += read(String(decoding: field[..<end], as: UTF8.self)).count
            for byte: UInt8 in [0, 0x09, 0x20, 0x22, 0x2C, 0x3D, 0x5C, 0x7F, 0xC3, 0xFF] {
                var changed = field
                changed[end] = byte
                understood += read(String(decoding: changed, as: UTF8.self)).count
                changed.insert(byte, at: end)
                understood += read(String(decoding: changed, as: UTF8.self)).count
            }
        }
        #expect(understood > 0)
    }

    @Test(arguments: [
        (#"nextnonce="n", rspauth="0a", qop=auth"#, ["nextnonce=n", "rspauth=0a", "qop=auth"]),
        ("", []), (" , a = b ,", ["a=b"]),
    ])
    func `Authentication-Info has parameters only`(field: String, parameters: [String]) {
        #expect(Challenge.parameters(of: field)?.map { "\($0.name)=\($0.value)" } == parameters)
    }

    @Test(arguments: ["nextnonce", "a=b c", "a=b, a=c", "a=\"b", "Digest a=b", "=b"])
    func `Authentication-Info that cannot be understood says nothing`(field: String) {
        #expect(Challenge.parameters(of: field) == nil)
    }
}
