// RequestEncoderTests: heads of requests: the bytes that go out, and heads that are refused before any byte does.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite struct RequestEncoderTests {
    private func encode(
        _ method: String = "GET", _ target: String = "/", authority: String = "example.com",
        _ headers: HTTPFields = [:],
        _ framing: RequestEncoder.Framing = .none, shared: PreencodedFields? = nil
    ) throws(WireError) -> String {
        let capacity = RequestEncoder.capacity(
            method: method, target: target, authority: authority, headers: headers, shared: shared)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        defer { output.deallocate() }
        let count = try RequestEncoder.write(
            method: method, target: target, authority: authority, headers: headers, shared: shared, framing: framing,
            into: output)
        #expect(count <= capacity)
        return String(decoding: output[..<count], as: UTF8.self)
    }

    private func refused(
        _ method: String = "GET", _ target: String = "/", authority: String = "example.com",
        _ headers: HTTPFields = [:],
        _ framing: RequestEncoder.Framing = .none, words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(WireError) {
            let text = try encode(method, target, authority: authority, headers, framing)
            Issue.record("sent: \(text.debugDescription)", sourceLocation: sourceLocation)
        } catch {
            #expect(error.kind == .invalidRequest, sourceLocation: sourceLocation)
            #expect(error.description.contains(words), "\(error)", sourceLocation: sourceLocation)
        }
    }

    private func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }

    @Test func aHeadIsWrittenInOrder() throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .accept, value: "*/*"))
        fields.append(HTTPField(name: try name("X-Empty"), value: ""))
        fields.append(HTTPField(name: .userAgent, value: "Tsubame/1.0 (日本)\tx"))
        fields.append(HTTPField(name: .accept, value: "text/plain"))
        #expect(
            try encode("PATCH", "/a%20b?c=d", authority: "example.com:8080", fields)
                == """
                PATCH /a%20b?c=d HTTP/1.1\r\nHost: example.com:8080\r\nAccept: */*\r\nX-Empty: \r\n\
                User-Agent: Tsubame/1.0 (日本)\tx\r\nAccept: text/plain\r\n\r\n
                """)
    }

    @Test(arguments: [
        (RequestEncoder.Framing.none, ""), (.length(0), "Content-Length: 0\r\n"),
        (.length(.max), "Content-Length: 9223372036854775807\r\n"), (.chunked, "Transfer-Encoding: chunked\r\n"),
    ])
    func theFramingComesLast(framing: RequestEncoder.Framing, field: String) throws {
        #expect(
            try encode("POST", [.accept: "*/*"], framing)
                == "POST / HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\(field)\r\n")
    }

    private func encode(
        _ method: String, _ headers: HTTPFields, _ framing: RequestEncoder.Framing
    ) throws(WireError) -> String {
        try encode(method, "/", headers, framing)
    }

    @Test func `trailers are lines like those of a head`() throws {
        let lines = try TrailerSection.lines(of: [.eTag: "\"a\"", .lastModified: "x\ty"])
        #expect(String(decoding: lines, as: UTF8.self) == "ETag: \"a\"\r\nLast-Modified: x\ty\r\n")
    }

    @Test func cookiesAreJoinedWhereTheFirstStands() throws {
        var fields: HTTPFields = [.accept: "*/*"]
        fields[.cookie] = "a=1; b=2; c=3"
        fields.append(HTTPField(name: .userAgent, value: "x"))
        fields.append(HTTPField(name: .cookie, value: "d=4"))
        #expect(fields.count == 6)
        #expect(
            try encode("GET", fields, .none)
                == """
                GET / HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\nCookie: a=1; b=2; c=3; d=4\r\nUser-Agent: x\r\n\r\n
                """)
    }

    @Test func fieldsThatAreSharedAreWrittenAsAnyOthers() throws {
        var cookies: HTTPFields = [.accept: "*/*"]
        cookies.append(HTTPField(name: .cookie, value: "a=b"))
        cookies.append(HTTPField(name: .cookie, value: "c=d"))
        for fields in [[:], [.userAgent: "燕\tand more", .accept: "*/*"], cookies] {
            let shared = try #require(RequestEncoder.shared(fields))
            #expect(PreencodedFields.isSame(shared.fields, fields))
            #expect(try encode("GET", "/", fields, shared: shared) == encode("GET", "/", fields))
            #expect(try encode("PUT", "/", fields, .length(5), shared: shared) == encode("PUT", fields, .length(5)))
            var changed = fields
            changed[.accept] = "text/html"
            #expect(!PreencodedFields.isSame(shared.fields, changed))
            #expect(PreencodedFields.isSame(shared.fields, fields))
        }
    }

    @Test func fieldsThatMustNotBeSentAreNotShared() throws {
        let lenient = HTTPField(name: .accept, lenientValue: [0x61, 1, 0x62])
        for field in [
            HTTPField(name: try name("Host"), value: "a.example"), HTTPField(name: .contentLength, value: "1"),
            HTTPField(name: .transferEncoding, value: "chunked"), lenient,
        ] {
            var fields: HTTPFields = [.userAgent: "x"]
            fields.append(field)
            #expect(RequestEncoder.shared(fields) == nil)
        }
    }

    @Test func namesThatOnlyLookSpecialAreCopied() throws {
        for text in ["Most", "Cookix", "Content-Lengtx", "Transfer-Encodinx", "x"] {
            let encoded = try encode("GET", [try name(text): "1"], .none)
            #expect(encoded == "GET / HTTP/1.1\r\nHost: example.com\r\n\(text): 1\r\n\r\n")
        }
    }

    @Test func bytesThatAreNoUTF8GoAsTheyAre() throws {
        let field = HTTPField(name: .accept, value: [0x61, 0xE9, 0x62])
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 200, alignment: 1)
        defer { output.deallocate() }
        let count = try RequestEncoder.write(
            method: "GET", target: "/", authority: "a", headers: HTTPFields([field]), framing: .none, into: output)
        #expect(Array(output[..<count]) == latin1("GET / HTTP/1.1\r\nHost: a\r\nAccept: a\u{E9}b\r\n\r\n"))
    }

    @Test func aLongHeadIsWritten() throws {
        var fields = HTTPFields()
        for index in 0..<2_000 { fields.append(HTTPField(name: .accept, value: "\(index)\t")) }
        fields.append(HTTPField(name: .userAgent, value: String(repeating: "x", count: 100_000)))
        let text = try encode("GET", "/" + String(repeating: "y", count: 50_000), fields)
        #expect(text.split(separator: "\r\n").count == 2_003)
        #expect(text.hasSuffix("x\r\n\r\n"))
    }

    @Test func aBufferThatIsTooSmallIsAnError() {
        let headers: HTTPFields = [.accept: "*/*"]
        let length = "GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n".utf8.count
        for count in 0..<length {
            let output = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
            defer { output.deallocate() }
            #expect(throws: WireError.self) {
                try RequestEncoder.write(
                    method: "GET", target: "/", authority: "a", headers: headers, framing: .none, into: output)
            }
        }
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
        defer { output.deallocate() }
        #expect(throws: Never.self) {
            try RequestEncoder.write(
                method: "GET", target: "/", authority: "a", headers: headers, framing: .none, into: output)
        }
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (15, "f"), (16, "10"), (255, "ff"), (65_536, "10000"), (.max, "7fffffffffffffff"),
    ])
    func aChunkHasItsSizeInHexadecimal(count: Int, digits: String) {
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 18, alignment: 1)
        defer { output.deallocate() }
        let written = RequestEncoder.chunkHeader(count, into: output)
        #expect(String(decoding: output[..<written], as: UTF8.self) == digits + "\r\n")
        #expect(
            RequestEncoder.chunkHeader(count, into: UnsafeMutableRawBufferPointer(rebasing: output[..<(written - 1)]))
                == 0)
        #expect(RequestEncoder.chunkHeader(-1, into: output) == 0)
    }

    // MARK: 17

    private static let controls = ["\r", "\n", "\r\n", "\0", "\r\nEvil: 1\r\n", "\u{7F}", "\u{1B}"]

    @Test("BAD-INPUT 17: a control character or a space in a method is refused", arguments: controls + [" ", "(", "é"])
    func methods(text: String) {
        refused("GE\(text)T", words: "the method holds")
        refused("GET\(text)", words: "the method holds")
        refused(text, words: "the method holds")
    }

    @Test("BAD-INPUT 17: an empty method or target is refused")
    func emptyParts() {
        refused("", words: "the method is empty")
        refused("GET", "", words: "the request target is empty")
        refused(authority: "", words: "the host is empty")
    }

    @Test("BAD-INPUT 17: what is no printable ASCII in a target is refused", arguments: controls + [" ", "\t", "é"])
    func targets(text: String) {
        refused("GET", "/a\(text)b", words: "the request target holds")
        refused("GET", "/\(text)", words: "the request target holds")
        refused("GET", "/ HTTP/1.1\(text)", words: "the request target holds")
    }

    @Test("BAD-INPUT 17: a control character or a space in a host is refused", arguments: controls + [" ", "\t", "é"])
    func hosts(text: String) {
        refused(authority: "exam\(text)ple.com", words: "the host holds")
        refused(authority: "example.com\(text)", words: "the host holds")
    }

    @Test("BAD-INPUT 17: CR, LF and NUL in a value arrive as spaces, and nothing is injected", arguments: controls)
    func values(text: String) throws {
        let encoded = try encode("GET", [.accept: "a\(text)b"], .none)
        #expect(encoded.hasPrefix("GET / HTTP/1.1\r\nHost: example.com\r\nAccept: a"))
        #expect(encoded.hasSuffix("b\r\n\r\n"))
        #expect(encoded.split(separator: "\r\n").count == 3)
    }

    @Test("BAD-INPUT 17: other control characters in a value, which HTTPField can be made to hold, are refused")
    func lenientValues() {
        for byte in [UInt8](0x01...0x1F) + [0x7F] where byte != 0x09 && byte != 0x0A && byte != 0x0D {
            // However many there are: the encoder counts them and the line ends together.
            for count in 1...12 {
                let field = HTTPField(
                    name: .authorization, lenientValue: [0x61] + [UInt8](repeating: byte, count: count) + [0x62])
                refused("GET", "/", HTTPFields([field]), words: "the value of Authorization holds a control character")
            }
        }
    }

    @Test("BAD-INPUT 17: no error text quotes a value")
    func noValueInErrors() {
        let field = HTTPField(name: .authorization, lenientValue: latin1("s3cret\u{1}"))
        do throws(WireError) {
            try RequestEncoder.validate(method: "GET", target: "/", headers: HTTPFields([field]))
            Issue.record("not refused")
        } catch {
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test("BAD-INPUT 17: a name cannot be made of anything but a token")
    func names() {
        for text in Self.controls + [" ", ":", "é", ""] { #expect(HTTPField.Name("A\(text)B") == nil || text.isEmpty) }
    }

    @Test("BAD-INPUT 17: more than 65,000 fields are refused")
    func tooManyFields() {
        var fields = HTTPFields()
        for _ in 0..<65_000 { fields.append(HTTPField(name: .accept, value: "x")) }
        #expect(throws: Never.self) { try encode("GET", fields, .none) }
        fields.append(HTTPField(name: .accept, value: "x"))
        refused("GET", "/", fields, words: "more than 65000 fields")
    }

    // MARK: 19

    @Test("BAD-INPUT 19: Content-Length and Transfer-Encoding cannot be set", arguments: ["GET", "POST"])
    func framingFields(method: String) throws {
        for text in ["Content-Length", "content-length", "CONTENT-LENGTH"] {
            refused(method, "/", [try name(text): "5"], .length(5), words: "Content-Length must not be set")
        }
        for text in ["Transfer-Encoding", "transfer-encoding"] {
            refused(
                method, "/", [.accept: "*/*", try name(text): "chunked"], words: "Transfer-Encoding must not be set")
        }
    }

    @Test("BAD-INPUT 19: Host can be set, goes first, and only once")
    func hostField() throws {
        let host = try name("hOST")
        #expect(
            try encode("GET", [.accept: "*/*", host: "other.example:81", .userAgent: "x"], .none)
                == "GET / HTTP/1.1\r\nHost: other.example:81\r\nAccept: */*\r\nUser-Agent: x\r\n\r\n")
        var fields: HTTPFields = [host: "[::1]:8080"]
        fields[.cookie] = "a=1; b=2"
        #expect(
            try encode("POST", fields, .length(0))
                == "POST / HTTP/1.1\r\nHost: [::1]:8080\r\nCookie: a=1; b=2\r\nContent-Length: 0\r\n\r\n")
        fields.append(HTTPField(name: host, value: "b"))
        refused("GET", "/", fields, words: "two Host fields")
    }

    @Test(
        "BAD-INPUT 19: a Host that is no host is refused",
        arguments: ["", "a b", "a/b", "user@a", "a:b", "a:99999", "a?b", "a#b", "a\\b", "[::1", "é", "a%2Fb"])
    func badHosts(value: String) throws {
        refused("GET", "/", [try name("Host"): value], words: "the Host field has")
    }

    @Test("BAD-INPUT 19: a negative length is refused")
    func negativeLength() {
        refused("POST", "/", [:], .length(-1), words: "the length of the body is negative")
    }

    @Test func validationAgreesWithWriting() throws {
        #expect(throws: Never.self) {
            try RequestEncoder.validate(method: "GET", target: "/", headers: [.accept: "*/*", .cookie: "a=b"])
        }
        for (method, target, headers): (String, String, HTTPFields) in [
            ("G T", "/", [:]), ("GET", "/ ", [:]), ("GET", "/", [.contentLength: "1"]),
        ] {
            let error = #expect(throws: WireError.self) {
                try RequestEncoder.validate(method: method, target: target, headers: headers)
            }
            let written = #expect(throws: WireError.self) { try encode(method, target, headers) }
            #expect(error == written)
        }
    }
}
