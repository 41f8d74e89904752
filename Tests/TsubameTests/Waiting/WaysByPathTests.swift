// WaysByPathTests: streams, downloads, events, JSON lines and pages, by path and by URL.

import Foundation
import Testing
import Tsubame
import TsubameTesting

@Suite struct WaysByPathTests {
    private let stub = StubTransport {
        $0.on("/v1/log").respond(text: "one\ntwo\n")
        $0.on("/v1/rows").respond(text: "1\n2\n")
        $0.on("/v1/news").respond(headers: ["Content-Type": "text/event-stream"], text: "data: a\n\n")
        $0.on("*").respond(text: "a page")
    }

    private var api: Client { Client("https://a.example/v1", transport: stub) }
    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://a.example/v1/" + path)) }

    private var targets: [String] { stub.requests.compactMap { $0.uri?.target } }

    @Test func `a stream takes a path or a URL, a query and fields`() async throws {
        let read: @Sendable (Response) async throws -> [String] = { response in
            var lines: [String] = []
            for try await line in response.body.lines { lines.append(line) }
            return lines
        }
        #expect(try await api.stream("log", query: ["n": 1], headers: ["X-A": "1"], read) == ["one", "two"])
        #expect(try await api.stream(url: "https://a.example/v1/log", query: ["n": 2], read) == ["one", "two"])
        #expect(try await api.stream(url: url("log"), query: ["n": 3], read) == ["one", "two"])
        #expect(targets == ["/v1/log?n=1", "/v1/log?n=2", "/v1/log?n=3"])
        #expect(stub.requests.first?.headers["X-A"] == "1")
    }

    @Test func `a download takes a path or a URL, a query and fields`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.txt")
        _ = try await api.download("log", query: ["n": 1], headers: ["X-A": "1"], to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "one\ntwo\n")
        #expect(stub.requests.first?.headers["X-A"] == "1")
        _ = try await api.download(url: "https://a.example/v1/log", query: ["n": 2], to: folder.appending(path: "b"))
        _ = try await api.download(url: url("log"), query: ["n": 3], to: folder.appending(path: "c"))
        _ = try await api.download(path: "log", query: ["n": 4], to: folder.appending(path: "d"))
        let text = folder.appending(path: "e").path
        #expect(try await api.download("log", query: ["n": 5], to: text).url.path == text)
        #expect(targets == (1...5).map { "/v1/log?n=\($0)" })
    }

    @Test func `events, JSON lines and pages take a URL, too`() async throws {
        for try await row in try api.jsonLines(url: url("rows"), of: Int.self) { #expect(row > 0) }
        for try await event in try api.events(url: url("news"), reconnects: 0) {
            #expect(event.data == "a")
        }
        for try await page in try api.pages(url: url("p"), query: ["n": 1]) {
            #expect(try await page.text() == "a page")
        }
        for try await page in api.pages(path: "p/q") { #expect(page.status == .ok) }
        for try await row in api.jsonLines(path: "rows", of: Int.self) { #expect(row > 0) }
        for try await event in api.events(path: "news", reconnects: 0) { #expect(event.data == "a") }
        #expect(targets == ["/v1/rows", "/v1/news", "/v1/p?n=1", "/v1/p/q", "/v1/rows", "/v1/news"])
    }

    @Test func `an invalid field of a stub's answer fails the call with its name`() async throws {
        let stub = StubTransport { $0.on("*").respond(headers: ["X A": "1"], text: "x") }
        await #expect {
            _ = try await Client("https://a.example", transport: stub).get("x")
        } throws: { error in
            let error = error as? CallError
            return error?.kind == .misuse && error?.reason.contains("X A") == true
        }
    }
}
