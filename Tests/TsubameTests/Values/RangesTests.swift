// RangesTests: partial responses, range by range (RFC 9110 section 15.3.7).

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct RangesTests {
    private static let several = "multipart/byteranges; boundary=b"

    private static func response(
        _ body: String, _ headers: HTTPFields, status: HTTPResponse.Status = .partialContent
    ) -> Response {
        Response(
            status: status, headers: headers, body: Bytes(body), request: Request(.get, url: "https://a.example/x"))
    }

    private static func multipart(_ parts: (field: String?, body: String)...) -> Response {
        let text = parts.map { "--b\r\n\($0.field.map { "Content-Range: \($0)\r\n" } ?? "")\r\n\($0.body)\r\n" }
            .joined()
        return response(text + "--b--\r\n", [.contentType: several])
    }

    private static func ranges(_ response: Response) throws(CallError) -> [ReceivedRange] { try response.ranges() }

    @Test func `one range comes by itself`() async throws {
        let server = try await ScriptedServer.start { _ in
            .status(.partialContent, "cde", headers: [.contentRange: "bytes 2-4/10", .contentType: "text/plain"])
        }
        try await serving(server) { server, client in
            var request = Request(.get, "x")
            request.ask(for: .bytes(2...4))
            let ranges = try await client.send(request).ranges()
            #expect(ranges.map(\.positions) == [2...4] && ranges.map(\.total) == [10])
            #expect(ranges.map(\.body) == [Bytes("cde")])
            #expect(ranges.first?.headers[.contentType] == "text/plain")
            let streamed = try await client.stream(request) { try await $0.ranges() }
            #expect(streamed.map(\.positions) == [2...4])
        }
    }

    @Test func `several ranges come in parts, in any order, joined or not`() throws {
        let ranges = try Self.ranges(
            Self.multipart(("bytes 8-9/10", "ij"), ("bytes 0-3/10", "ab\r\n"), ("bytes 2-4/*", "cde")))
        #expect(ranges.map(\.positions) == [8...9, 0...3, 2...4])
        #expect(ranges.map(\.total) == [10, 10, nil])
        #expect(ranges.map(\.body) == [Bytes("ij"), Bytes("ab\r\n"), Bytes("cde")])
        #expect(try Self.ranges(Self.multipart()).isEmpty)
    }

    @Test func `a server that knows no ranges gives one with all of it`() throws {
        let ranges = try Self.ranges(Self.response("abc", [:], status: .ok))
        #expect(ranges.map(\.positions) == [0...2] && ranges.map(\.total) == [3])
        #expect(try Self.ranges(Self.response("", [:], status: .ok)).isEmpty)
    }

    @Test func `a range outside of the whole is a status, which says how long that is`() throws {
        let response = Self.response("no", [.contentRange: "bytes */47"], status: .rangeNotSatisfiable)
        let error = #expect(throws: CallError.self) { try Self.ranges(response) }
        #expect(error?.kind == .status && error?.response?.contentRange?.total == 47)
    }

    @Test(
        arguments: [
            response("abc", [:]), response("abc", [.contentRange: "bytes 0-3/10"]),
            response("abc", [.contentRange: "bytes 0-1/10"]), response("abc", [.contentRange: "bytes */10"]),
            response("abc", [.contentRange: "bytes 0-2/2"]), response("abc", [.contentRange: "lines 0-2/10"]),
            response("", [.contentRange: "bytes 0-0/1"]),
            response("abc", [.contentRange: "bytes 0-2/10, bytes 0-2/10"]),
            response("a", [.contentRange: "bytes 9223372036854775807-9223372036854775807/*"]),
            response("--b--", [.contentType: several, .contentRange: "bytes 0-4/5"]),
            multipart((nil, "abc")), multipart(("bytes 0-2/10", "abc"), (nil, "d")),
            multipart(("bytes 0-2/10", "abcd")), multipart(("bytes 0-2/10", "ab")), multipart(("bytes */10", "")),
            multipart(("bytes 0-2/10", "abc"), ("bytes 3-3/11", "d")),
            multipart(("bytes 0-9223372036854775806/9223372036854775807", "abc")),
        ])
    func `BAD-INPUT 42: what cannot be true is an error`(_ response: Response) {
        let error = #expect(throws: CallError.self) { try Self.ranges(response) }
        #expect(error?.kind == .invalidResponse, "\(String(describing: error))")
        #expect(error?.response != nil)
    }

    @Test func `a body that is cut off, of too many parts, or of none at all is an error`() {
        let cut = Self.response("--b\r\nContent-Range: bytes 0-2/3\r\n\r\nab", [.contentType: Self.several])
        #expect(throws: CallError.self) { try Self.ranges(cut) }
        let part = "--b\r\nContent-Range: bytes 0-0/3\r\n\r\na\r\n"
        let many = Self.response(String(repeating: part, count: 10_001) + "--b--", [.contentType: Self.several])
        let error = #expect(throws: CallError.self) { try Self.ranges(many) }
        #expect(error?.kind == .limitExceeded)
        for type in ["multipart/byteranges", "multipart/byteranges; boundary=\"\""] {
            #expect(throws: CallError.self) { try Self.ranges(Self.response(part, [.contentType: type])) }
        }
    }
}
