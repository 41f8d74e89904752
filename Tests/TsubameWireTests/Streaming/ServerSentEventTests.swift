// ServerSentEventTests: lines of an event stream as events (WHATWG HTML section 9.2.6).

import Testing
import TsubameCore
import TsubameWire

@Suite struct ServerSentEventTests {
    private func events(_ lines: [String], limit: Int = 8 << 20) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser(limit: limit)
        var events: [ServerSentEvent] = []
        for line in lines {
            if let event = try parser.take(line) { events.append(event) }
        }
        return events
    }

    @Test func `the examples of the standard are read as it says`() throws {
        #expect(
            try events(["data: YHOO", "data: +2", "data: 10", ""]) == [ServerSentEvent(data: "YHOO\n+2\n10")])
        #expect(
            try events([
                ": test stream", "", "data: first event", "id: 1", "", "data:second event", "id", "",
                "data:  third event", "",
            ])
                == [
                    ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                    ServerSentEvent(data: " third event"),
                ])
        #expect(
            try events(["data", "", "data", "data", "", "data:"]) == [
                ServerSentEvent(data: ""), ServerSentEvent(data: "\n"),
            ])
        #expect(
            try events(["data:test", "", "data: test", ""]) == [
                ServerSentEvent(data: "test"), ServerSentEvent(data: "test"),
            ])
    }

    @Test func `type and identifier hold for their time`() throws {
        #expect(
            try events(["event: a", "", "data: x", "", "event: b", "id: 1", "data: y", "", "id: 2", "", "data: z", ""])
                == [
                    ServerSentEvent(data: "x"), ServerSentEvent(type: "b", data: "y", id: "1"),
                    ServerSentEvent(data: "z", id: "2"),
                ])
        #expect(try events(["id: a\0b", "data: x", ""]) == [ServerSentEvent(data: "x")])
    }

    @Test(
        arguments: [
            ("retry: 10", 10), ("retry:0", 0), ("retry: 99999999999999999999", 86_400_000), ("retry: -1", nil),
            ("retry: 1.5", nil),
            ("retry:", nil), ("retry: 1s", nil), ("retry: ١", nil), ("Retry: 10", nil),
        ] as [(String, Int?)])
    func `only digits say how long to wait`(_ line: String, _ milliseconds: Int?) throws {
        var parser = ServerSentEventParser()
        _ = try parser.take(line)
        #expect(parser.retry == milliseconds.map { .milliseconds($0) })
    }

    @Test func `a byte order mark is left out at the beginning alone`() throws {
        #expect(
            try events(["\u{FEFF}data: x", "", "\u{FEFF}data: y", "data: z", ""]) == [
                ServerSentEvent(data: "x"), ServerSentEvent(data: "z"),
            ])
    }

    @Test func `what is no field is passed over, and what only looks like one`() throws {
        #expect(
            try events(["x: y", "datum: 1", " data: 2", "data : 3", "data:\u{301} 4", "data: 5", ""]) == [
                ServerSentEvent(data: "\u{301} 4\n5")
            ])
    }

    @Test func `an event of endless data is an error`() {
        #expect(throws: WireError.self) { try events(Array(repeating: "data: 0123456789", count: 20), limit: 100) }
        #expect(throws: Never.self) {
            try events(Array(repeating: [": 0123456789", "data: x", ""], count: 50).flatMap { $0 }, limit: 100)
        }
    }
}
