// SequenceTests: JSON lines and server-sent events, as they arrive.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct SequenceTests {
    struct Entry: Codable, Sendable, Equatable {
        let id: Int
    }

    private static let type: HTTPFields = [.contentType: "text/event-stream; charset=utf-8"]

    // MARK: JSON lines

    @Test func `each line is a value, as soon as it is there`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"id\":1}\r\n\n  \n{\"i"), .wait(for: gate),
                .bytes("d\":2}\n{\"id\":3}"), .close,
            ]
        }
        try await serving(server) { _, client in
            let entries = try await client.stream(Request(.get, "x")) { response in
                var entries: [Entry] = []
                for try await entry in response.jsonLines(Entry.self) {
                    entries.append(entry)
                    if entries.count == 1 { gate.open() }
                }
                return entries
            }
            #expect(entries == [Entry(id: 1), Entry(id: 2), Entry(id: 3)])
        }
    }

    @Test func `a line that is no value says which`() async throws {
        let server = try await ScriptedServer.start { _ in .ok("{\"id\":1}\n\n{\"id\":\"x\"}\n") }
        try await serving(server) { _, client in
            let error = await callError {
                try await client.stream(Request(.get, "x")) { response in
                    for try await _ in response.jsonLines(Entry.self) {}
                }
            }
            #expect(
                error?.kind == .decoding && error?.reason.hasPrefix("line 3 ") == true, "\(String(describing: error))")
        }
    }

    // MARK: Server-sent events

    @Test func `events are given as they come, of one connection`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\u{FEFF}event: a\ndata: 1\ndata: 2\nid: 7\n\n"),
                .wait(for: gate), .bytes(": comment\r\rdata\r\rdata: last\n"), .close,
            ]
        }
        try await serving(server) { _, client in
            let events = try await client.stream(Request(.get, "x")) { response in
                var events: [ServerSentEvent] = []
                for try await event in response.body.events {
                    events.append(event)
                    gate.open()
                }
                return events
            }
            #expect(events == [ServerSentEvent(type: "a", data: "1\n2", id: "7"), ServerSentEvent(data: "", id: "7")])
        }
    }

    @Test func `a lost connection is made anew, and goes on behind the last event`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(replies: [
            .chunked(["retry: 5000\nid: 1\ndata: a\n\n", "id: 2\n", "\ndata: cut off"], headers: Self.type),
            [
                .bytes("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: b\n\n"),
                .reset,
            ],
            .chunked(["id\ndata: c\n\n"], headers: Self.type),
            .status(.noContent),
        ])
        try await serving(server, { $0.clock = clock }) { server, client in
            var events: [ServerSentEvent] = []
            let turning = Task {
                for _ in 0..<3 {
                    try await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(60))
                }
            }
            for try await event in client.events("feed") { events.append(event) }
            try await turning.value
            #expect(
                events == [
                    ServerSentEvent(data: "a", id: "1", retry: .seconds(5)), ServerSentEvent(data: "b", id: "2"),
                    ServerSentEvent(data: "c", id: ""),
                ])
            #expect(server.requests.map { $0["last-event-id"] } == [nil, "2", "2", nil])
            #expect(server.requests.allSatisfy { $0["accept"] == "text/event-stream" })
            #expect(server.requests.allSatisfy { $0["cache-control"] == "no-store" })
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .query, .get])
    func `FAULT 30: only a safe method is sent again when its events end, unless that is asked for`(
        _ method: HTTPRequest.Method
    ) async throws {
        let clock = ManualClock()
        let isSafe = method == .get || method == .query
        let server = try await ScriptedServer.start { request in
            request.index == (isSafe ? 1 : 3)
                ? .status(.noContent) : .chunked(["data: a\n\ndata: [DONE]\n\n"], headers: Self.type)
        }
        try await serving(server, { $0.clock = clock }) { server, client in
            let turning = Task {
                while !Task.isCancelled {
                    try await clock.waitForSleepers(1)
                    _ = clock.advanceToNextSleeper()
                }
            }
            var texts: [String] = []
            let request = Request(method, "chat", body: .text("{}"))
            for try await event in client.events(request) { texts.append(event.data) }
            #expect(texts == ["a", "[DONE]"])
            #expect(server.requests.count == (isSafe ? 2 : 1))
            if !isSafe {
                for try await _ in client.events(request, reconnects: 1) {}
                #expect(server.requests.count == 3)
            }
            turning.cancel()
        }
    }

    @Test func `an event that was cut off is asked for again`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(replies: [
            .chunked(["id: 4\ndata: a\n\nid: 5\ndata: half"], headers: Self.type), .status(.noContent),
        ])
        try await serving(server, { $0.clock = clock }) { server, client in
            let turning = Task {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(3))
            }
            for try await event in client.events("feed") { #expect(event.id == "4") }
            try await turning.value
            #expect(server.requests.map { $0["last-event-id"] } == [nil, "4"])
        }
    }

    @Test func `a line that was cut off is not taken for a delay`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(replies: [
            .ok("data: a\n\nretry: 1", headers: Self.type), .status(.noContent),
        ])
        try await serving(server, { $0.clock = clock }) { _, client in
            let turning = Task {
                try await clock.waitForSleepers(1)
                _ = clock.advanceToNextSleeper()
            }
            for try await event in client.events("feed") { #expect(event.data == "a") }
            try await turning.value
            // The server may have wanted `retry: 10000`.
            #expect(clock.now.offset == .seconds(3))
        }
    }

    @Test func `an id that no field can carry is not sent`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(replies: [
            .chunked(["id: a\u{1}b\ndata: a\n\n"], headers: Self.type), .status(.noContent),
        ])
        try await serving(server, { $0.clock = clock }) { server, client in
            let turning = Task {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(3))
            }
            for try await event in client.events("feed") { #expect(event.id == "a\u{1}b") }
            try await turning.value
            #expect(server.requests.map { $0["last-event-id"] } == [nil, nil])
        }
    }

    @Test func `a server that says nothing is not asked without a pause, whatever it wants`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { _ in .chunked(["retry: 0\n\n"], headers: Self.type) }
        try await serving(server, { $0.clock = clock }) { server, client in
            let turning = Task {
                while !Task.isCancelled {
                    try await clock.waitForSleepers(1)
                    _ = clock.advanceToNextSleeper()
                }
            }
            for try await _ in client.events("feed", reconnects: 3) {}
            turning.cancel()
            #expect(server.requests.count == 4)
            #expect(clock.now.offset >= .milliseconds(600))
        }
    }

    @Test func `who gives before anybody has asked goes on when it was taken`() async throws {
        let handoff = Handoff<Int, CallError>()
        let given = Log<Int>()
        let giver = Task {
            for number in 1...3 {
                given.add(number)
                guard await handoff.give(number) else { return }
            }
            handoff.end()
        }
        while given.all.isEmpty { try Task.checkCancellation(); await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(given.all == [1])
        var taken: [Int] = []
        while let number = try await handoff.take() { taken.append(number) }
        #expect(taken == [1, 2, 3])
        await giver.value
        let again = try await handoff.take()
        #expect(again == nil)
    }

    @Test(arguments: [
        (Reply.status(.notFound, "no"), CallError.Kind.status), (.ok("data: x\n\n"), .invalidResponse),
        (.status(.accepted, "data: x\n\n", headers: type), .status), (.close, .emptyReply),
    ])
    func `what another connection would not mend is an error`(_ reply: Reply, _ kind: CallError.Kind) async throws {
        let server = try await ScriptedServer.start { _ in reply }
        try await serving(server) { server, client in
            let error = await callError { for try await _ in client.events("feed") {} }
            #expect(error?.kind == kind, "\(String(describing: error))")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `after as many new connections as were allowed it ends`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { _ in .chunked(["data: x\n\n"], headers: Self.type) }
        try await serving(server, { $0.clock = clock }) { server, client in
            let turning = Task {
                for _ in 0..<2 {
                    try await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(3))
                }
            }
            var count = 0
            for try await _ in client.events("feed", reconnects: 2) { count += 1 }
            try await turning.value
            #expect(count == 3 && server.requests.count == 3)
        }
    }

    @Test func `leaving the loop ends the connection`() async throws {
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
                .repeating(Array("data: x\n\n".utf8)),
            ]
        }
        try await serving(server) { server, client in
            var count = 0
            for try await _ in client.events("feed") {
                count += 1
                if count == 3 { break }
            }
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `cancelling the task ends it with an error`() async throws {
        let server = try await ScriptedServer.start { _ in .chunked(["data: x\n\n"], headers: Self.type).then(.stall) }
        let clock = ManualClock()
        try await serving(server, { $0.clock = clock }) { server, client in
            let seen = Gate()
            let task = Task {
                for try await _ in client.events("feed") { seen.open() }
            }
            try await seen.wait()
            try await clock.waitForSleepers(1)
            task.cancel()
            let error = await callError { try await task.value }
            #expect(error?.kind == .cancelled)
        }
    }

    // MARK: Back-pressure

    @Test func `a slow reader of events slows the server down`() async throws {
        let line = "data: " + String(repeating: "x", count: 4090) + "\n\n"
        let server = try await ScriptedServer.start { _ in .stream(1 << 30, of: Array(line.utf8), headers: Self.type) }
        try await serving(server) { server, client in
            var events = client.events("feed").makeAsyncIterator()
            for _ in 0..<3 { #expect(try await events.next()?.data.utf8.count == 4090) }
            try await server.waitUntilBlocked()
            #expect(server.sentBodyBytes < 4 << 20)
            // The server continues when the client reads.
            for _ in 0..<2048 { _ = try await events.next() }
            #expect(server.sentBodyBytes >= 8 << 20)
        }
    }

    @Test(arguments: ["lines", "JSON"]) func `a slow reader of lines slows the server down`(_ kind: String) async throws
    {
        let line = "{\"id\":1" + String(repeating: " ", count: 4087) + "}\n"
        let server = try await ScriptedServer.start { _ in .stream(1 << 30, of: Array(line.utf8)) }
        try await serving(server) { server, client in
            try await client.stream(Request(.get, "x")) { response in
                var lines = response.body.lines.makeAsyncIterator()
                var entries = response.jsonLines(Entry.self).makeAsyncIterator()
                for _ in 0..<3 {
                    if kind == "JSON" { _ = try await entries.next() } else { _ = try await lines.next() }
                }
                try await server.waitUntilBlocked()
                #expect(server.sentBodyBytes < 4 << 20)
            }
        }
    }
}
