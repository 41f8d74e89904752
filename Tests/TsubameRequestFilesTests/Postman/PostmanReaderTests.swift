// PostmanReaderTests: collections of Postman, read and written.

import Testing

@testable import TsubameRequestFiles

@Suite struct PostmanReaderTests {
    private func read(_ items: String, auth: String? = nil) throws -> PostmanReader {
        let auth = auth.map { ", \"auth\": \($0)" } ?? ""
        let json = try JSONValue("{\"info\": {}, \"item\": [\(items)]\(auth)}")
        return try PostmanReader(json, path: "a.json")
    }

    @Test(arguments: ["", #", "auth": null"#, #", "auth": {"type": "inherit"}"#])
    func `a request takes the credentials of its collection`(own: String) throws {
        let bearer = #"{"type": "bearer", "bearer": [{"key": "token", "value": "t"}]}"#
        let item = #"{"name": "n", "request": {"url": "http://h/a"\#(own)}}"#
        for items in [item, #"{"name": "f", "item": [\#(item)]\#(own)}"#] {
            let entry = try #require(try read(items, auth: bearer).file.entries.first)
            #expect(entry.fields.map(\.value.source) == ["Bearer t"])
        }
    }

    @Test func `a request without credentials has none`() throws {
        let item = #"{"name": "n", "request": {"url": "http://h/a", "auth": {"type": "noauth"}}}"#
        let found = try read(item, auth: #"{"type": "basic", "basic": {"username": "u", "password": "p"}}"#)
        #expect(found.file.entries.first?.user == nil && found.file.entries.first?.fields.isEmpty == true)
    }

    @Test func `disabled parameters go, each once, and are named as a loss`() throws {
        let query =
            #"[{"key": "a", "value": "1", "disabled": true}, {"key": "a", "value": "1"}, {"key": "b", "value": "2", "disabled": true}]"#
        let url =
            #"{"raw": "http://h/:id/x?a=1&a=1&b=2#f", "query": \#(query), "variable": [{"key": "id", "value": "7"}]}"#
        let found = try read(#"{"name": "n", "request": {"url": \#(url)}}"#)
        #expect(found.file.entries.first?.url.source == "http://h/7/x?a=1#f")
        #expect(found.losses == ["the disabled fields and parameters of n"])
        let form = #"{"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "1", "disabled": true}]}"#
        let other = try read(#"{"name": "n", "request": {"url": "http://h", "method": "POST", "body": \#(form)}}"#)
        #expect(other.losses == ["the disabled fields and parameters of n"])
    }

    @Test(arguments: [#""{\"x\": 1}""#, #"{"x":1}"#]) func `variables of GraphQL may be text or JSON`(
        variables: String
    ) throws {
        let body = #"{"mode": "graphql", "graphql": {"query": "query", "variables": \#(variables)}}"#
        let found = try read(#"{"name": "n", "request": {"url": "http://h", "method": "POST", "body": \#(body)}}"#)
        guard case .text(let text, .graphQL)? = found.file.entries.first?.body else {
            Issue.record("no body of GraphQL")
            return
        }
        #expect(text.source.hasPrefix("query\nvariables {\"x\":"))
    }

    @Test func `parameters are written so that they stay what they are`() throws {
        var file = try HurlParser.parse("GET http://h/p\n[Query]\nq: a&b=c\nr: {{x}}\nHTTP *\n", path: "a.hurl")
        // The marks of a comment in Hurl begin a fragment in an http file.
        file.entries[0].url = TemplateText("http://h/p#f")
        let writer = PostmanWriter(file, name: "c")
        let url = writer.json["item"]?.elements?.first?["request"]?["url"]
        let pairs = url?["query"]?.elements?.map { "\($0["key"]?.text ?? "") \($0["value"]?.text ?? "")" }
        #expect(pairs == ["q a%26b%3Dc", "r {{x}}"])
        #expect(url?["raw"]?.text == "http://h/p?q=a%26b%3Dc&r={{x}}#f")
    }
}
