// HTTPArchiveTests: HAR files of browsers are read, ours follow HAR 1.2, and any other text is refused by place.

import Foundation
import Testing
import TsubameCore

@Suite struct HTTPArchiveTests {
    private static let archive = HTTPArchive(
        creator: HTTPArchive.Creator(name: "Tsubame", version: "1"),
        entries: [
            entry("2026-11-21T04:35:48.000Z", "https://b.example/"),
            entry("2026-11-21T04:35:47.250Z", "https://a.example/?x=1"),
        ])

    private static func entry(_ start: String, _ url: String) -> HTTPArchive.Entry {
        var timings = HTTPArchive.Timings()
        timings.connect = 3
        timings.ssl = 2
        timings.send = 0.5
        timings.wait = 4
        return HTTPArchive.Entry(
            startedDateTime: start,
            request: HTTPArchive.Request(
                method: "POST", url: url, httpVersion: "HTTP/2", headers: [HTTPArchive.Pair("Accept", "*/*")],
                queryString: [HTTPArchive.Pair("x", "1")],
                postData: HTTPArchive.PostData(mimeType: "image/png", text: "iVBO", encoding: "base64"), bodySize: 3),
            response: HTTPArchive.Response(
                status: 201, statusText: "Created", headers: [HTTPArchive.Pair("Set-Cookie", "a=b")],
                content: HTTPArchive.Content(size: 2, mimeType: "text/plain", text: "hi"), bodySize: 2),
            timings: timings, serverIPAddress: "192.0.2.1", connection: "1")
    }

    @Test func `an archive is the same after it was written and read, in the order of its entries' start`() throws {
        let read = try HTTPArchive(json: Self.archive.json())
        #expect(read.creator == Self.archive.creator)
        #expect(read.entries == Self.archive.entries.reversed())
    }

    @Test func `the time of an entry is the sum of its known phases, and connect includes ssl`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(try Self.archive.json())) as? [String: Any]
        let log = try #require(object?["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        let entry = try #require((log["entries"] as? [[String: Any]])?.first)
        #expect(entry["time"] as? Double == 7.5)
        #expect((entry["cache"] as? [String: Any])?.isEmpty == true)
        let timings = try #require(entry["timings"] as? [String: Double])
        #expect(timings["blocked"] == -1 && timings["dns"] == -1 && timings["ssl"] == 2)
        let post = try #require((entry["request"] as? [String: Any])?["postData"] as? [String: Any])
        #expect(post["_encoding"] as? String == "base64" && post["encoding"] == nil)
    }

    @Test func `what programs leave out is unknown, and a byte order mark is ignored`() throws {
        let text = """
            \u{FEFF}{"log": {"version": "1.2", "pages": [{}], "entries": [{
              "_initiator": {"type": "other"}, "startedDateTime": "2026-11-21T04:35:47+01:00", "time": null,
              "request": {"method": "GET", "url": "https://a.example/", "bodySize": null, "headersSize": 1e99},
              "response": {"status": 200.0, "content": {"size": 12}}}]}}
            """
        let entry = try #require(try HTTPArchive(json: text.utf8).entries.first)
        #expect(entry.request == HTTPArchive.Request(method: "GET", url: "https://a.example/"))
        #expect(entry.response == HTTPArchive.Response(status: 200, content: HTTPArchive.Content(size: 12)))
        #expect(entry.timings == HTTPArchive.Timings() && entry.serverIPAddress == nil)
    }

    @Test(arguments: [
        ("", "the text is no JSON"), ("{", "the text is no JSON"), ("[]", "another type"), ("{}", "has no “log”"),
        (#"{"log": {}}"#, "log has no “entries”"), (#"{"log": {"entries": [7]}}"#, "log.entries[0] has another type"),
        (
            #"{"log": {"entries": [{"request": {"method": "GET"}}]}}"#,
            "log.entries[0].request has no “url”"
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "/"}, "response": {"status": 1e30}}]}}"#,
            "log.entries[0].response.status has a bad value"
        ),
    ])
    func `BAD-INPUT: the error names the place of the fault`(_ text: String, _ words: String) {
        let error = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(json: text.utf8) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a text nested too deeply, or cut off anywhere, is refused`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: HTTPArchiveError.self) { try HTTPArchive(json: deep.utf8) }
        let whole = try Self.archive.json().dropLast()
        for end in whole.indices { #expect(throws: HTTPArchiveError.self) { try HTTPArchive(json: whole[..<end]) } }
    }
}
