// DocumentationSamples: the samples of Streaming.md.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting
import TsubameWire

private struct Entry: Decodable, Sendable {
    let id: Int
}

private struct Price: Decodable, Equatable, Sendable {
    let value: Int
}

private struct Readings: AsyncSequence, Sendable {
    func makeAsyncIterator() -> AsyncStream<Bytes>.Iterator {
        AsyncStream { continuation in
            for line in ["17.5\n", "18.0\n"] { continuation.yield(Bytes(line)) }
            continuation.finish()
        }.makeAsyncIterator()
    }
}

extension DocumentationSamples {
    @Test func bytesAndLines() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.target {
            case "/large": .stream(1 << 20)
            case "/log": .chunked(["one\r\ntw", "o\nthree"])
            case "/entries":
                .chunked(["{\"id\": 1}\n\n{\"id", "\": 2}\n"], headers: [.contentType: "application/x-ndjson"])
            default: .status(.notFound)
            }
        }
        let api = Client(server.url)
        let count = try await api.stream("large") { response in
            var count = 0
            for try await piece in try await response.accepted().body { count += piece.count }
            return count
        }
        #expect(count == 1 << 20)
        let lines = try await api.stream(Request(.get, "log")) { response in
            var lines: [String] = []
            for try await line in response.body.lines { lines.append(line) }
            return lines
        }
        #expect(lines == ["one", "two", "three"])
        var ids: [Int] = []
        for try await entry in api.jsonLines("entries", of: Entry.self) { ids.append(entry.id) }
        #expect(ids == [1, 2])
        let same = try await api.stream(Request(.get, "entries")) { response in
            var ids: [Int] = []
            for try await entry in response.jsonLines(Entry.self) { ids.append(entry.id) }
            return ids
        }
        #expect(same == [1, 2])
        // The failure: a status that is not accepted.
        await #expect {
            _ = try await api.stream(Request(.get, "nothing")) { response in try await response.accepted().statusCode }
        } throws: {
            ($0 as? CallError)?.kind == .status
        }
        try await close(api)
        await server.stop()
    }

    @Test func aSlowReader() async throws {
        let server = try await ScriptedServer.start { _ in .stream(64 << 20) }
        let api = Client(server.url)
        let first = try await api.stream(Request(.get, "large")) { response in
            for try await piece in response.body {
                // The client asks for no more bytes while this waits, so the server cannot send on.
                try await server.waitUntilBlocked()
                return piece.count
            }
            return 0
        }
        #expect(first > 0)
        #expect(server.sentBodyBytes < 4 << 20)
        // The client gives up the rest and closes the connection.
        try await server.waitUntil(openConnections: 0)
        try await close(api)
        await server.stop()
    }

    @Test func toAFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stream-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await ScriptedServer.start(replies: [
            .stream(1 << 20), [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close],
        ])
        let api = Client(server.url)
        let file = folder.appending(path: "film.mp4")
        try await api.stream("film") { response in
            try await response.save(to: file)
        }
        #expect(try Data(contentsOf: file).count == 1 << 20)
        // A download that breaks off leaves the previous file and nothing else.
        await #expect(throws: CallError.self) {
            try await api.stream(Request(.get, "film")) { response in try await response.save(to: file) }
        }
        #expect(try Data(contentsOf: file).count == 1 << 20)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["film.mp4"])
        try await close(api)
        await server.stop()
    }

    @Test func events() async throws {
        let type: HTTPFields = [.contentType: "text/event-stream"]
        let server = try await ScriptedServer.start(replies: [
            .chunked(["retry: 250\nid: 7\nevent: price\ndata: {\"value\": 17}\n\n"], headers: type),
            .chunked(["event: price\ndata: {\"value\": 18}\n\n", "event: end\ndata:\n\n"], headers: type),
        ])
        let clock = ManualClock()
        let api = Client(server.url) { $0.clock = clock }
        let reading = Task {
            var prices: [Price] = []
            for try await event in api.events("prices") {
                if event.type == "end" { break }
                prices.append(try event.json(Price.self))  // by the client's JSON settings
            }
            return prices
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(250))
        #expect(try await reading.value == [Price(value: 17), Price(value: 18)])
        #expect(server.requests[1]["last-event-id"] == "7")
        try await close(api)
        await server.stop()
    }

    @Test func pages() async throws {
        let server = try await ScriptedServer.start { request in
            request.query == nil
                ? .json(#"["swallow"]"#, headers: [.init("Link") ?? .via: "<?page=2>; rel=next"])
                : .json(#"["martin"]"#)
        }
        let api = Client(server.url)
        var names: [String] = []
        for try await page in api.pages("users") { names += try await page.json([String].self) }
        #expect(names == ["swallow", "martin"])
        try await close(api)
        await server.stop()
    }

    @Test func upward() async throws {
        let server = try await ScriptedServer.start { _ in .ok() }
        let api = Client(server.url)
        let response = try await api.put("readings", body: .stream { Readings() })
        #expect(response.status == .ok)
        #expect(server.requests[0].text == "17.5\n18.0\n")
        try await close(api)
        await server.stop()
    }
}
