// LoginScenarioTests: a form login that reports to a delegate, after the original HttpClient.
// Every behaviour of the original works here, without its faults.
#if Server
import HTTPBin
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite("HttpClient", .timeLimit(.minutes(2)))
struct LoginScenarioTests {
    static let name = HTTPBin.sampleAccount.name
    static let password = HTTPBin.sampleAccount.password
    static let encodedPassword = "p%40ss%20w%26rd%3D100%25%2B%E7%87%95%3B%2F%3F%23%5B%5D"

    // MARK: The example

    @Test func aFormLoginOpensThePageBehindIt() async throws {
        let (run, log) = try await runExample()
        #expect(run.status == 0)
        #expect(run.lines == ["Password?", "signed in: 200 OK", "signed in as swallow"])
        #expect(log.all.map { "\($0.method) \($0.target)" } == ["POST /login", "GET /me"])
    }

    @Test func everyValueIsPercentEncodedAndNothingFollowsTheLast() async throws {
        let (_, log) = try await runExample()
        #expect(log("POST", "/login").map(\.text) == ["name=swallow&password=\(Self.encodedPassword)"])
    }

    @Test func theFormIsLabelledMeasuredAndNotAnsweredFromACache() async throws {
        let (_, log) = try await runExample()
        let login = try #require(log("POST", "/login").first)
        #expect(login["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(login["Content-Length"] == "\(login.body.count)")
        #expect(login["Transfer-Encoding"] == nil)
        #expect(login["Cache-Control"] == "no-cache")
        #expect(login["Cookie"] == nil)
    }

    @Test func theNextCallUsesTheSessionOnTheSameConnection() async throws {
        let (_, log) = try await runExample()
        let page = try #require(log("GET", "/me").first)
        #expect(try #require(page["Cookie"]).wholeMatch(of: /session=[^;]+/) != nil)
        #expect(page.bodyByteCount == 0 && page["Content-Length"] == nil)
        #expect(Set(log.all.map(\.connection)).count == 1)
    }

    @Test func aWrongPasswordIsAFailureThatTellsTheServersReason() async throws {
        let (run, log) = try await runExample(password: "guess me if you can")
        #expect(run.status == 1)
        #expect(run.stdout.contains("401"))
        #expect(run.stdout.contains("wrong name or password"))
        #expect(log("GET", "/me").isEmpty)
    }

    @Test(arguments: [password, "a wrong one +%&="])
    func thePasswordIsInNoLine(password: String) async throws {
        let (run, log) = try await runExample(password: password)
        let encoded = try #require(log("POST", "/login").first).text.split(separator: "password=").last
        #expect(!run.shown.contains(password))
        #expect(!run.shown.contains(try #require(encoded)))
    }

    @Test func thePasswordIsInNoLineWhenNobodyListens() async throws {
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        let url = dead.url
        let run = try await runProduct("HttpClient", [url, Self.name], stdin: Array(Self.password.utf8))
        #expect(run.status == 1)
        #expect(run.stdout.contains("not signed in: POST \(url)/login failed while connecting"))
        #expect(!run.shown.contains(Self.password) && !run.shown.contains(Self.encodedPassword))
    }

    // MARK: The library

    @Test func keysAreEncodedLikeValues() async throws {
        let reserved = "!#$&'()*+,/:;=?@[] %燕"
        let encoded = "%21%23%24%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D%20%25%E7%87%95"
        try await ScriptedServer.start().use { server in
            try await withClient(server.url) { api in
                _ = try await api.post("form", form: [reserved: reserved])
                #expect(try await server.request(0).text == "\(encoded)=\(encoded)")
            }
        }
    }

    @Test @MainActor func aSecondRequestByTheSameObjectLeavesTheFirstAlone() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            request.path == "/first" ? Reply.ok("first").after(gate) : .ok("second")
        }
        try await server.use { server in
            try await withClient(server.url) { api in
                let collector = Collector(expecting: 2)
                let first = api.start(Request(.get, "first"), delegate: collector)
                try await gate.waitForArrivals(1)
                let second = api.start(Request(.get, "second"), delegate: collector)
                collector.onAnswer = { if $0 == "second" { gate.open() } }
                await collector.finished()
                #expect(collector.answers == [second.id: "second", first.id: "first"])
            }
        }
    }

    @Test func nothingThatIsToldOfACallHoldsItsSecrets() async throws {
        try await withHTTPBin { url, _ in
            let jar = CookieJar()
            try await withClient(url, { $0.cookies = .jar(jar) }) { api in
                let told = Mutex("")
                let observation = api.observe { event in
                    var text = "\(event) \(String(reflecting: event)) "
                    dump(event, to: &text)
                    told.withLock { $0 += text }
                }
                let login = Request(.post, "login", body: .form(["name": Self.name, "password": Self.password]))
                var text = String(reflecting: login)
                dump(login, to: &text)
                let response = try await api.send(login)
                dump(response, to: &text)
                _ = try await api.get("me").accepted()
                do {
                    _ = try await api.get("me", query: ["password": Self.password]).json([Int].self)
                } catch {
                    dump(error, to: &text)
                    text += "\(error) \(String(reflecting: error))"
                }
                observation.cancel()

                let session = try #require(jar.cookies.first { $0.name == "session" }).value
                text += told.withLock { $0 }
                #expect(text.contains("/login"))
                for secret in [Self.password, Self.encodedPassword, session] { #expect(!text.contains(secret)) }
            }
        }
    }

    // MARK: -

    private func runExample(password: String = password) async throws -> (ProductRun, RequestLog) {
        try await withHTTPBin { url, log in
            (try await runProduct("HttpClient", [url, Self.name], stdin: Array("\(password)\n".utf8)), log)
        }
    }
}

/// Collects the responses of several calls.
private final class Collector: CallDelegate {
    private(set) var answers: [UInt64: String] = [:]
    var onAnswer: (String) -> Void = { _ in }
    private let expected: Int
    private var waiting: CheckedContinuation<Void, Never>?

    init(expecting count: Int) { expected = count }

    func finished() async {
        if answers.count < expected { await withCheckedContinuation { waiting = $0 } }
    }

    func call(_ call: Call, didFinish response: Response) { add(call, String(decoding: response.bytes, as: UTF8.self)) }

    func call(_ call: Call, didFailWith error: CallError) { add(call, "\(error)") }

    private func add(_ call: Call, _ text: String) {
        answers[call.id] = text
        onAnswer(text)
        if answers.count == expected { waiting?.resume() }
    }
}
#endif
