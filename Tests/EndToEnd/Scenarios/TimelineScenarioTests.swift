// TimelineScenarioTests: an XML timeline that notifications announce, after the original URLLoader.
// Every behaviour of the original works here, without its faults.
#if Server && XML
import Foundation
import HTTPBin
import Synchronization
import Testing
import Tsubame
import TsubameFoundation
import TsubameTesting
import TsubameXML

@Suite("URLLoader", .timeLimit(.minutes(2)))
struct TimelineScenarioTests {
    // MARK: The example

    @Test func theFourStagesEndInATimelineDecodedFromXML() async throws {
        let (run, _) = try await runExample("kinukawa")
        #expect(run.status == 0)
        let stages = run.lines.filter { !$0.hasPrefix("indicator") && !$0.hasPrefix("data: ") }
        #expect(
            stages == [
                "response: 200 OK",
                "kinukawa: 燕が帰ってきた。巣は去年のまま。",
                "kinukawa: Fish & chips < 10 km from here, \"crisp\" & hot",
                "kinukawa: 飛ぶ鳥を見ている 🐦",
            ])
        #expect(run.lines.contains { $0.hasPrefix("data: ") })
        #expect(!run.stdout.contains("alert"))
    }

    @Test(arguments: [
        ("kinukawa", "kinukawa"), ("../..", "..%2F.."), ("a b/c?d#e&f=g%2F", "a%20b%2Fc%3Fd%23e%26f%3Dg%252F"),
        ("燕", "%E7%87%95"), ("\\", "%5C"),
    ])
    func theUserNameIsEscapedIntoThePath(user: String, segment: String) async throws {
        let (run, log) = try await runExample(user)
        #expect(log.all.map(\.target) == ["/timeline/\(segment).xml"])
        #expect(run.status == 0)
        #expect(run.lines.filter { $0.hasPrefix("\(user): ") }.count == 3)
    }

    @Test func aViewerThatIsDoneIsToldNothingOfTheNextLoad() async throws {
        let (run, log) = try await runExample("kinukawa", "nobody", "tsubame")
        #expect(log.all.map(\.target) == ["kinukawa", "nobody", "tsubame"].map { "/timeline/\($0).xml" })
        for user in ["kinukawa", "tsubame"] {
            let lines = run.lines.filter { $0.hasPrefix("\(user): ") }
            #expect(lines.count == 3 && Set(lines).count == 3)
        }
        let responses = run.lines.filter { $0.hasPrefix("response: ") }
        // An HTTP error is only a failure, because the request requires an accepted status.
        #expect(responses == ["response: 200 OK", "response: 200 OK"])
        #expect(run.lines.filter { $0.hasPrefix("alert: ") }.count == 1)
        let indicator = run.lines.filter { $0.hasPrefix("indicator") }
        #expect(indicator == (0..<6).map { $0 % 2 == 0 ? "indicator: on" : "indicator: off" })
        #expect(run.status == 1)
    }

    @Test func aMissingTimelineIsAFailureAndNoTimeline() async throws {
        let (run, log) = try await runExample("nobody")
        #expect(log.all.map(\.target) == ["/timeline/nobody.xml"])
        #expect(run.status == 1)
        #expect(run.lines.contains { $0.hasPrefix("alert: ") && $0.contains("404 Not Found") })
        #expect(!run.stdout.contains("nobody: "))
    }

    @Test func aTransferThatFailsIsAnAlert() async throws {
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        let url = dead.url
        let run = try await runProduct("URLLoader", [url, "kinukawa"])
        #expect(run.status == 1)
        #expect(run.lines.contains { $0.hasPrefix("alert: GET \(url)/timeline/kinukawa.xml failed while connecting") })
    }

    @Test func anAnswerThatIsNoXMLIsAnAlert() async throws {
        try await ScriptedServer.start { _ in .ok("<statuses><status>") }.use { server in
            let run = try await runProduct("URLLoader", [server.url])
            #expect(run.status == 1)
            #expect(run.lines.contains { $0.hasPrefix("alert: ") })
        }
    }

    @Test(arguments: ["kinukawa", "nobody"])
    func theIndicatorIsOnWhileTheCallRunsAndThenOff(user: String) async throws {
        let (run, _) = try await runExample(user)
        #expect(run.lines.filter { $0.hasPrefix("indicator") } == ["indicator: on", "indicator: off"])
        #expect(run.lines.first == "indicator: on")
    }

    @Test func theIndicatorIsOffWhenTheTransferFails() async throws {
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        let url = dead.url
        let run = try await runProduct("URLLoader", [url])
        #expect(run.lines.filter { $0.hasPrefix("indicator") } == ["indicator: on", "indicator: off"])
    }

    // MARK: The library

    @Test @MainActor func everyObserverIsToldOfEachStageWithTheCallAsItsObject() async throws {
        let pieces: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"), .pieces("one", "two"),
        ]
        try await ScriptedServer.start { _ in pieces }.use { server in
            try await withClient(server.url) { api in
                let center = NotificationCenter()
                let (first, second) = (Witness(center), Witness(center))
                let call = api.start(Request(.get, "page"), notifying: center)
                await first.finished()
                try await settled(api)
                for witness in [first, second] {
                    #expect(witness.names.first == .callDidReceiveResponse)
                    #expect(witness.names.filter { $0 == .callDidReceiveResponse }.count == 1)
                    #expect(witness.data == Data("onetwo".utf8))
                    #expect(witness.names.last == .callDidFinish)
                    #expect(witness.names.filter { $0 == .callDidFinish }.count == 1)
                    #expect(witness.calls == [ObjectIdentifier(call)])
                    witness.stop()
                }
            }
        }
    }

    @Test @MainActor func aFailureIsToldOnceAndNothingElse() async throws {
        try await ScriptedServer.start { _ in .close }.use { server in
            try await withClient(server.url) { api in
                let center = NotificationCenter()
                let witness = Witness(center)
                api.start(Request(.post, "page"), notifying: center)
                await witness.finished()
                try await settled(api)
                #expect(witness.names == [.callDidFail])
                #expect(witness.error?.kind == .emptyReply)
                witness.stop()
            }
        }
    }

    @Test @MainActor func anObserverThatIsGoneIsToldNothing() async throws {
        try await ScriptedServer.start().use { server in
            try await withClient(server.url) { api in
                let center = NotificationCenter()
                let (gone, present) = (Witness(center), Witness(center))
                gone.stop()
                api.start(Request(.get, "page"), notifying: center)
                await present.finished()
                try await settled(api)
                #expect(gone.names.isEmpty)
                present.stop()
            }
        }
    }

    @Test func aStatusThatIsNotAcceptedGivesNoValue() async throws {
        try await ScriptedServer.start { _ in .status(.notFound, "<hash><error>Not found</error></hash>") }
            .use { server in
                try await withClient(server.url) { api in
                    let response = try await api.get("timeline/\("nobody").xml")
                    let error = #expect(throws: CallError.self) { try response.xml([String: String].self) }
                    #expect(error?.kind == .status)
                    #expect(error?.response?.statusCode == 404)
                    #expect("\(try #require(error))".contains("Not found"))
                }
            }
    }

    @Test(arguments: [
        ("<statuses type=\"array\">\n</statuses>", []), ("<statuses/>", []),
        (
            "<statuses>\n  <status>\n    <id>7</id>\n    <text>a &amp; b\u{20}</text>\n  </status>\n</statuses>",
            ["7 a & b "]
        ),
        (
            "<statuses><status><id>1</id><text/></status><status><id>2</id><text><![CDATA[<b>]]></text></status></statuses>",
            ["1 ", "2 <b>"]
        ),
    ])
    func xmlIsDecodedWithTheSpacesOfItsTexts(xml: String, expected: [String]) throws {
        struct Statuses: Decodable {
            struct Status: Decodable {
                let id: Int
                let text: String
            }
            let status: [Status]
        }
        let statuses = try Response(status: .ok, body: Bytes(xml)).xml(Statuses.self)
        #expect(statuses.status.map { "\($0.id) \($0.text)" } == expected)
    }

    @Test(arguments: [(HTTPResponse.Status.noContent, HTTPRequest.Method.get), (.resetContent, .post), (.ok, .head)])
    func anEmptyAnswerThatMayBeOneIsAnEmptyValue(status: HTTPResponse.Status, method: HTTPRequest.Method) throws {
        let response = Response(status: status, request: Request(method, url: "https://a.example/"))
        #expect(try response.xml([String: String]?.self) == nil)
        #expect(try response.xml([Int].self).isEmpty)
        #expect(try response.xml(EmptyResponse.self) == EmptyResponse())
        let error = #expect(throws: CallError.self) { try response.xml(Int.self) }
        #expect(error?.kind == .decoding)
        let ok = Response(status: .ok, request: Request(.get, url: "https://a.example/"))
        let unexpected = #expect(throws: CallError.self) { try ok.xml([String: String]?.self) }
        #expect(unexpected?.kind == .decoding)
    }

    @Test func aStreamedBodyIsNotTakenForAnEmptyOne() async throws {
        try await ScriptedServer.start { _ in .stream(nil) }.use { server in
            try await withClient(server.url) { api in
                let error = try await api.stream(Request(.get, "page")) { response in
                    #expect(throws: CallError.self) { try response.xml([String: String].self) }
                }
                #expect(error?.kind == .misuse)
            }
        }
    }

    @Test func numbersWithSpacesAroundThemAreRefused() throws {
        struct Item: Decodable { let id: Int }
        #expect(try Response(status: .ok, body: Bytes("<a><id>7</id></a>")).xml(Item.self).id == 7)
        let error = #expect(throws: CallError.self) {
            try Response(status: .ok, body: Bytes("<a><id> 7 </id></a>")).xml(Item.self)
        }
        #expect(error?.kind == .decoding)
    }

    @Test func theCountOfCallsInFlightReturnsToZeroHoweverTheyEnd() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/good": Reply.ok().after(gate)
            case "/bad": Reply.status(.internalServerError).after(gate)
            case "/broken": Reply([.wait(for: gate), .reset])
            default: .stall
            }
        }
        try await server.use { server in
            try await withClient(server.url) { api in
                let counts = Mutex([Int]())
                let monitor = ActivityMonitor(api) { count in counts.withLock { $0.append(count) } }
                let calls = ["good", "bad", "broken", "stalled"].map { path in
                    Task { _ = try await api.get(RequestPath(encoded: path)) }
                }
                try await server.waitUntil(acceptedConnections: 4)
                try await gate.waitForArrivals(3)
                #expect(monitor.count == 4)
                gate.open()
                _ = try await server.head(3)
                calls[3].cancel()
                for call in calls { _ = await call.result }
                #expect(monitor.count == 0)
                // The counts are reported on the main queue, in order.
                await MainActor.run {}
                #expect(counts.withLock { $0.last } == 0)
                #expect(counts.withLock { $0.max() } == 4)
                #expect(counts.withLock { $0.count } == 8)
            }
        }
    }

    // MARK: -

    private func runExample(_ users: String...) async throws -> (ProductRun, RequestLog) {
        try await withHTTPBin { url, log in (try await runProduct("URLLoader", [url] + users), log) }
    }
}

/// An observer of all stages, which records the notifications that it receives.
@MainActor
private final class Witness {
    private let center: NotificationCenter
    private var observers: [any NSObjectProtocol] = []
    private var waiting: CheckedContinuation<Void, Never>?
    private(set) var names: [Notification.Name] = []
    private(set) var data = Data()
    private(set) var calls: Set<ObjectIdentifier> = []
    private(set) var error: CallError?

    init(_ center: NotificationCenter) {
        self.center = center
        for name: Notification.Name in [.callDidReceiveResponse, .callDidReceiveData, .callDidFinish, .callDidFail] {
            let observer = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
                let (name, call) = (notification.name, notification.object as? Call)
                let bytes = notification.userInfo?[CallNotification.bytes] as? Data
                let error = notification.userInfo?[CallNotification.error] as? CallError
                MainActor.assumeIsolated { self?.take(name, call, bytes, error) }
            }
            observers.append(observer)
        }
    }

    func stop() { observers.forEach(center.removeObserver) }

    func finished() async {
        if !isFinished { await withCheckedContinuation { waiting = $0 } }
    }

    private var isFinished: Bool { names.last == .callDidFinish || names.last == .callDidFail }

    private func take(_ name: Notification.Name, _ call: Call?, _ bytes: Data?, _ error: CallError?) {
        names.append(name)
        if let call { calls.insert(ObjectIdentifier(call)) }
        if name == .callDidReceiveData, let bytes { data += bytes }
        if let error { self.error = error }
        if isFinished {
            waiting?.resume()
            waiting = nil
        }
    }
}
#endif
