// PartsTests: multipart responses, part by part.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct PartsTests {
    private static func response(_ text: String, boundary: String = "b", type: String = "multipart/mixed") -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); boundary=\(boundary)"], body: Bytes(text),
            request: Request(.get, url: "https://a.example/x"))
    }

    private static func parts(_ response: Response) throws(CallError) -> [ReceivedPart] { try response.parts() }

    @Test func `what was sent as a form is read as its parts`() async throws {
        let body = RequestBody.multipart {
            $0.field("a", "1 & 2")
            $0.bytes("f\"\r\n", [0, 13, 10, 45, 45, 98, 255], filename: "燕.png", contentType: "image/png")
            $0.field("a", "")
        }
        let bytes = try #require(body.bytes)
        let response = Response(status: .ok, headers: [.contentType: try #require(body.contentType)], body: bytes)
        let parts = try await response.parts()
        #expect(parts.map(\.name) == ["a", "f\"\r\n", "a"])
        #expect(parts.map(\.filename) == [nil, "燕.png", nil])
        #expect(parts[0].text == "1 & 2" && parts[2].body.count == 0)
        #expect(parts[1].body == Bytes([0, 13, 10, 45, 45, 98, 255]))
        #expect(parts[1].headers[.contentType] == "image/png")
    }

    @Test func `several ranges are told apart`() throws {
        let parts = try Self.parts(
            Self.response(
                "preamble\r\n--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n--b  \r\n"
                    + "Content-Range: bytes 8-9/10\r\n\r\nij\r\n--b--\r\nepilogue", type: "multipart/byteranges"))
        #expect(parts.map(\.text) == ["ab", "ij"])
        #expect(parts.map(\.contentRange?.bytes) == [0...1, 8...9])
    }

    @Test(
        arguments: [
            ("--b\n\nx\n--b--", ["x"]), ("--b\r\n\r\n\r\n--b--", [""]), ("--b\r\n\r\n--b--", [""]),
            ("--b\r\n\r\nx--b\r\n--by\r\n--b--", ["x--b"]), ("--b\r\nA: b\r\n--b--", [""]), ("--b--", []),
            ("\r\n--b--\r\n", []),
            ("--b\r\nA: \r\n\r\nx\r\n\r\n--b\r\n\r\ny\r\n--b--", ["x\r\n", "y"]),
        ] as [(String, [String])])
    func `delimiters stand at the beginning of a line`(_ text: String, _ expected: [String]) throws {
        // `--by` would be the beginning of a delimiter: RFC 2046 makes the sender avoid lines that begin so.
        guard !text.contains("--by") else {
            #expect(throws: CallError.self) { try Self.parts(Self.response(text)) }
            return
        }
        #expect(try Self.parts(Self.response(text)).map(\.text) == expected)
    }

    @Test(arguments: [
        ("", CallError.Kind.invalidResponse), ("no part", .invalidResponse), ("--b", .invalidResponse),
        ("--b\r\n\r\nx", .incompleteResponse), ("--b\r\n\r\nx\r\n--b\r\n\r\ny", .incompleteResponse),
        ("--b\r\nno colon\r\n\r\nx\r\n--b--", .invalidResponse), ("--b\r\nA b: c\r\n\r\nx\r\n--b--", .invalidResponse),
        ("--b\r\nA: \u{1}\r\n\r\nx\r\n--b--", .invalidResponse),
    ])
    func `what makes no sense is an error`(_ text: String, _ kind: CallError.Kind) {
        let error = #expect(throws: CallError.self) { try Self.parts(Self.response(text)) }
        #expect(error?.kind == kind, "\(String(describing: error))")
    }

    @Test func `too many parts or fields are an error`() {
        let many = String(repeating: "--b\r\n\r\n\r\n", count: 10_001) + "--b--"
        let fields = "--b\r\n" + String(repeating: "A: b\r\n", count: 200) + "\r\n\r\n--b--"
        for text in [many, fields, "--b\r\nA: " + String(repeating: "x", count: 20_000) + "\r\nB: c\r\n\r\n\r\n--b--"] {
            let error = #expect(throws: CallError.self) { try Self.parts(Self.response(text)) }
            #expect(error?.kind == .limitExceeded, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        "text/plain", "multipart/mixed", "multipart/mixed; boundary=\"\"",
        "multipart/mixed; boundary=" + String(repeating: "x", count: 71),
    ])
    func `a type without a boundary has no parts`(_ type: String) {
        let response = Response(status: .ok, headers: [.contentType: type], body: Bytes("--b--"))
        #expect(throws: CallError.self) { try Self.parts(response) }
    }
}
