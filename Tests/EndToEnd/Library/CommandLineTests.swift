// CommandLineTests: the command lines of a request for curl and for the tool, run by a shell. The server must receive the
// same request as from the client.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import Tsubame

@Suite(.timeLimit(.minutes(2))) struct CommandLineTests {
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
        Sample(name: "text with a backslash and an @") {
            Request(.patch, url: "\($0)/anything", body: .text("\\@x\\:y"))
        },
        Sample(name: "values that look like items") {
            Request(
                .get, url: "\($0)/anything",
                headers: ["X-A": "=1", "X-B": "@x", "X-C": "a:=b==c@d;e", "X-D": ":=@", "X-E": "C:\\x"])
        },
        Sample(name: "secrets") {
            Request(
                .get, url: "\($0)/anything?token=a%20b", headers: [.authorization: "Bearer x", .cookie: "a=1; b=2"])
        },
        Sample(name: "fields of one name") {
            Request(
                .get, url: "\($0)/anything", headers: [.acceptLanguage: "de", "X-A": "1, 2", "x-a": "3", "X-A": "é"])
        },
        Sample(name: "fields of one name, and a body") {
            Request(.post, url: "\($0)/anything", headers: ["X-A": "1", "X-A": "2"], body: .form(["a": "b"]))
        },
        Sample(name: "a method of one's own") { Request(HTTPRequest.Method("PURGE") ?? .get, url: "\($0)/anything") },
    ]

    private static func shell(_ line: String) async throws -> Int32 {
        let tool = try BuiltProducts.url(of: "tsubame").deletingLastPathComponent().path
        let environment = ["PATH": "\(tool):/usr/bin:/bin", "XDG_CONFIG_HOME": "/nonexistent"]
        let child = try ChildProcess(
            "/bin/sh", ["-c", "\(line) > /dev/null"], streams: [nil, 1, 2], environment: environment)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: child.collect()) }
        }
    }

    /// Sends a request by the client and then by the command line, and compares them on the server.
    private func compare(_ sample: Sample, _ line: (Request) -> String) async throws {
        try await withHTTPBin { url, log in
            let client = Client { $0.decoding = .off }
            let response = try await client.send(sample.request(url))
            await client.close()
            let line = line(response.request)
            let status = try await Self.shell(line)
            #expect(status == 0, "\(line)")
            let records = log.all
            try #require(records.count == 2, "\(line)")
            #expect(records[0].method == records[1].method)
            #expect(records[0].target == records[1].target)
            #expect(records[0].body == records[1].body, "\(line)")
            // The order of fields counts only if they have one name.
            func fields(_ record: RequestRecord) -> [String: [String]] {
                Dictionary(grouping: record.fields.filter { $0.name.lowercased() != "host" }) { $0.name.lowercased() }
                    .mapValues { $0.map(\.value) }
            }
            #expect(fields(records[0]) == fields(records[1]), "\(line)")
        }
    }

    private static let hasCURL = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    @Test(.enabled(if: hasCURL, "there is no /usr/bin/curl"), arguments: samples)
    func `curl sends what was sent`(_ sample: Sample) async throws {
        try await compare(sample) { $0.curl(showingSecrets: true) + " --silent --noproxy '*'" }
    }

    @Test(arguments: samples)
    func `the tool sends what was sent`(_ sample: Sample) async throws {
        // The client that sends the sample has its decoding off.
        try await compare(sample) { $0.tsubame(showingSecrets: true) + " Accept-Encoding:" }
    }

    /// The package `requests` decodes `%2e` in a path, so that sample is left out.
    @Test(arguments: samples.filter { $0.name != "dots and brackets in the path" })
    func `Python sends what was sent`(_ sample: Sample) async throws {
        try await withFolder { folder in
            let program = folder.appending(path: "program.py")
            try await compare(sample) { request in
                FileManager.default.createFile(atPath: program.path, contents: Data(request.pythonProgram().utf8))
                return "no_proxy='*' python3 '\(program.path)'"
            }
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

    @Test func `the other lines withhold the same secrets`() {
        let request = Request(
            .post, url: "https://me:SECRET@a.example/x?token=SECRET&a=1",
            headers: [.authorization: "Bearer SECRET", .cookie: "a=SECRET"],
            body: .form(["password": "SECRET", "name": "me"]))
        for (hidden, shown) in [
            (request.tsubame, request.tsubame(showingSecrets: true)),
            (request.swift, request.swift(showingSecrets: true)),
        ] {
            #expect(!hidden.contains("SECRET") && hidden.contains("name=me"), "\(hidden)")
            #expect(shown.components(separatedBy: "SECRET").count == 6, "\(shown)")
        }
    }

    @Test func `bodies that are elsewhere are named`() {
        let file = Request(.post, url: "https://a.example/x", body: .file(URL(fileURLWithPath: "/tmp/it's.txt")))
        #expect(file.curl.contains(#"--data-binary '@/tmp/it'\''s.txt'"#), "\(file.curl)")
        let stream = Request(.post, url: "https://a.example/x", body: .stream(once: AsyncStream<Bytes> { $0.finish() }))
        #expect(stream.curl.contains("--data-binary @-"))
        #expect(
            file.tsubame
                == #"tsubame --path-as-is --raw '@/tmp/it'\''s.txt' POST 'https://a.example/x' 'Content-Type:'"#)
        #expect(stream.tsubame == "tsubame --path-as-is --raw @- POST 'https://a.example/x' 'Content-Type:'")
        #expect(file.swift == #"Request(.post, url: "https://a.example/x", body: .file("/tmp/it's.txt"))"#)
        #expect(stream.swift == #"Request(.post, url: "https://a.example/x", body: .stream(once: stream))"#)
    }

    /// Each request, and the source of it, which this file compiles too.
    private static let sources: [(Request, String)] = [
        (Request(.get, url: "https://a.example/x?a=1"), #"Request(.get, url: "https://a.example/x?a=1")"#),
        (
            Request(
                .post, url: "https://a.example/", headers: ["X-A": "\"b\" \\(c)"],
                body: .bytes(Bytes("a\nb\u{7}"), contentType: "text/plain")),
            #"Request(.post, url: "https://a.example/", headers: ["X-A": "\"b\" \\(c)"], body: .bytes(Bytes("a\nb\u{7}"), contentType: "text/plain"))"#
        ),
        (
            Request(
                HTTPRequest.Method("PURGE") ?? .get, url: "https://a.example/../x", keepingDotSegments: true,
                body: .data(Data(base64Encoded: "AP8=") ?? Data())),
            #"Request(HTTPRequest.Method("PURGE")!, url: "https://a.example/../x", keepingDotSegments: true, body: .data(Data(base64Encoded: "AP8=") ?? Data()))"#
        ),
    ]

    @Test(arguments: sources)
    func `the Swift source makes the request again`(_ request: Request, _ source: String) {
        #expect(request.swift == source)
    }
}
#endif
