// DigestStoreTests: the stored Digest state of an origin: its targets, its user and its limits.

import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct DigestStoreTests {
    private let user = DigestSession.User(name: "u", password: "p")

    private func message(_ target: String, body: Bytes? = Bytes()) -> DigestSession.Message {
        DigestSession.Message(method: "GET", target: target, body: body)
    }

    private func uri(_ url: String) throws -> TargetURI { try TargetURI(parsing: url) }

    /// Stores the challenge that a request for `url` received.
    private func learn(_ parameters: String, at url: String, in store: inout DigestStore) throws -> Challenge? {
        let challenges = Challenge.parse(["Digest \(parameters)"]).challenges
        let challenge = try #require(DigestChallenge.strongest(of: challenges).challenge)
        let uri = try uri(url)
        return read(store.answer(challenge, to: message(uri.target), at: uri, by: user))
    }

    /// The credentials of a request for `url` before any challenge.
    private func sent(to url: String, from store: inout DigestStore, by user: DigestSession.User? = nil) throws
        -> Challenge?
    {
        let uri = try uri(url)
        return read(store.authorization(for: message(uri.target), to: uri, by: user ?? self.user))
    }

    /// Whether the store accepts the server's values in `field`.
    private func takes(_ fields: [String], _ field: String, at uri: TargetURI, _ store: inout DigestStore) -> Bool {
        store.take(fields, for: field, at: uri, by: user, body: nil)
    }

    private func read(_ field: String?) -> Challenge? { field.flatMap { Challenge.parse([$0]).challenges.first } }

    @Test func `an origin that has asked once is answered before it asks, with a counter that goes on`() throws {
        var store = DigestStore()
        #expect(try sent(to: "http://a.example/", from: &store) == nil)
        let first = try learn(#"realm="r", nonce="n", qop="auth""#, at: "http://a.example/x", in: &store)
        #expect(first?["nc"] == "00000001" && first?["uri"] == "/x")
        let second = try sent(to: "http://a.example/y?z", from: &store)
        #expect(second?["nc"] == "00000002" && second?["uri"] == "/y?z" && second?["nonce"] == "n")
    }

    @Test func `an answer is renewed with the newest nonce of its realm, and for its user alone`() throws {
        var store = DigestStore()
        let url = "http://a.example/x"
        _ = try learn(#"realm="r", nonce="n", qop="auth""#, at: url, in: &store)
        let (message, uri) = (message("/x"), try uri(url))
        let sent = store.authorization(for: message, to: uri, by: user)
        let before = try #require(sent)
        _ = try learn(#"realm="other", nonce="o", qop="auth""#, at: url, in: &store)
        _ = try learn(#"realm="r", nonce="m", qop="auth""#, at: url, in: &store)
        let renewed = store.next(after: before, to: uri, by: user, knowsBody: true)?.answer(to: message, by: user)
        #expect(read(renewed)?["nonce"] == "m" && read(renewed)?["nc"] == "00000002")
        let stranger = DigestSession.User(name: "stranger", password: "p")
        let strange = store.next(after: before, to: uri, by: stranger, knowsBody: true)
        let unknown = store.next(
            after: before.replacing(#"realm="r""#, with: #"realm="s""#), to: uri, by: user, knowsBody: true)
        #expect(strange == nil && unknown == nil)
    }

    @Test(
        "BAD-INPUT 34: what one origin has asked concerns no other",
        arguments: [
            "https://a.example/", "http://a.example:81/", "http://b.a.example/", "http://example/", "http://b.example/",
        ])
    func otherOrigins(url: String) throws {
        var store = DigestStore()
        let domain = "/ http://b.example/ https://a.example/ http://a.example:81/"
        _ = try learn(#"realm="r", nonce="n", domain="\#(domain)""#, at: "http://a.example/x", in: &store)
        #expect(try sent(to: "http://a.example/", from: &store) != nil)
        #expect(try sent(to: url, from: &store) == nil)
    }

    @Test func `what one user was asked concerns no other`() throws {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="n""#, at: "http://a.example/", in: &store)
        #expect(try sent(to: "http://a.example/", from: &store, by: .init(name: "v", password: "p")) == nil)
    }

    @Test(arguments: [
        ("/private", "/private", true), ("/private", "/private/x?y", true), ("/private", "/public", false),
        ("/private/", "/private", false), ("/a http://a.example/b /c", "/b/x", true), ("/a /b", "/c", false),
        ("x", "/dir/x", true), ("x", "/x", false), ("http://b.example/", "/dir/page", true),
        ("http://b.example/", "/other", false), ("", "/anything", true), ("http:///", "/other", false),
        ("mailto:a /b", "/b", true),
    ])
    func `the protection space is what domain says, at this origin`(domain: String, target: String, isWithin: Bool)
        throws
    {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="n", domain="\#(domain)""#, at: "http://a.example/dir/page", in: &store)
        #expect(try (sent(to: "http://a.example\(target)", from: &store) != nil) == isWithin)
    }

    @Test func `of several spaces the nearest is meant, and the newest of those`() throws {
        var store = DigestStore()
        _ = try learn(#"realm="all", nonce="n""#, at: "http://a.example/", in: &store)
        _ = try learn(#"realm="near", nonce="n", domain="/a/""#, at: "http://a.example/a/", in: &store)
        #expect(try sent(to: "http://a.example/a/x", from: &store)?["realm"] == "near")
        #expect(try sent(to: "http://a.example/b", from: &store)?["realm"] == "all")
        _ = try learn(#"realm="new", nonce="n""#, at: "http://a.example/", in: &store)
        #expect(try sent(to: "http://a.example/a/x", from: &store)?["realm"] == "near")
        #expect(try sent(to: "http://a.example/b", from: &store)?["realm"] == "new")
    }

    @Test("BAD-INPUT 34: another nonce takes the place of one that is too old; the same one counts on") func nonces()
        throws
    {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="1", qop=auth"#, at: "http://a.example/", in: &store)
        let other = try learn(#"realm="r", nonce="2", qop=auth, stale=TRUE"#, at: "http://a.example/", in: &store)
        #expect(other?["nonce"] == "2" && other?["nc"] == "00000001")
        let same = try learn(#"realm="r", nonce="2", qop=auth"#, at: "http://a.example/", in: &store)
        #expect(same?["nonce"] == "2" && same?["nc"] == "00000002")
        #expect(same?["cnonce"] == other?["cnonce"])
    }

    @Test func `a challenge that changes otherwise under the same nonce is heeded`() throws {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="1", qop=auth, algorithm=MD5"#, at: "http://a.example/", in: &store)
        let other = try learn(
            #"realm="r", nonce="1", qop=auth, algorithm=SHA-256"#, at: "http://a.example/", in: &store)
        #expect(other?["algorithm"] == "SHA-256")
    }

    @Test func `the nonce that the server names comes next`() throws {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="1", qop=auth"#, at: "http://a.example/", in: &store)
        let uri = try uri("http://a.example/x")
        let sentField = store.authorization(for: message("/x"), to: uri, by: user)
        let field = try #require(sentField)
        for fields in [[#"nextnonce="x""#, #"nextnonce="y""#], [#"nextnonce="x"#], [#"nextnonce="""#], ["qop=auth"]] {
            #expect(takes(fields, field, at: uri, &store))
            #expect(try sent(to: "http://a.example/", from: &store)?["nonce"] == "1")
        }
        // The credentials of another request do not count.
        #expect(takes([#"nextnonce="x""#], "Basic abc", at: uri, &store))
        let foreign = field.replacing(#"nonce="1""#, with: #"nonce="0""#)
        #expect(takes([#"nextnonce="x""#], foreign, at: uri, &store))
        #expect(try sent(to: "http://a.example/", from: &store)?["nonce"] == "1")
        #expect(takes([#"nextnonce="2""#], field, at: uri, &store))
        let next = try sent(to: "http://a.example/", from: &store)
        #expect(next?["nonce"] == "2" && next?["nc"] == "00000001")
    }

    @Test func `a server that proves not to know the password names no nonce`() throws {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="1", qop=auth"#, at: "http://a.example/", in: &store)
        let uri = try uri("http://a.example/x")
        let sentField = store.authorization(for: message("/x"), to: uri, by: user)
        let field = try #require(sentField)
        #expect(!takes([#"rspauth="00", nextnonce="2""#], field, at: uri, &store))
        #expect(try sent(to: "http://a.example/", from: &store)?["nonce"] == "1")
    }

    @Test("BAD-INPUT 34: realms and origins without end are not all remembered") func bounds() throws {
        var store = DigestStore()
        for number in 0..<20 {
            _ = try learn(#"realm="\#(number)", nonce="n", domain="/\#(number)/""#, at: "http://a.example/", in: &store)
        }
        #expect(try sent(to: "http://a.example/0/", from: &store) == nil)
        #expect(try sent(to: "http://a.example/19/", from: &store) != nil)
        for number in 0..<300 { _ = try learn(#"realm="r", nonce="n""#, at: "http://a\(number).example/", in: &store) }
        #expect(try sent(to: "http://a.example/19/", from: &store) == nil)
        #expect(try sent(to: "http://a299.example/", from: &store) != nil)
    }

    @Test func `a body that is not known is not answered where it is to be covered`() throws {
        var store = DigestStore()
        _ = try learn(#"realm="r", nonce="n", qop=auth-int"#, at: "http://a.example/", in: &store)
        let uri = try uri("http://a.example/")
        let unknown = store.authorization(for: message("/", body: nil), to: uri, by: user)
        let known = store.authorization(for: message("/"), to: uri, by: user)
        #expect(unknown == nil && known != nil)
    }
}

extension DigestStore {
    fileprivate mutating func authorization(
        for message: DigestSession.Message, to uri: TargetURI, by user: DigestSession.User
    ) -> String? {
        next(to: uri, by: user, knowsBody: message.body != nil)?.answer(to: message, by: user)
    }

    fileprivate mutating func answer(
        _ challenge: DigestChallenge, to message: DigestSession.Message, at uri: TargetURI,
        by user: DigestSession.User
    ) -> String? {
        next(after: challenge, at: uri, by: user, knowsBody: message.body != nil)?.answer(to: message, by: user)
    }
}
