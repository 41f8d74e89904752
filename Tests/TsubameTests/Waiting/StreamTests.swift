// StreamTests: streams and lines: bodies as they arrive.

import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct StreamTests {
    /// A body in given pieces.
    private final class Pieces: BodySource, @unchecked Sendable {
        private var rest: [[UInt8]]
        private let error: CallError?

        init(_ pieces: [[UInt8]], error: CallError? = nil) {
            rest = pieces.filter { !$0.isEmpty }.reversed()
            self.error = error
        }

        func next() async throws(CallError) -> Bytes? {
            if let piece = rest.popLast() { return Bytes(piece) }
            if let error { throw error }
            return nil
        }

        func cancel() {}
    }

    private static func lines(_ pieces: [[UInt8]]) async throws -> [String] {
        var lines: [String] = []
        for try await line in ResponseBody(Pieces(pieces)).lines { lines.append(line) }
        return lines
    }

    // MARK: Lines

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("\n\n", ["", ""]), ("a\r\nb", ["a", "b"]),
            ("a\rb\nc\r\n\r\nd\r\re\n\nf\n\r", ["a", "b", "c", "", "d", "", "e", "", "f", ""]),
            ("größe\r\n燕\r\n🐦", ["größe", "燕", "🐦"]),
        ])
    func `lines are the same wherever the body is cut`(text: String, lines: [String]) async throws {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let found = try await Self.lines([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(found == lines, "cut at \(cut)")
        }
        let single = try await Self.lines(bytes.map { [$0] })
        #expect(single == lines)
    }

    @Test func `a wrong byte becomes a replacement character`() async throws {
        let lines = try await Self.lines([[0x61, 0xFF, 0x0A], [0xE7, 0x87]])
        #expect(lines == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test func `a line without an end is bounded`() async throws {
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        let error = await callError { _ = try await Self.lines(Array(repeating: piece, count: 9)) }
        #expect(error?.kind == .limitExceeded)
        #expect(error?.reason == "a line of the body is longer than 8388608 bytes")
    }

    @Test func `what was read before a failure is given before it`() async throws {
        let source = Pieces([Array("a\nb".utf8)], error: CallError(.connectionLost, "gone"))
        var lines: [String] = []
        let error = await callError {
            for try await line in ResponseBody(source).lines { lines.append(line) }
        }
        #expect(lines == ["a"])
        #expect(error?.kind == .connectionLost)
    }

    @Test func `lines come as they are sent, one by one`() async throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try await ScriptedServer.start { _ in
            [.bytes(head + "6\r\none\r\nt\r\n"), .wait(for: gate), .bytes("4\r\nwo\r\n\r\n0\r\n\r\n")]
        }
        try await serving(server) { _, client in
            let lines = try await client.stream(Request(.get, "x")) { response in
                var lines: [String] = []
                for try await line in response.body.lines {
                    lines.append(line)
                    // The server sends the rest only after the first line has arrived.
                    gate.open()
                }
                return lines
            }
            #expect(lines == ["one", "two"])
        }
    }

    // MARK: Streams

    @Test func `the head is there before the body, whose pieces come as they are sent`() async throws {
        let gates = [Gate(), Gate()]
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), .wait(for: gates[0]), .bytes("hello"),
                .wait(for: gates[1]), .bytes("world"),
            ]
        }
        try await serving(server) { _, client in
            let (status, text) = try await client.stream(Request(.get, "x")) { response in
                gates[0].open()
                var text = ""
                for try await piece in response.body {
                    text += String(decoding: piece, as: UTF8.self)
                    gates[1].open()
                }
                return (response.statusCode, text)
            }
            #expect(status == 200 && text == "helloworld")
        }
    }

    @Test func `an unread rest is given up, and its connection closed`() async throws {
        try await serving(.start { _ in .stream(nil) }) { server, client in
            let first = try await client.stream(Request(.get, "x")) { response in
                for try await piece in response.body { return piece.count }
                return 0
            }
            #expect(first > 0)
            try await server.waitUntil(openConnections: 0)
            #expect(server.sentBodyBytes < 16 << 20)
        }
    }

    @Test func `a body that was read to its end leaves its connection`() async throws {
        try await serving(.start { _ in .chunked(["a", "b"]) }) { server, client in
            for _ in 0..<3 { _ = try await client.stream(Request(.get, "x")) { try await $0.text() } }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: ["read", "half", "unread"])
    func `nothing keeps a call once its body is done with`(how: String) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .wait(for: gate), .bytes("world")]
        }
        try await serving(server) { _, client in
            weak var call: Call?
            func run() async throws {
                let running = client.makeCall(Request(.get, "x"), wantsStream: true)
                call = running
                _ = try await client.perform(running) { response throws(CallError) in
                    defer { response.body.discard() }
                    if how == "unread" { return }
                    for try await _ in response.body {
                        if how == "half" { return }
                        gate.open()
                    }
                }
            }
            try await run()
            // Code that runs on the loop may hold the reference for a turn or two.
            while call != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
            gate.open()
        }
    }

    @Test func `a response that an interceptor drops unread ends its exchange`() async throws {
        let interceptor = InterceptorTests.TestInterceptor { request, next in
            _ = try await next(request)
            return Response(status: .ok, body: Bytes("mine"))
        }
        try await serving(.start { _ in .stream(nil) }) {
            $0.interceptors = [interceptor]
        } _: { server, client in
            let text = try await client.get("x").text()
            #expect(text == "mine")
            try await server.waitUntil(openConnections: 0)
        }
    }

    struct OwnError: Error {}

    @Test func `what the closure throws is its own affair: the call has finished`() async throws {
        try await serving(.start { _ in .stream(nil) }) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let error = await #expect(throws: OwnError.self) {
                try await client.stream(Request(.get, "x")) { _ in throw OwnError() }
            }
            #expect(error != nil)
            if case .finished? = events.ends.first {} else { Issue.record("\(events.ends)") }
            #expect(events.ends.count == 1)
            try await server.waitUntil(openConnections: 0)
            observation.cancel()
        }
    }

    @Test func `a body that breaks off is the call's failure`() async throws {
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell"), .close]
        }
        try await serving(server) { _, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let error = await callError {
                _ = try await client.stream(Request(.get, "x")) { try await $0.text() }
            }
            #expect(error?.kind == .incompleteResponse)
            if case .failed? = events.ends.first {} else { Issue.record("\(events.ends)") }
            observation.cancel()
        }
    }

    @Test func `a response that outlives its closure has no body left`() async throws {
        try await serving(.start { _ in .stream(nil) }) { server, client in
            let kept = try await client.stream(Request(.get, "x")) { $0 }
            try await server.waitUntil(openConnections: 0)
            let error = await callError { for try await _ in kept.body {} }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test func `a body has one reader`() async throws {
        try await serving(.start { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .stall] }) {
            _, client in
            let error = await callError {
                try await client.stream(Request(.get, "x")) { response in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<2 { group.addTask { for try await _ in response.body {} } }
                        // The second reader is refused; then the first is cancelled.
                        try await group.next()
                    }
                }
            }
            #expect(error?.kind == .misuse)
        }
    }

    @Test func `a task that is cancelled while it reads ends the exchange`() async throws {
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .stall]
        }
        try await serving(server) { server, client in
            let reading = Gate()
            let task = Task {
                try await client.stream(Request(.get, "x")) { response in
                    for try await _ in response.body { reading.open() }
                }
            }
            try await reading.wait()
            task.cancel()
            let error = await callError { try await task.value }
            #expect(error?.kind == .cancelled && error?.phase == .receivingBody)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `streamed bodies have no limit of size`() async throws {
        try await serving(.start { _ in .stream(4 << 20) }) {
            $0.limits.bufferedBody = 1 << 20
        } _: { _, client in
            let count = try await client.stream(Request(.get, "x")) { response in
                try await response.body.reduce(0) { $0 + $1.count }
            }
            #expect(count == 4 << 20)
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .limitExceeded)
        }
    }
}
