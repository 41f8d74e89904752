// KeyValueScenarioTests: a request and its response as a pair of types, after the key=value format of the original
// RequestParam.
// Every behaviour of the original works here, without its faults.
#if Server
import Foundation
import HTTPBin
import KeyValueAPI
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite("RequestParam and ResponseParam", .timeLimit(.minutes(2)))
struct KeyValueScenarioTests {
    static let words = "word=%E6%98%A5%20%26%20%E7%A7%8B%3D%E7%87%95"

    // MARK: The example

    @Test func getAndPostEachWaitedForAndByDelegateGiveTheSameAnswer() async throws {
        let (run, _) = try await runExample()
        #expect(run.status == 0)
        for way in ["synchronous GET", "synchronous POST", "asynchronous GET", "asynchronous POST"] {
            #expect(run.lines.filter { $0 == "\(way): 200, 燕は春に来る, a=b==c, 0" }.count == 1)
        }
    }

    @Test func aGetHasItsParametersInTheQueryAndNoBody() async throws {
        let (_, log) = try await runExample()
        let gets = log("GET", "/keyvalue")
        #expect(gets.count == 2)
        for get in gets {
            #expect(try get.query.wholeMatch(of: common(after: Self.words)) != nil)
            #expect(get.bodyByteCount == 0)
            #expect(get["Content-Length"] == nil && get["Transfer-Encoding"] == nil && get["Content-Type"] == nil)
        }
    }

    @Test func aPostHasItsParametersInALabelledFormAndNoQuery() async throws {
        let (_, log) = try await runExample()
        let posts = log("POST", "/keyvalue")
        #expect(posts.count == 2)
        for post in posts {
            #expect(try post.text.wholeMatch(of: common(after: Self.words)) != nil)
            #expect(post.target == "/keyvalue")
            #expect(post["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(post["Content-Length"] == "\(post.body.count)")
        }
    }

    @Test func afterResponseRunsOnceForEachCall() async throws {
        let (run, _) = try await runExample()
        #expect(run.lines.filter { $0 == "GET is over: 200, 燕は春に来る" }.count == 2)
        #expect(run.lines.filter { $0 == "POST is over: 200, 燕は春に来る" }.count == 2)
    }

    @Test func theDeviceIdIsOneUUIDOfTheInstallation() async throws {
        let home = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: home) }
        let ids = try await [runExample(home: home), runExample(home: home), runExample()].map { _, log in
            Set(log("GET", "/keyvalue").compactMap { Parameters.decoding($0.query)["deviceId"] })
        }
        #expect(ids.allSatisfy { $0.count == 1 && $0.allSatisfy { UUID(uuidString: $0) != nil } })
        #expect(ids[0] == ids[1])
        #expect(ids[0] != ids[2])
    }

    @Test func dateTimeIsTheTimeOfTheCallInItsZone() async throws {
        let format = Date.VerbatimFormatStyle(
            format: """
                \(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)\
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\
                \(second: .twoDigits)
                """,
            timeZone: try #require(TimeZone(identifier: "Asia/Tokyo")), calendar: Calendar(identifier: .gregorian))
        let before = Date().formatted(format)
        let (_, log) = try await runExample(environment: ["TZ": "Asia/Tokyo"])
        let after = Date().formatted(format)
        let gets = log("GET", "/keyvalue")
        try #require(gets.count == 2)
        for get in gets {
            let stamp = try #require(Parameters.decoding(get.query)["dateTime"])
            #expect(before <= stamp && stamp <= after)
        }
    }

    private static let ways = ["synchronous GET", "synchronous POST", "asynchronous GET", "asynchronous POST"]

    @Test(arguments: [
        (Reply.ok("message=half&resultCode=0&EN"), "ends without END"), (.close, "without sending a response"),
        (.status(.notFound, "message=half&resultCode=0&END"), "404 Not Found"),
    ])
    func aFailureIsToldInEveryWayToWaitOnce(reply: Reply, why: String) async throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try await ScriptedServer.start { _ in reply }.use { server in
            let run = try await runProduct("RequestParam", [server.url], environment: home(folder))
            #expect(run.status == 1)
            for way in Self.ways {
                let failures = run.lines.filter { $0.hasPrefix("\(way) failed: ") }
                #expect(failures.count == 1)
                #expect(failures.allSatisfy { $0.contains(why) }, "\(failures)")
            }
            #expect(!run.stdout.contains("half,"))
        }
    }

    @Test func theStatusAndTheServersErrorMessageAreInTheAnswer() async throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let reply = Reply.status(.created, "errorMessage=燕がいない&resultCode=7&END")
        try await ScriptedServer.start { _ in reply }.use { server in
            let run = try await runProduct("RequestParam", [server.url], environment: home(folder))
            #expect(run.status == 0)
            for way in Self.ways { #expect(run.lines.filter { $0 == "\(way): 201, error: 燕がいない" }.count == 1) }
        }
    }

    // MARK: The library

    @Test(arguments: Way.allCases, [HTTPRequest.Method.get, .post])
    func aReadTimeoutEndsTheCall(way: Way, method: HTTPRequest.Method) async throws {
        try await ScriptedServer.start { _ in .stall }.use { server in
            try await withClient(server.url) { api in
                let clock = ContinuousClock()
                let start = clock.now
                let error = try await failure(of: api, Inquiry(method, headTimeout: .milliseconds(80)), way)
                #expect(error.kind == .timeout && error.timeout == .head)
                #expect(clock.now - start >= .milliseconds(80))
            }
        }
    }

    @Test(arguments: Way.allCases)
    func halfReceivedDataIsNeverParsed(way: Way) async throws {
        let whole = "key=value&other=燕&END"
        let cutShort: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: \(whole.utf8.count)\r\n\r\nkey=va"), .close]
        try await ScriptedServer.start { _ in cutShort }.use { server in
            try await withClient(server.url) { api in
                let inquiry = Inquiry()
                let error = try await failure(of: api, inquiry, way)
                #expect(error.kind == .incompleteResponse)
                #expect(inquiry.spy.decoded == 0)
            }
        }
    }

    @Test(arguments: ["key=value", "key=value&", "key=value&EN", "key=value&ENDED", "key=value&x=END", "&"])
    func aMissingEndIsAnError(text: String) async throws {
        try await ScriptedServer.start { _ in .ok(text) }.use { server in
            try await withClient(server.url) { api in
                let error = try await failure(of: api, Inquiry(), .async)
                #expect(error.kind == .incompleteResponse)
                #expect(error.response?.statusCode == 200)
            }
        }
    }

    @Test func aValueThatContainsAnEqualsSignKeepsItsTail() async throws {
        #expect(try await answer("expression=a=b==c&END")["expression"] == "a=b==c")
    }

    @Test func aPieceWithoutAnEqualsSignIsAnEmptyValue() async throws {
        let answer = try await answer("flag&key=value&&=nameless&END")
        #expect(answer.map(\.name) == ["flag", "key", ""])
        #expect(answer["flag"] == "")
        #expect(answer["key"] == "value")
    }

    @Test func everythingBehindTheEndIsIgnored() async throws {
        let answer = try await answer("resultCode=0&END&resultCode=999&garbage=%%%\u{0}\r\n")
        #expect(answer.count == 1)
        #expect(answer["resultCode"] == "0")
    }

    @Test func aCharacterThatIsCutInTwoStaysWhole() async throws {
        let text = "message=燕は春に来る🐦&END"
        let bytewise: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"), .bytes(text, every: 1),
        ]
        try await ScriptedServer.start { _ in bytewise }.use { server in
            try await withClient(server.url) { api in
                let answer = try await api.send(Inquiry())
                #expect(answer["message"] == "燕は春に来る🐦")
            }
        }
    }

    @Test(arguments: Way.allCases, [HTTPResponse.Status.badRequest, .notFound, .internalServerError])
    func theAnswerOfAnErrorStatusIsKeptButNotDecoded(way: Way, status: HTTPResponse.Status) async throws {
        try await ScriptedServer.start { _ in .status(status, "errorMessage=out of swallows&END") }.use { server in
            try await withClient(server.url) { api in
                let inquiry = Inquiry()
                let error = try await failure(of: api, inquiry, way)
                #expect(error.kind == .status)
                #expect(error.response?.statusCode == status.code)
                #expect(error.response?.bytes == Bytes("errorMessage=out of swallows&END"))
                #expect(inquiry.spy.decoded == 0)
                #expect(inquiry.spy.ended == 1)
            }
        }
    }

    // MARK: -

    private func answer(_ text: String) async throws -> Parameters {
        try await ScriptedServer.start { _ in .ok(text) }.use { server in
            try await withClient(server.url) { api in try await api.send(Inquiry()) }
        }
    }

    private func runExample(
        home folder: URL? = nil, environment: [String: String] = [:]
    ) async throws -> (ProductRun, RequestLog) {
        let own = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: own) }
        return try await withHTTPBin { url, log in
            let run = try await runProduct(
                "RequestParam", [url], environment: environment.merging(home(folder ?? own)) { $1 })
            return (run, log)
        }
    }

    private func home(_ folder: URL) -> [String: String] { ["XDG_DATA_HOME": folder.path, "HOME": folder.path] }

    private func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
    }

    /// The parameters that every call of the example sends after its own.
    private func common(after parameters: String) throws -> Regex<AnyRegexOutput> {
        try Regex(parameters + "&messageType=greeting&deviceId=[-0-9A-F]{36}&dateTime=20[0-9]{12}")
    }
}

/// The two ways in which the original's request waits.
enum Way: Sendable, CaseIterable {
    case async, blocking
}

/// A call that counts how often its members are read.
private struct Inquiry: Endpoint {
    final class Spy: Sendable {
        private let counts = Mutex((decoded: 0, ended: 0))

        var decoded: Int { counts.withLock { $0.decoded } }
        var ended: Int { counts.withLock { $0.ended } }
        func decode() { counts.withLock { $0.decoded += 1 } }
        func end() { counts.withLock { $0.ended += 1 } }
    }

    let method: HTTPRequest.Method
    let timeouts: Timeouts
    let spy = Spy()

    init(_ method: HTTPRequest.Method = .get, headTimeout: Duration = .seconds(30)) {
        self.method = method
        var timeouts = Timeouts()
        timeouts.head = headTimeout
        self.timeouts = timeouts
    }

    var path: RequestPath { "inquiry" }

    func decode(_ response: Response) throws -> Parameters {
        spy.decode()
        return try response.keyValues(terminator: "END")
    }

    func afterResponse(_ response: Response) { spy.end() }
}

private func failure(of api: Client, _ inquiry: Inquiry, _ way: Way) async throws -> CallError {
    do throws(CallError) {
        switch way {
        case .async: _ = try await api.send(inquiry)
        case .blocking: try sendBlocking(api, inquiry)
        }
    } catch {
        return error
    }
    throw ProductError("the call did not fail")
}

private func sendBlocking(_ api: Client, _ inquiry: Inquiry) throws(CallError) {
    _ = try api.blocking.send(inquiry)
}
#endif
