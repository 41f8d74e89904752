// HostileHTTP2Tests: malformed frames, floods and forbidden fields over a real HTTP/2 connection (BAD-INPUT 39 and 40).
#if TestServer
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HostileHTTP2Tests {
    /// Frames that the server sends in place of a response, and the error of the call.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let frames: [UInt8]
        let kind: CallError.Kind
        /// Whether only the stream fails, and the connection carries the next request.
        let keepsConnection: Bool
        var testDescription: String { name }

        init(_ name: String, _ kind: CallError.Kind, keepsConnection: Bool = false, _ frames: [UInt8]...) {
            self.name = name
            self.kind = kind
            self.keepsConnection = keepsConnection
            self.frames = frames.flatMap { $0 }
        }
    }

    private enum Kind: UInt8 {
        case data = 0, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        case unknown = 99
    }

    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4

    private static func frame(
        _ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 1, _ payload: [UInt8] = [], length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind.rawValue, flags]
            + big(stream) + payload
    }

    private static func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

    /// `:status: 200` from the static table of HPACK.
    private static let status200: [UInt8] = [0x88]

    /// A field as a literal without Huffman coding.
    private static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
    }

    private static func head(_ fields: [UInt8]..., flags: UInt8 = endHeaders) -> [UInt8] {
        frame(.headers, flags: flags, status200 + fields.flatMap { $0 })
    }

    private static func flood(_ frame: [UInt8]) -> [UInt8] { Array(repeatElement(frame, count: 20_000).joined()) }

    private static let cases: [Case] = [
        Case("PING flood", .limitExceeded, flood(frame(.ping, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]))),
        Case("SETTINGS flood", .limitExceeded, flood(frame(.settings, stream: 0))),
        Case("empty DATA flood", .limitExceeded, head(), flood(frame(.data))),
        Case("PRIORITY flood", .limitExceeded, flood(frame(.priority, [0, 0, 0, 0, 1]))),
        Case("WINDOW_UPDATE flood", .limitExceeded, flood(frame(.windowUpdate, stream: 0, [0, 0, 0, 1]))),
        Case("unknown frame flood", .limitExceeded, flood(frame(.unknown, stream: 0))),
        Case(
            "CONTINUATION flood", .limitExceeded, head(flags: 0),
            flood(frame(.continuation, field("x", String(repeating: "y", count: 100))))),
        Case("empty CONTINUATION flood", .limitExceeded, head(flags: 0), flood(frame(.continuation))),
        Case(
            "window overflow of the connection", .invalidResponse,
            frame(.windowUpdate, stream: 0, [0x7F, 0xFF, 0xFF, 0xFF])),
        Case(
            "window overflow of the stream", .invalidResponse, keepsConnection: true,
            frame(.windowUpdate, [0x7F, 0xFF, 0xFF, 0xFF])),
        Case("an empty window update", .invalidResponse, frame(.windowUpdate, stream: 0, [0, 0, 0, 0])),
        Case(
            "less DATA than Content-Length", .incompleteResponse, keepsConnection: true,
            head(field("content-length", "5")), frame(.data, flags: endStream, Array("hell".utf8))),
        Case(
            "more DATA than Content-Length", .invalidResponse, keepsConnection: true,
            head(field("content-length", "5")), frame(.data, flags: endStream, Array("hello!".utf8))),
        Case("an upper-case field", .invalidResponse, keepsConnection: true, head(field("X-A", "b"))),
        Case("Connection", .invalidResponse, keepsConnection: true, head(field("connection", "close"))),
        Case("Transfer-Encoding", .invalidResponse, keepsConnection: true, head(field("transfer-encoding", "chunked"))),
        Case("a line break in a value", .invalidResponse, keepsConnection: true, head(field("x", "a\r\nb: c"))),
        Case("a second status", .invalidResponse, keepsConnection: true, head(status200)),
        Case("a pseudo-field of requests", .invalidResponse, keepsConnection: true, head(field(":path", "/"))),
        Case("a pseudo-field after a field", .invalidResponse, keepsConnection: true, head(field("x", "y"), status200)),
        Case(
            "no status", .invalidResponse, keepsConnection: true,
            frame(.headers, flags: endHeaders, field("x", "y"))),
        Case("DATA before HEADERS", .invalidResponse, keepsConnection: true, frame(.data, Array("hello".utf8))),
        Case(
            "an index outside of the table", .invalidResponse, frame(.headers, flags: endHeaders, [0xFF, 0x80, 0x7F])),
        Case("a field section that is cut", .invalidResponse, frame(.headers, flags: endHeaders, [0x88, 0, 9, 0x78])),
        Case(
            "push although it is off", .invalidResponse,
            frame(.pushPromise, flags: endHeaders, big(2) + status200)),
        Case("DATA on an idle stream", .invalidResponse, frame(.data, stream: 99, Array("hello".utf8))),
        Case("HEADERS on stream 0", .invalidResponse, frame(.headers, flags: endHeaders, stream: 0, status200)),
        Case("a PING of 7 bytes", .invalidResponse, frame(.ping, stream: 0, [1, 2, 3, 4, 5, 6, 7])),
        Case("SETTINGS of 7 bytes", .invalidResponse, frame(.settings, stream: 0, [1, 2, 3, 4, 5, 6, 7])),
        Case("a frame longer than agreed", .invalidResponse, frame(.data, [], length: 0xFF_FFFF)),
        Case("padding longer than the frame", .invalidResponse, head(), frame(.data, flags: 8, [200, 1])),
        Case(
            "a frame between HEADERS and CONTINUATION", .invalidResponse, head(flags: 0),
            frame(.ping, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8])),
        Case("text in place of frames", .invalidResponse, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
    ]

    @Test(arguments: cases)
    func `BAD-INPUT 39: hostile frames are an error, and the next request succeeds`(_ sample: Case) async throws {
        let server = try await ScriptedServer.start(
            replies: [[.bytes(sample.frames), .stall], .ok("next")], versions: [.http2])
        try await withClient(
            server.url,
            {
                $0.connection.httpVersion = .http2
                $0.retry = .off
            }
        ) { api in
            let error = await #expect(throws: CallError.self) { _ = try await api.post("first") }
            #expect(error?.kind == sample.kind, "\(String(describing: error))")
            let next = try await api.get("second").text()
            #expect(next == "next")
            #expect(server.requests.map(\.connection) == [0, sample.keepsConnection ? 0 : 1])
        }
        await server.stop()
    }

    @Test func `BAD-INPUT 39: a flood of resets ends the connection, with every call on it`() async throws {
        let resets = Self.flood(Self.frame(.resetStream, stream: 3, Self.big(2)))
        let server = try await ScriptedServer.start(
            replies: [[.stall], [.bytes(resets), .stall], .ok("next")], versions: [.http2])
        try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { api in
            let other = Task { try await api.post("open") }
            _ = try await server.request(0)
            let error = await #expect(throws: CallError.self) { _ = try await api.post("reset") }
            #expect(error?.kind == .connectionLost, "\(String(describing: error))")
            let outcome = await #expect(throws: CallError.self) { _ = try await other.value }
            #expect(outcome?.kind == .limitExceeded, "\(String(describing: outcome))")
            let next = try await api.get("next").text()
            #expect(next == "next" && server.requests.map(\.connection) == [0, 0, 1])
        }
        await server.stop()
    }

    @Test(arguments: [7 as UInt32, 0xB, 2])
    func `BAD-INPUT 40: only a stream that was not processed is sent again`(_ code: UInt32) async throws {
        // REFUSED_STREAM, ENHANCE_YOUR_CALM and INTERNAL_ERROR
        let reset = Self.frame(.resetStream, Self.big(code))
        let server = try await ScriptedServer.start(replies: [[.bytes(reset)], .ok("again")], versions: [.http2])
        try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { api in
            if code == 7 {
                let text = try await api.post("once", body: .text("x")).text()
                #expect(text == "again" && server.requests.count == 2)
            } else {
                let error = await #expect(throws: CallError.self) { _ = try await api.post("once", body: .text("x")) }
                #expect(error?.kind == .connectionLost && server.requests.count == 1)
            }
        }
        await server.stop()
    }
}
#endif
