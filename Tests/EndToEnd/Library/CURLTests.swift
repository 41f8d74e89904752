// CURLTests: the curl command line of a request, run by a shell: the server must receive the same request as from the
// client.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import Tsubame

@Suite(.timeLimit(.minutes(2))) struct CURLTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let request: @Sendable (String) -> Request
        var testDescription: String { name }
    }

    static let samples = [
        Sample(name: "GET") { Request(.get, url: "\($0)/anything", query: ["a": "b c", "d[]": "{e}"]) },
        Sample(name: "fields") {
            Request(
                .get, url: "\($0)/anything", headers: [.accept: "a/b; q='1'", .from: "$HOME `id` \"x\" \\", .via: ""])
        },
        Sample(name: "form") { Request(.post, url: "\($0)/anything", body: .form(["name": "a'b", "more": "@x&y"])) },
        Sample(name: "JSON") { Request(.put, url: "\($0)/anything", body: .json(["a": "it's\n\"so\"", "b": "é"])) },
        Sample(name: "bytes") { Request(.post, url: "\($0)/anything", body: .bytes([0, 1, 255, 10, 13, 39])) },
        Sample(name: "text that looks like a file") {
            Request(.patch, url: "\($0)/anything", body: .text("@/etc/passwd"))
        },
        Sample(name: "no content") { Request(.delete, url: "\($0)/anything") },
        Sample(name: "empty text") { Request(.post, url: "\($0)/anything", body: .text("")) },
        Sample(name: "dots and brackets in the path") {
            Request(.get, url: "\($0)/anything/%2e%2e/[x]", keepingDotSegments: true)
        },
        Sample(name: "a method of one's own") { Request(HTTPRequest.Method("PURGE") ?? .get, url: "\($0)/anything") },
    ]

    private static func shell(_ line: String) async throws -> Int32 {
        let arguments = ["-c", "\(line) --silent --output /dev/null --noproxy '*'"]
        let child = try ChildProcess("/bin/sh", arguments, streams: [nil, 1, 2])
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: child.collect()) }
        }
    }

    private static let hasCURL = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    @Test(.enabled(if: hasCURL, "there is no /usr/bin/curl"), arguments: samples)
    func `curl sends what was sent`(_ sample: Sample) async throws {
        try await withHTTPBin { url, log in
            let client = Client { $0.decoding = .off }
            let response = try await client.send(sample.request(url))
            await client.close()
            let line = response.request.curl(showingSecrets: true)
            let status = try await Self.shell(line)
            #expect(status == 0)
            let records = log.all
            try #require(records.count == 2)
            #expect(records[0].method == records[1].method)
            #expect(records[0].target == records[1].target)
            #expect(records[0].body == records[1].body)
            func fields(_ record: RequestRecord) -> [String] {
                record.fields.map { "\($0.name.lowercased()): \($0.value)" }.filter { !$0.hasPrefix("host:") }.sorted()
            }
            #expect(fields(records[0]) == fields(records[1]))
        }
    }

    @Test func `BAD-INPUT 20: secrets are withheld unless asked for`() {
        let request = Request(
            .post, url: "https://me:SECRET@a.example/x?token=SECRET&a=1",
            headers: [.authorization: "Bearer SECRET", .cookie: "a=SECRET"],
            body: .form(["password": "SECRET", "name": "me"]))
        #expect(!request.curl.contains("SECRET"), "\(request.curl)")
        #expect(request.curl.contains("name=me") && request.curl.contains("a=1"))
        #expect(request.curl(showingSecrets: true).components(separatedBy: "SECRET").count == 6)
        let named = Request(
            .post, url: "https://a.example/x", headers: [.contentType: "application/json"],
            body: .text(#"{"password":"SECRET"}"#))
        #expect(!named.curl.contains("SECRET"), "\(named.curl)")
        let json = Request(
            .post, url: "https://a.example/x",
            body: .text(
                #"{"a":"b","apiKey":"SECRET","n":[1],"token":42,"deep":{"password":{"x":"SECRET"}},"c":"\"d"}"#,
                contentType: "application/json"))
        #expect(!json.curl.contains("SECRET") && !json.curl.contains("42"), "\(json.curl)")
        #expect(json.curl.contains(#""a":"b""#) && json.curl.contains(#""c":"\"d""#), "\(json.curl)")
    }

    @Test func `bodies that are elsewhere are named`() {
        let file = Request(.post, url: "https://a.example/x", body: .file(URL(fileURLWithPath: "/tmp/it's.txt")))
        #expect(file.curl.contains(#"--data-binary '@/tmp/it'\''s.txt'"#), "\(file.curl)")
        let stream = Request(.post, url: "https://a.example/x", body: .stream(once: AsyncStream<Bytes> { $0.finish() }))
        #expect(stream.curl.contains("--data-binary @-"))
    }
}
#endif
