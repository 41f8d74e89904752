// ToolHTTP2Tests: the tool over HTTP/2.
#if Server
import Foundation
import HTTPBin
import Synchronization
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolHTTP2Tests {
    /// Runs `body` with a server that speaks HTTP/2 and HTTP/1.1, and a list of the requests that it has received.
    private func serving(
        hasTLS: Bool = false, http2: Bool = true, _ body: (RunningHTTPBin, RequestLog) async throws -> Void
    ) async throws {
        let log = RequestLog()
        let server = try await HTTPBin(tls: hasTLS ? .make() : nil, http2: http2, onRequest: { log.add($0) }).start()
        do {
            try await body(server, log)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test func overTLSItIsWhatTheServerChooses() async throws {
        try await serving(hasTLS: true) { server, log in
            let url = server.url + "/status/404"
            for (version, line) in [
                (nil, "HTTP/2 404 \r\n"), ("2", "HTTP/2 404 \r\n"), ("1.1", "HTTP/1.1 404 Not Found\r\n"),
            ] {
                let options = version.map { ["--http-version", $0] } ?? []
                let run = try await ToolProcess(["--verify", "no", "--print=h", "--pretty=none"] + options + [url])
                    .finished()
                #expect(run.status == 4 && run.stdout.hasPrefix(line), "\(run)")
            }
            #expect(log.all.map(\.version) == ["HTTP/2", "HTTP/2", "HTTP/1.1"])
        }
    }

    @Test func withoutTLSItIsSpokenToServersThatAreKnownToUnderstandIt() async throws {
        try await serving { server, log in
            let known = try await tool("--http-version=2-prior-knowledge", "--print=b", server.url + "/get")
            #expect(known.status == 0, "\(known)")
            let unknown = try await tool("--http-version=2", "--print=b", server.url + "/get")
            #expect(unknown.status == 0, "\(unknown)")
            #expect(log.all.map(\.version) == ["HTTP/2", "HTTP/1.1"])
        }
        try await serving(http2: false) { server, _ in
            let run = try await tool("--http-version=2-prior-knowledge", server.url + "/get")
            #expect(run.status == 1 && run.stderr.contains("HTTP/1"), "\(run)")
        }
        try await serving(hasTLS: true, http2: false) { server, _ in
            let run = try await tool("--verify=no", "--http-version=2-prior-knowledge", server.url + "/get")
            #expect(run.status == 1 && run.stderr.contains("--http-version"), "\(run)")
            #expect(!run.stderr.contains("connection.httpVersion"))
        }
    }

    @Test func `a request in HTTP 1_0, and one to the server as a whole`() async throws {
        try await ScriptedServer.start { .ok($0.text) }.use { server in
            let old = try await tool("--http-version=1.0", "-v", server.url + "/a", "b=1")
            #expect(old.status == 0 && old.stdout.hasPrefix("POST /a HTTP/1.0\r\nHost: "), "\(old)")
            let offline = try await tool("--offline", "--http-version=1.0", server.url)
            #expect(offline.stdout.hasPrefix("GET / HTTP/1.0\r\n"), "\(offline)")
            let whole = try await tool("--request-target=*", "--print=H", "OPTIONS", server.url + "/a")
            #expect(whole.status == 0 && whole.stdout.hasPrefix("OPTIONS * HTTP/1.1\r\n"), "\(whole)")
            #expect(server.requests.map(\.target) == ["/a", "*"])
            #expect(server.requests[0].headText.hasPrefix("POST /a HTTP/1.0\r\n"))
        }
    }

    @Test func `a kept answer is printed in the version in which it came`() async throws {
        try await withFolder { folder in
            try await serving { server, log in
                for _ in 0..<2 {
                    let run = try await ToolProcess(
                        ["--http-version=2-prior-knowledge", "--cache", "--print=h", server.url + "/cache/600"],
                        environment: ["XDG_CACHE_HOME": folder.path]
                    ).finished()
                    #expect(run.status == 0 && run.stdout.hasPrefix("HTTP/2 200"), "\(run)")
                }
                #expect(log.all.count == 1)
            }
        }
    }

    @Test(arguments: ["3", "0.9", "h2", ""]) func otherVersionsAreRefused(version: String) async throws {
        let run = try await tool("--http-version", version, "http://localhost:1/")
        #expect(run.status == 64 && run.stderr.contains("1.1"), "\(run)")
    }

    @Test func headsAreWrittenAsTheyAreSentAndAsTheyCome() async throws {
        try await serving { server, log in
            let run = try await tool(
                "--http-version=2-prior-knowledge", "--print=HBhb", "--pretty=none", "--form", server.url + "/anything",
                "X-Two:2", "a=b")
            let parts = run.stdout.components(separatedBy: "\r\n\r\n")
            let authority = server.url.dropFirst("http://".count)
            #expect(parts.first?.hasPrefix("POST /anything HTTP/2\r\nhost: \(authority)\r\n") == true, "\(run)")
            #expect(
                parts.first?.contains("\r\nx-two: 2") == true && parts.first?.contains("\r\ncontent-length: 3") == true)
            #expect(run.stdout.contains("HTTP/2 200 \r\n"))
            #expect(run.stdout.contains("\r\ncontent-type: application/json\r\n"))
            #expect(log.all.first?.fields.contains { $0.name.lowercased() == "connection" } == false)
        }
    }

    @Test func whatIsNotSentIsShownAsItWouldBe() async throws {
        let run = try await tool("--offline", "--http-version=2-prior-knowledge", "http://a.test/x", "X-Two:2")
        #expect(run.stdout.hasPrefix("GET /x HTTP/2\r\nhost: a.test\r\n") && run.stdout.contains("x-two: 2"), "\(run)")
    }

    @Test func bodiesGoBothWaysWhole() async throws {
        try await withFolder { folder in
            try await serving { server, log in
                let sent = folder.appending(path: "sent")
                try Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: sent)
                let up = try await tool(
                    "--http-version=2-prior-knowledge", "--print=h", "PUT", server.url + "/put", "@\(sent.path)")
                #expect(up.status == 0, "\(up)")
                #expect(log.all.first?.bodyByteCount == 3_000_000)
                let down = folder.appending(path: "down")
                let run = try await tool(
                    "--http-version=2-prior-knowledge", "-d", "-o", down.path, server.url + "/range/100000")
                #expect(run.status == 0, "\(run)")
                let direct = try await tool("--print=b", server.url + "/range/100000")
                #expect(try Data(contentsOf: down) == Data(direct.stdout.utf8))
            }
        }
    }

    @Test func figuresNameTheVersion() async throws {
        try await serving { server, _ in
            let run = try await tool("--http-version=2-prior-knowledge", "--print=mt", server.url + "/get")
            #expect(run.stdout.contains("HTTP/2"), "\(run)")
        }
    }

    /// The result must not depend on whether head and reset arrive in one read or in two.
    @Test func anAnswerThatHasBegunIsNotAskedForAgain() async throws {
        try await serving { server, log in
            for round in 1...5 {
                let run = try await tool(
                    "--http-version=2-prior-knowledge", "--retry=2", "--print=b",
                    server.url + "/truncate/0?announce=200")
                #expect(run.status == 1 && run.stderr.contains("reset the stream"), "\(run)")
                #expect(log.all.count == round)
            }
        }
    }

    @Test func whatIsCutOffIsNoSuccess() async throws {
        try await serving { server, _ in
            let run = try await tool("--http-version=2-prior-knowledge", "--print=b", server.url + "/truncate/100")
            #expect(run.status == 1 && run.stderr.contains("reset the stream"), "\(run)")
        }
    }
}
#endif
