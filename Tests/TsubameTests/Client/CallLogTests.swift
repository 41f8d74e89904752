// CallLogTests: the lines that a logger receives about calls, and the data that they leave out.

import HTTPTypes
import Logging
import Testing
import Tsubame
import TsubameTesting

/// Keeps the lines.
private struct ListHandler: LogHandler {
    let lines: Log<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).filter { $0.key != "call" && $0.key != "ms" && $0.key != "connection" }
        lines.add("\(event.level) \(event.message) \(metadata.map { "\($0)=\($1)" }.joined(separator: " "))")
    }
}

@Suite(.timeLimit(.minutes(1))) struct CallLogTests {
    @Test func `BAD-INPUT 20: ends, failures and decisions are logged at their levels, without secrets`() async throws {
        let lines = Log<String>()
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/redirect": .redirect(to: "/x?token=SECRET")
            case "/close": [.close]
            default: .ok("hi", headers: [.setCookie: "a=SECRET"])
            }
        }
        try await serving(server) {
            $0.logger = Logger(label: "test") { _ in ListHandler(lines: lines) }
            $0.authentication = .basic(user: "me", password: "SECRET")
        } _: { server, client in
            _ = try await client.get("redirect")
            _ = await callError { _ = try await client.get("close", query: ["password": "SECRET"]) }
            let base = server.url
            let all = lines.all
            #expect(
                all.contains("info GET \(base)/x?token=[redacted]: 200 after 1 other responses status=200"), "\(all)")
            #expect(
                all.contains("debug GET \(base)/x?token=[redacted] is next: 302 to \(base)/x?token=[redacted] "),
                "\(all)")
            #expect(
                all.contains {
                    $0.hasPrefix("warning GET \(base)/close?password=[redacted] failed")
                        && $0.hasSuffix("kind=emptyReply")
                }, "\(all)")
            #expect(
                all.contains { $0.hasPrefix("trace sent: GET") && $0.contains("Authorization: [redacted]") }, "\(all)")
            let encoded = "bWU6U0VDUkVU"
            #expect(!all.contains { $0.contains("SECRET") || $0.contains(encoded) }, "\(all)")
            // A view without a logger logs nothing.
            let count = lines.all.count
            _ = try await client.with { $0.logger = nil }.get("x")
            #expect(lines.all.count == count)
        }
    }

    @Test func `the caller's own observer is told as well`() async throws {
        let (lines, events) = (Log<String>(), Log<String>())
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.logger = Logger(label: "test") { _ in ListHandler(lines: lines) } }) {
            _, client in
            let done = Gate()
            client.start(Request(.get, "x")) { progress in
                events.add("\(progress)")
            } then: { _ in
                events.add("done")
                done.open()
            }
            try await done.wait()
            #expect(events.all.last == "done")
            #expect(lines.all.contains { $0.hasPrefix("info GET") })
        }
    }
}
