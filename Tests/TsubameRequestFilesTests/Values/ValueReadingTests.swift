// ValueReadingTests: queries, filters and predicates on a response.

import Testing

@testable import TsubameRequestFiles

@Suite struct ValueReadingTests {
    private static let json =
        #"{"id": 7, "list": [1, 2.5, "x"], "text": "a=1&b=2", "none": null, "empty": {}, "date": "2026-01-30T10:00:00Z"}"#

    private func reading(_ body: String = json, type: String = "application/json") -> ValueReading {
        var message = ReceivedMessage(
            status: 200, version: "HTTP/2", url: "http://h/a?q=1%202&z=",
            fields: [
                ("Content-Type", type), ("X", "1"), ("x", "2"),
                ("Set-Cookie", "a=b; Path=/; Max-Age=5; Secure"), ("Set-Cookie", "c=d=e"),
            ], body: Array(body.utf8))
        message.address = "127.0.0.1"
        message.milliseconds = 12
        return ValueReading(
            message: message,
            variables: FileVariables([
                "seven": .integer(7), "half": FileValue(typed: "2.50"),
                "quoted": FileValue(typed: "\"7\""), "name": .text("list"),
                "iso": .text("2026-01-30T10:00:00.5+01:00"),
                "html": .text("<a href=\"x\">&'"), "bytes": .bytes([0xFF, 0x00]), "day": .text("30 Jan 2026, 09:15 PM"),
                "latin": .bytes([0xFC]), "b64": .text("_-8"),
            ]))
    }

    private func assertion(_ text: String) throws -> Assertion {
        let file = try HurlParser.parse("GET http://h\nHTTP *\n[Asserts]\n\(text)\n", path: "a.hurl")
        return try #require(file.entries.first?.response?.assertions.first)
    }

    @Test(
        arguments: [
            "status == 200", "version == \"2\"", "version == \"2\"", "url contains \"?q=\"", "ip == \"127.0.0.1\"",
            "header \"content-type\" == \"application/json\"", "header \"x\" count == 2", "header \"nope\" not exists",
            "cookie \"a\" == \"b\"", "cookie \"a[Path]\" == \"/\"", "cookie \"a[Max-Age]\" == 5",
            "cookie \"a[Secure]\" == true", "cookie \"a[HttpOnly]\" not exists", "cookie \"c\" == \"d=e\"",
            "jsonpath \"$.id\" == 7", "jsonpath \"$.id\" == 7.0", "jsonpath \"$.id\" == {{seven}}",
            "jsonpath \"$.list[1]\" == {{half}}", "jsonpath \"$.list[1]\" >= {{half}}",
            "jsonpath \"$.list\" contains {{half}}", "variable \"half\" isFloat", "jsonpath \"$.id\" != {{quoted}}",
            "jsonpath \"$.id\" > 6", "jsonpath \"$.id\" <= 7", "jsonpath \"$.id\" != \"7\"",
            "jsonpath \"$.id\" isInteger",
            "jsonpath \"$.list\" count == 3", "jsonpath \"$.list[*]\" includes \"x\"", "jsonpath \"$.list[1]\" isFloat",
            "jsonpath \"$.{{name}}\" isList", "jsonpath \"$.list\" nth 0 == 1", "jsonpath \"$.list\" nth -1 == \"x\"",
            "jsonpath \"$.none\" == null", "jsonpath \"$.none\" exists", "jsonpath \"$.nope\" not exists",
            "jsonpath \"$.empty\" isEmpty", "jsonpath \"$.empty\" isObject", "jsonpath \"$.list\" first == 1",
            "jsonpath \"$\" jsonpath \"$.id\" == 7", "body jsonpath \"$.id\" toString == \"7\"",
            "jsonpath \"$.text\" split \"&\" nth 1 == \"b=2\"",
            "jsonpath \"$.text\" replace \"a\" \"z\" == \"z=1&b=2\"",
            "jsonpath \"$.text\" replaceRegex /\\d/ \"n\" == \"a=n&b=n\"",
            "jsonpath \"$.text\" regex /b=(\\d)/ toInt == 2",
            "jsonpath \"$.text\" startsWith \"a=\"", "jsonpath \"$.text\" endsWith \"=2\"",
            "jsonpath \"$.text\" matches /^a=.*2$/", "jsonpath \"$.text\" not contains \"x\"",
            "url urlQueryParam \"q\" == \"1 2\"", "url urlQueryParam \"z\" isEmpty",
            "url urlQueryParam \"no\" not exists",
            "regex \"\\\"id\\\": (\\\\d+)\" == \"7\"", "body contains \"list\"", "bytes count > 10",
            "bytes startsWith hex,7b;", "duration < 13", "variable \"seven\" == 7", "variable \"no\" not exists",
            "jsonpath \"$.date\" toDate isDate", "jsonpath \"$.date\" isIsoDate", "jsonpath \"$.date\" isString",
            "jsonpath \"$.date\" toDate format \"%Y/%m/%d\" == \"2026/01/30\"",
            "variable \"iso\" toDate format \"%H:%M\" == \"09:00\"",
            "variable \"day\" toDate \"%d %b %Y, %I:%M %p\" format \"%FT%T\" == \"2026-01-30T21:15:00\"",
            "variable \"html\" htmlEscape == \"&lt;a href=&quot;x&quot;&gt;&amp;&#x27;\"",
            "variable \"html\" htmlEscape htmlUnescape == \"<a href=\\\"x\\\">&'\"",
            "variable \"bytes\" toHex == \"ff00\"", "variable \"bytes\" base64Encode == \"/wA=\"",
            "variable \"bytes\" base64UrlSafeEncode == \"_wA\"",
            "variable \"b64\" base64UrlSafeDecode toHex == \"ffef\"",
            "variable \"bytes\" base64Encode base64Decode == hex,ff00;",
            "variable \"latin\" decode \"latin1\" == \"ü\"",
            "jsonpath \"$.text\" urlEncode == \"a%3D1%26b%3D2\"",
            "jsonpath \"$.text\" urlEncode urlDecode == \"a=1&b=2\"",
            "jsonpath \"$.text\" utf8Encode utf8Decode == \"a=1&b=2\"", "jsonpath \"$.id\" toFloat == 7.0",
            "ip isIpv4", "ip not isIpv6", "jsonpath \"$.id\" not isString", "jsonpath \"$.list\" isCollection",
            "sha256 count == 32", "md5 isCollection", "body isString", "jsonpath \"$.id\" isNumber",
        ])
    func `an assert holds`(text: String) throws {
        let failure = reading().failure(of: try assertion(text))
        #expect(failure == nil, "\(String(describing: failure))")
    }

    @Test(
        arguments: [
            ("jsonpath \"$.id\" == 8", "integer <7>", "== integer <8>"),
            ("jsonpath \"$.no\" == 8", "none", "== integer <8>"),
            ("header \"no\" exists", "none", "something"),
            ("status not == 200", "integer <200>", "not == integer <200>"),
            ("jsonpath \"$.text\" toInt == 1", "no whole number", "toInt"),
            ("jsonpath \"$.text\" count == 1", "does not take a value of the kind string", "count"),
            ("jsonpath \"$.list\" nth 9 == 1", "only 3 values", "nth"),
            ("body toHex == \"\"", "does not take", "toHex"),
            ("jsonpath \"$.text\" > 3", "no order", ">"), ("variable \"{{no}}\" exists", "no variable no", "{{no}}"),
            ("jsonpath \"$.text\" base64Decode == hex,00;", "no base64", "base64"),
            ("variable \"bytes\" utf8Decode == \"\"", "no UTF-8", "utf8"), ("body toDate isDate", "no date", "toDate"),
            ("certificate \"Subject\" exists", "none", "something"),
            ("status not isEmpty", "isEmpty looks at", "isEmpty"),
            ("status not matches /a/", "matches looks at", "matches"),
            ("jsonpath \"$.nope\" not contains \"a\"", "none", "not contains"),
        ])
    func `a failed assert says what came`(text: String, actual: String, expected: String) throws {
        let failure = try #require(reading().failure(of: try assertion(text)))
        #expect(failure.actual.contains(actual) && failure.expected.contains(expected), "\(failure)")
    }

    @Test func `a query of GraphQL means its JSON`() throws {
        let sent = reading("{\"query\":\"{ a }\",\"variables\":{\"x\":1}}", type: "application/json")
        let text = "body == ```graphql\n{ a }\nvariables {\"x\": 1}\n```"
        #expect(sent.failure(of: try assertion(text)) == nil)
        #expect(sent.failure(of: try assertion(text.replacing("graphql", with: ""))) != nil)
        #expect(sent.failure(of: try assertion(text.replacing("\n", with: "\r\n"))) == nil)
    }

    @Test func `a long deep body is compared without blanks`() throws {
        let deep =
            String(repeating: "[", count: 500) + "1" + String(repeating: ",1", count: 50_000)
            + String(repeating: "]", count: 500)
        let file = try HurlParser.parse("GET http://h\nHTTP *\n[1]\n", path: "a.hurl")
        let response = try #require(file.entries.first?.response)
        let failure = try #require(try reading(deep).failure(ofBody: response))
        #expect(failure.actual.hasPrefix("[[[") && failure.actual.utf8.count <= 70_000)
    }

    @Test(.enabled(if: XPathQuery.isAvailable, "libxml2 is not installed"))
    func `a document that declares entities is refused`() throws {
        let xml = "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>"
        let message = reading(xml, type: "application/xml")
        let failure = message.failure(of: try assertion("xpath \"string(/a)\" == \"x\""))
        #expect(failure?.actual.contains("declares entities") == true, "\(failure as Any)")
    }

    @Test func `a body that is no text or no JSON is said`() throws {
        let text = reading("{", type: "application/json")
        #expect(text.failure(of: try assertion("jsonpath \"$\" exists"))?.actual == "the body is no JSON at byte 2")
        var message = ReceivedMessage(status: 200, version: "HTTP/1.1", url: "", fields: [], body: [0xFF])
        message.milliseconds = 1
        let bytes = ValueReading(message: message, variables: FileVariables())
        #expect(bytes.failure(of: try assertion("body exists"))?.actual == "the body is no text of its charset")
        #expect(bytes.failure(of: try assertion("bytes == hex,ff;")) == nil)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200", 1), ("HTTP 404", 1), ("HTTP/2 200", 0), ("HTTP *\nX: 2", 0), ("HTTP *\nX: 3", 1),
            ("HTTP *\nNo: 1", 1),
        ])
    func `the head of a response`(text: String, count: Int) throws {
        let file = try HurlParser.parse("GET http://h\n\(text)\n", path: "a.hurl")
        #expect(reading().failures(ofHead: try #require(file.entries.first?.response)).count == count)
    }

    @Test(
        arguments: [
            ("{\"b\": [2], \"a\": 1}", nil, nil), ("{\"a\": 1, \"b\": [3]}", "line 4:         2", "line 4:         3"),
            ("`{\"a\": 1, \"b\": [2]}`", nil, nil), ("`x`", "{\"a\": 1, \"b\": [2]}", "x"),
            ("hex,00;", "bytes <7b", "bytes <00>"),
        ] as [(String, String?, String?)])
    func `the whole body`(expected: String, actual: String?, wanted: String?) throws {
        let file = try HurlParser.parse("GET http://h\nHTTP *\n\(expected)\n", path: "a.hurl")
        let response = try #require(file.entries.first?.response)
        let failure = try reading("{\"a\": 1, \"b\": [2]}").failure(ofBody: response)
        #expect((failure == nil) == (actual == nil))
        #expect(
            failure?.actual.hasPrefix(actual ?? "") ?? true && failure?.expected.hasPrefix(wanted ?? "") ?? true,
            "\(failure as Any)")
    }
}
