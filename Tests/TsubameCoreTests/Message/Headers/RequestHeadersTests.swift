// RequestHeadersTests: fields by name and by text, and the problems that the value keeps.

import HTTPTypes
import Testing
import TsubameCore

@Suite struct RequestHeadersTests {
    @Test func `names are text or HTTPField.Name, in literals and in subscripts`() {
        var headers: RequestHeaders = [.accept: "text/html", "X-Api-Key": "k", .cookie: "a=1", "cookie": "b=2"]
        #expect(headers["ACCEPT"] == "text/html" && headers[.accept] == "text/html" && headers["x-api-key"] == "k")
        #expect(headers[values: "Cookie"] == ["a=1", "b=2"] && headers[values: .cookie] == ["a=1", "b=2"])
        headers["X-Api-Key"] = "other"
        headers[.accept] = nil
        headers[values: "Via"] = ["1.1 a", "1.1 b"]
        headers.append("Via", "1.1 c")
        headers.append(.via, "1.1 d")
        #expect(!headers.contains("accept") && !headers.contains(.accept) && headers.contains("via"))
        #expect(headers.map(\.value) == ["other", "a=1", "b=2", "1.1 a", "1.1 b", "1.1 c", "1.1 d"])
        #expect(headers.count == 7 && !headers.isEmpty && headers[0].name.rawName == "X-Api-Key")
        headers.removeAll { $0.name == .via }
        #expect(headers.count == 3 && headers.problem == nil)
    }

    @Test func `it converts to and from HTTPFields`() {
        let fields: HTTPFields = [.accept: "a", .via: "b"]
        #expect(RequestHeaders(fields).fields == fields)
        let dictionary = ["X-B": "2", "X-A": "1"]
        #expect(RequestHeaders(dictionary).map(\.value) == ["1", "2"])
        #expect(RequestHeaders(["a b": "c"]).problem != nil)
        var headers = RequestHeaders()
        headers.append(contentsOf: fields)
        #expect(headers == RequestHeaders(fields) && Set([headers, RequestHeaders(fields)]).count == 1)
    }

    @Test(arguments: ["", "a b", "a:b", ":path", "é", "a\r\nb", "(x)"])
    func `BAD-INPUT 17: an invalid name is kept as a problem`(_ name: String) {
        var headers: RequestHeaders = [.accept: "a"]
        headers[name] = "x"
        #expect(headers.problem?.contains("is no name of a field") == true && headers.count == 1)
        headers["X-Good"] = "y"
        #expect(headers.problem != nil && headers["X-Good"] == "y")
        let literal: RequestHeaders = [HeaderName(name): "x"]
        #expect(literal.problem != nil && literal.isEmpty && literal != RequestHeaders())
        #expect(headers[name] == nil && headers[values: name].isEmpty && !headers.contains(name))
    }

    @Test(arguments: [("a\nb", "a line break"), ("a\r\nb", "a line break"), ("a\0", "byte 0"), ("\u{7F}", "byte 127")])
    func `BAD-INPUT 17, 20: an invalid value is kept as a problem that does not quote it`(
        _ value: String, _ why: String
    ) {
        for change: (inout RequestHeaders) -> Void in [
            { $0[.authorization] = value }, { $0["Authorization"] = value },
            { $0[values: .authorization] = ["b", value] },
            { $0.append("Authorization", value) }, { $0.append(.authorization, value) },
        ] {
            var headers = RequestHeaders()
            change(&headers)
            #expect(headers.isEmpty)
            #expect(
                headers.problem == "the value of Authorization holds \(why), which a field cannot carry"
                    || headers.problem
                        == "the value of Authorization holds a control character (\(why)), which a field cannot carry"
            )
        }
    }

    @Test func `BAD-INPUT 17: more fields than HTTPFields holds do not trap`() {
        var headers = RequestHeaders()
        for _ in 0..<66_000 { headers.append("X", "") }
        #expect(headers.count <= 65_535)
        headers["Y"] = "z"
        #expect(headers.problem != nil || headers["Y"] == "z")
    }

    @Test func `every registered name is there`() throws {
        let names: [(HeaderName, HTTPField.Name)] = [
            (.accept, .accept), (.contentType, .contentType), (.userAgent, .userAgent), (.eTag, .eTag),
            (.ifNoneMatch, .ifNoneMatch), (.xContentTypeOptions, .xContentTypeOptions),
        ]
        for (ours, theirs) in names { #expect(ours == HeaderName(theirs)) }
    }

    @Test func `BAD-INPUT 20: its texts withhold credentials`() {
        let headers: RequestHeaders = [.authorization: "s3cret", "X-Api-Key": "s3cret", .accept: "a"]
        #expect("\(headers)" == "Authorization: [redacted]\nX-Api-Key: [redacted]\nAccept: a")
        #expect(
            !String(reflecting: headers).contains("s3cret")
                && !"\(Mirror(reflecting: headers).children.map(\.value))".contains("s3cret"))
    }
}
