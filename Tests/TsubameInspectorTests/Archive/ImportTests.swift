// ImportTests: archives that become calls of a log, and sessions that are kept in a file.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
@testable import TsubameInspector
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct ImportTests {
    /// A log with a redirect, a compressed body, a posted body, a failure, and a binary body.
    private func recorded() async throws -> TrafficLog {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/moved": .redirect(to: "/end")
            case "/binary": .ok([0xFF, 0xFE, 0x00], headers: [.contentType: "image/png"])
            default: .json("{\"name\":\"swallow\"}", headers: [.setCookie: "a=b"])
            }
        }
        let client = Client(server.url)
        let log = TrafficLog()
        log.add(client)
        log.keepBodies()
        _ = try await client.get("moved")
        _ = try await client.post("photos", query: ["token": "hush"], json: ["name": "燕"])
        _ = try await client.get("binary")
        let dead = try DeadPort()
        await #expect(throws: CallError.self) { try await client.get(url: "\(dead.url)/json") }
        await client.close()
        return log
    }

    /// The facts that an archive repeats after it was read.
    private func facts(_ archive: HTTPArchive) -> [String] {
        archive.entries.map { entry in
            let sent = entry.request.headers.map { "\($0.name): \($0.value)" }
            let received = entry.response.headers.map { "\($0.name): \($0.value)" }
            let texts = [entry.request.postData?.text, entry.response.content.text].map { $0 ?? "-" }
            return "\(entry.request.method) \(entry.request.url) \(entry.response.status) \(sent) \(received) \(texts) "
                + "\(entry.startedDateTime) \(entry.response.content.encoding ?? "") \(entry.comment ?? "")"
        }
    }

    @Test func `an archive that is read and written again says the same`() async throws {
        let data = try await recorded().har()
        let log = TrafficLog()
        #expect(try log.add(har: Data([0xEF, 0xBB, 0xBF]) + data) == 5)
        let (before, after) = (try HTTPArchive(json: data), try HTTPArchive(json: await log.har()))
        #expect(facts(after) == facts(before))
        for (one, two) in zip(before.entries, after.entries) {
            #expect(abs(one.timings.total - two.timings.total) < 1, "\(one.timings) and \(two.timings)")
        }
        #expect(log.count == 5)
    }

    @Test(arguments: [Int.max, 0, -5]) func `any limit of bodies may be set`(limit: Int) async throws {
        var limits = TrafficLog.Limits()
        limits.body = limit
        let log = TrafficLog(limits: limits)
        log.keepBodies()
        #expect(try log.add(har: try await recorded().har()) == 5)
    }

    static let faults = [
        ("", "the text is no JSON"), ("[]", "has another type than HAR 1.2 says"),
        ("{\"log\":{}}", "log has no “entries”"),
        ("{\"log\":{\"entries\":[{\"request\":{\"url\":1}}]}}", "log.entries[0]"),
    ]

    @Test(arguments: faults) func `data that is no archive is refused with the place`(_ text: String, _ place: String) {
        let log = TrafficLog()
        let error = #expect(throws: CallError.self) { try log.add(har: Data(text.utf8)) }
        #expect(error?.kind == .file)
        #expect(error?.reason.contains(place) == true, "\(error?.reason ?? "")")
        #expect(log.count == 0)
    }

    @Test func `a call that the client could not send keeps its URL, method, address and version`() async throws {
        func entry(_ method: String, _ url: String, _ address: String) -> String {
            """
            {"startedDateTime":"2026-01-01T00:00:00.000Z","request":{"method":"\(method)","url":"\(url)"},
            "response":{"status":200,"httpVersion":"HTTP/2"},"serverIPAddress":"\(address)",
            "timings":{"send":0,"wait":1,"receive":0}}
            """
        }
        let entries = [
            entry("GET", "wss://h.example/socket?token=hush", "1.2.3.4"), entry("GE T", "http://h.example/a", "::1"),
            entry("GET", "http://h.example:99999/b", "2001:db8::1"),
        ]
        var data = Data("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ","))]}}".utf8)
        // A session file is read and written by each session.
        for _ in 0..<3 {
            let log = TrafficLog()
            #expect(try log.add(har: data) == 3)
            data = try await log.har(showingSecrets: true)
            let archive = try HTTPArchive(json: data)
            #expect(
                archive.entries.map { "\($0.request.method) \($0.request.url)" } == [
                    "GET wss://h.example/socket?token=hush", "GE T http://h.example/a", "GET http://h.example:99999/b",
                ])
            #expect(archive.entries.map(\.serverIPAddress) == ["1.2.3.4", "::1", "2001:db8::1"])
            #expect(archive.entries.allSatisfy { $0.response.httpVersion == "HTTP/2" && $0.connection != nil })
            let hidden = String(decoding: try await log.har(), as: UTF8.self)
            #expect(!hidden.contains("hush"))
            let rows = log.read { $0.all.map { CallRow($0) } }
            #expect(rows.first?.url.hasPrefix("wss://h.example/socket?token=") == true)
            #expect(rows.allSatisfy { !$0.url.contains("hush") && !$0.path.contains("hush") && $0.version == "HTTP/2" })
        }
    }

    @Test func `hostile values become a call and trap nowhere`() async throws {
        let archive = """
            {"log":{"entries":[
              {"startedDateTime":"yesterday","request":{"method":"G T","url":"http://[::bad","headers":[{"name":"a b","value":"c\\r\\nd"}]},
               "response":{"status":99999,"headers":[{"name":"set-cookie","value":"a=b\\nc=d"},{"name":":status","value":"200"}],
               "content":{"text":"***","encoding":"base64","size":-5},"bodySize":-1},
               "timings":{"blocked":1e308,"dns":-1e308,"connect":1e300,"ssl":1e301,"send":-1,"wait":1e18,"receive":9e99},
               "comment":"nonsense: x"},
              {"startedDateTime":"2026-11-27T00:00:00Z","request":{"method":"GET","url":"http://example.com/"},
               "response":{"status":0},"comment":"timeout: not done after 1 s"}
            ]}}
            """
        let log = TrafficLog()
        #expect(try log.add(har: Data(archive.utf8)) == 2)
        let again = try HTTPArchive(json: await log.har())
        #expect(again.entries.map(\.response.status) == [0, 999])
        #expect(again.entries[0].comment == "timeout: not done after 1 s")
    }

    @Test func `a body of an archive is cut and copied, and a cut one stays marked`() async throws {
        let long = String(repeating: "x", count: 3_000_000)
        func entry(_ content: String) -> String {
            """
            {"startedDateTime":"2026-11-27T00:00:00Z","request":{"method":"POST","url":"http://example.com/","postData":{"text":"\(content)"}},
             "response":{"status":200,"content":{"text":"\(content)"\(content == "part" ? ",\"_incomplete\":true" : "")}}}
            """
        }
        let log = TrafficLog()
        try log.add(har: Data("{\"log\":{\"entries\":[\(entry(long)),\(entry("part")),\(entry("whole"))]}}".utf8))
        let archive = try HTTPArchive(json: await log.har())
        let contents = archive.entries.map(\.response.content)
        #expect(contents.map(\.isIncomplete) == [true, true, false])
        #expect(contents.map { $0.text?.utf8.count } == [256 << 10, 4, 5])
    }

    @Test func `an archive has no more bodies than the log's limit once they are decoded`() async throws {
        var limits = TrafficLog.Limits()
        limits.total = 1 << 20
        let zeros = try #require(Data(base64Encoded: Self.zeros))
        let server = try await ScriptedServer.start { _ in
            .ok(Array(zeros), headers: [.contentEncoding: "gzip", .contentType: "text/plain"])
        }
        let client = Client(server.url)
        let log = TrafficLog(limits: limits)
        log.add(client)
        log.keepBodies()
        for _ in 0..<40 { _ = try await client.get("zeros") }
        let archive = try HTTPArchive(json: await log.har())
        let decoded = archive.entries.reduce(0) { $0 + ($1.response.content.text?.utf8.count ?? 0) }
        #expect(archive.entries.count == 40)
        #expect(decoded >= 1 << 20 && decoded < 1 << 21, "\(decoded)")
        await client.close()
    }

    /// 200,000 zeros in gzip.
    private static let zeros =
        "H4sIAAAAAAACA+3BMQEAAADCoErrn84M/kABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAK8BlH0jNkANAwA="

    #if Inspector
    @Test func `a session file brings the calls of earlier sessions`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        for session in 1...2 {
            let client = Client(server.url)
            let inspector = try await client.inspect(session: file.path)
            #expect(inspector.log.count == session - 1)
            _ = try await client.get("a", query: ["token": "hush"])
            await inspector.stop()
            // The same log has these calls already.
            let again = try await Inspector(log: inspector.log, session: file.path)
            #expect(inspector.log.count == session)
            await again.stop()
            await client.close()
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("hush"))
        let archive = try HTTPArchive(json: Data(text.utf8))
        #expect(archive.entries.map(\.response.content.text) == ["hello", "hello"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("{}".utf8).write(to: file)
        let client = Client(server.url)
        await #expect(throws: CallError.self) { try await client.inspect(session: file.path) }
        await client.close()
        // A second try with the same log reads the file, too.
        let log = TrafficLog()
        for _ in 0..<2 {
            await #expect(throws: CallError.self) { _ = try await Inspector(log: log, session: file.path) }
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "{}")
    }
    #endif
}
