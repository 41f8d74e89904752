// ToolBenchTests: `tsubame bench`, its load, its figures and its ends.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolBenchTests {
    struct Report: Decodable {
        struct Failure: Decodable {
            let kind: String
            let count: Int
            let first: String
        }

        let http_version: String?
        let interrupted: Bool
        let requests: Int
        let body_bytes: Int
        let failed: Int
        let unfinished: Int
        let not_sent: Int
        let statuses: [String: Int]
        let errors: [Failure]
        let milliseconds: [String: [String: Double?]]

        /// The times that are known, in milliseconds.
        var times: [String: [String: Double]] { milliseconds.mapValues { $0.compactMapValues(\.self) } }

        init(_ run: ProductRun) throws {
            do {
                self = try JSONDecoder().decode(Report.self, from: Data(run.stdout.utf8))
            } catch {
                throw ProductError("no report: \(run)")
            }
        }
    }

    private func bench(_ arguments: String...) async throws -> Report {
        try Report(try await ToolProcess(["bench", "--report=json"] + arguments).finished())
    }

    @Test func `requests that are not sent after the first have failed are counted`() async throws {
        let run = try await ToolProcess(["bench", "--report=json", "-n", "50", "-c", "2", "http://127.0.0.1:1/"])
            .finished()
        let report = try Report(run)
        #expect(report.requests == 0 && report.failed == 2 && report.not_sent == 48, "\(run)")
    }

    // MARK: The load

    @Test func `so many requests go over so many connections`() async throws {
        try await ScriptedServer.start { _ in .ok("hello") }.use { server in
            let report = try await bench("-n", "60", "-c", "3", server.url + "/a")
            #expect(report.requests == 60 && report.statuses == ["200": 60] && report.failed == 0)
            #expect(report.body_bytes == 300 && report.http_version == "HTTP/1.1")
            // On a busy machine, a connection may be made too late for any request.
            #expect(server.requests.count == 60 && (1...3).contains(server.acceptedConnections))
            // The phases of the connections are counted once, those of the exchanges each time.
            let connections = try #require(report.times["connect"]?["count"])
            #expect((1...Double(server.acceptedConnections)).contains(connections) && report.times["TLS"] == nil)
            #expect(report.times["wait"]?["count"] == 60 && report.times["receive"]?["count"] == 60)
        }
    }

    @Test func `items, fields and files are sent with each request`() async throws {
        try await ScriptedServer.start { _ in .ok("") }.use { server in
            _ = try await bench("-n", "10", "-c", "2", "PUT", server.url, "a=b", "X-Load:yes", "q==1")
            #expect(server.requests.count == 10)
            for request in server.requests {
                #expect(request.method == "PUT" && request.path == "/" && request.query == "q=1", "\(request)")
                #expect(request.text == #"{"a": "b"}"# && request.headText.contains("X-Load: yes"))
            }
        }
    }

    @Test func `URLs of a file are sent in turn`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("") }.use { server in
                let file = folder.appending(path: "urls")
                let text = "# a load\n\(server.url)/a\n\nPOST \(server.url)/b\n  \(server.url)/c\r\n"
                try text.write(to: file, atomically: true, encoding: .utf8)
                let report = try await bench("-n", "6", "-c", "1", "--urls", file.path)
                #expect(report.requests == 6)
                #expect(
                    server.requests.map { "\($0.method) \($0.path)" }
                        == ["GET /a", "POST /b", "GET /c", "GET /a", "POST /b", "GET /c"])
                try "\u{FEFF}\(server.url)/bom\n".write(to: file, atomically: true, encoding: .utf8)
                _ = try await bench("-n", "1", "-c", "1", "--urls", file.path)
                #expect(server.requests.last?.path == "/bom")
                try "\(server.url)\nhttp://[bad\n".write(to: file, atomically: true, encoding: .utf8)
                let invalid = try await tool("bench", "-n", "1", "--urls", file.path)
                #expect(invalid.status == 64 && invalid.stderr.contains("urls:2: the URL has an unclosed ["))
                try "\(server.url)\nPOST\n".write(to: file, atomically: true, encoding: .utf8)
                let run = try await tool("bench", "-n", "1", "--urls", file.path)
                #expect(run.status == 64 && run.stderr.contains("urls:2: "), "\(run)")
                try "http://u:SECRET@localhost:1/x y\n".write(to: file, atomically: true, encoding: .utf8)
                let spaced = try await tool("bench", "-n", "1", "--urls", file.path)
                #expect(spaced.status == 64 && spaced.stderr.contains("urls:1: a space in a URL is written %20."))
                #expect(!spaced.stderr.contains("SECRET"), "\(spaced)")
            }
        }
    }

    @Test func `HTTP 2 has so many streams on so many connections`() async throws {
        let server = try await HTTPBin(tls: .make(), http2: true).start()
        let report = try await bench("-n", "40", "-c", "2", "-p", "5", "--verify=no", server.url + "/get")
        #expect(report.requests == 40 && report.http_version == "HTTP/2")
        #expect(report.times["TLS"]?["count"].map { (2...10).contains($0) } == true)
        await server.stop()
        // HTTP/1.1 has no streams.
        let plain = try await HTTPBin(http2: false).start()
        let run = try await tool("bench", "-n", "4", "-c", "1", "-p", "2", plain.url + "/get")
        #expect(run.status == 1 && run.stderr.contains("leave -p out"), "\(run)")
        let asked = try await tool("bench", "-n", "4", "-c", "1", "--http-version=2", plain.url + "/get")
        #expect(asked.status == 1 && asked.stderr.contains("leave --http-version 2 out"), "\(asked)")
        await plain.stop()
    }

    @Test func `long bodies are read to their end`() async throws {
        let reply = Reply.ok([UInt8](repeating: 7, count: 1 << 20))
        try await ScriptedServer.start { _ in reply }.use { server in
            let report = try await bench("-n", "12", "-c", "4", server.url)
            #expect(report.requests == 12 && report.failed == 0 && report.body_bytes == 12 << 20)
            #expect(server.requests.count == 12)
        }
    }

    @Test func `the warm-up is not counted`() async throws {
        try await ScriptedServer.start { _ in .ok("") }.use { server in
            let report = try await bench("-n", "5", "-c", "2", "--warm-up=2s", server.url)
            #expect(report.requests == 5 && server.requests.count > 5)
            #expect(report.times["connect"] == nil)
        }
    }

    @Test func `default options that are meant for a load apply, and no others`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .status(.found, headers: [.location: "/b"]) }.use { server in
                let port = try #require(server.url.split(separator: ":").last)
                let config = folder.appending(path: "tsubame")
                try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
                let lines = "--resolve bench.test:\(port):127.0.0.1\n--follow\n--max-connections 3\n--verbose\n"
                try lines.write(to: config.appending(path: "config"), atomically: true, encoding: .utf8)
                let run = try await ToolProcess(
                    ["bench", "--report=json", "-n", "4", "-c", "2", "http://bench.test:\(port)/a"],
                    environment: ["XDG_CONFIG_HOME": folder.path]
                ).finished()
                let report = try Report(run)
                #expect(report.statuses == ["302": 4] && run.stderr.isEmpty, "\(run)")
                #expect(server.requests.map(\.path) == ["/a", "/a", "/a", "/a"])
                // The first connection may do for all of them.
                #expect((1...2).contains(server.acceptedConnections))
            }
        }
    }

    // MARK: Latency

    /// One of 200 requests waits for a second. With a rate, the hundred requests that were due meanwhile show it, too.
    @Test func `a stall of the server is visible in the percentiles of a load with a rate`() async throws {
        try await ScriptedServer.start { request in
            request.path == "/stall"
                ? [.pause(for: .seconds(1)), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")] : .ok("")
        }.use { server in
            try await withFolder { folder in
                let file = folder.appending(path: "urls")
                let lines = (0..<200).map { "\(server.url)/\($0 == 20 ? "stall" : "\($0)")" }
                try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
                let report = try await bench("-n", "200", "-q", "100", "-c", "1", "--urls", file.path)
                #expect(report.requests == 200)
                let latency = try #require(report.times["latency"])
                let service = try #require(report.times["from sending"])
                #expect(try #require(latency["p75"]) > 150)
                #expect(try #require(latency["p75"]) > 2 * (try #require(service["p75"])))
                #expect(try #require(latency["max"]) >= 1000 && service["max"] ?? 0 >= 1000)
            }
        }
    }

    @Test func `a stall that lasts to the end is in the percentiles`() async throws {
        try await ScriptedServer.start { $0.index < 50 ? .ok("") : .stall }.use { server in
            let report = try await bench("-q", "100", "-z", "2s", "-c", "2", server.url)
            #expect(report.requests + report.unfinished + report.not_sent == 200, "\(report)")
            #expect(try #require(report.times["latency"]?["p90"]) > 800)
            #expect(report.times["latency"]?["count"] == 200)
        }
    }

    @Test func `requests that time out are in the percentiles of a load with a rate`() async throws {
        try await ScriptedServer.start { $0.index < 10 ? .ok("") : .stall }.use { server in
            let report = try await bench("-q", "20", "-z", "2s", "-c", "40", "--timeout=0.5", server.url)
            let timedOut = report.errors.first { $0.kind == "timeout" }?.count ?? 0
            #expect(timedOut > 0 && report.requests <= 10, "\(report)")
            let latency = try #require(report.times["latency"])
            #expect(latency["count"] == Double(report.requests + timedOut + report.unfinished + report.not_sent))
            #expect(try #require(latency["p75"]) >= 400, "\(report)")
        }
    }

    @Test func `more connections than open files are refused`() async throws {
        let path = try BuiltProducts.url(of: "tsubame").path
        let run = try await RunningProduct(
            "/bin/sh", ["-c", "ulimit -n 60; exec \(path) bench -c 64 http://127.0.0.1:1/"]
        ).finished()
        #expect(run.status == 64 && run.stderr.contains("ulimit -n"), "\(run)")
    }

    // MARK: Credentials

    @Test func `a report shows no password, and no host gets that of another`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("") }.use { server in
                let address = try #require(server.url.split(separator: "/").last)
                let run = try await tool("bench", "-n", "1", "-c", "1", "http://me:hidden@\(address)/?token=hidden")
                #expect(run.status == 0 && !run.stdout.contains("hidden"), "\(run)")
                #expect(server.requests.last?["Authorization"]?.hasPrefix("Basic ") == true)
                let file = folder.appending(path: "urls")
                let text = "http://a:1@\(address)/\nhttp://b:2@\(address.replacing("127.0.0.1", with: "localhost"))/\n"
                try text.write(to: file, atomically: true, encoding: .utf8)
                let refused = try await tool("bench", "-A", "basic", "-n", "2", "--urls", file.path)
                #expect(refused.status == 64 && refused.stderr.contains("different credentials"), "\(refused)")
                #expect(server.requests.count == 1)
            }
        }
    }

    // MARK: Failures and ends

    /// Each failure is followed by a pause of 10 ms, which no latency contains.
    @Test func `the pause after a failure counts for no latency`() async throws {
        try await ScriptedServer.start { $0.index % 2 == 0 ? .ok("") : [.bytes("nonsense\r\n\r\n"), .close] }.use {
            server in
            let report = try await bench("-n", "40", "-c", "1", "POST", server.url)
            let (latency, wait) = (
                try #require(report.times["latency"]?["p50"]), try #require(report.times["wait"]?["p50"])
            )
            #expect(report.failed == 20 && latency < wait + 9, "\(report.times)")
        }
    }

    @Test func `every due request is answered, failed, unfinished or not sent`() async throws {
        try await ScriptedServer.start { $0.index % 3 == 0 ? .ok("") : [.bytes("nonsense\r\n\r\n"), .close] }.use {
            server in
            let report = try await bench("-q", "500", "-z", "1s", "-c", "4", "POST", server.url)
            #expect(report.requests + report.failed + report.unfinished + report.not_sent == 500, "\(report)")
        }
    }

    @Test func `failures are counted by kind, and statuses by code`() async throws {
        let replies: [Reply] = [.ok("a"), .status(.serviceUnavailable), .close, [.bytes("nonsense\r\n\r\n"), .close]]
        try await ScriptedServer.start(replies: replies).use { server in
            // A GET would be sent again after the lost connection.
            let report = try await bench("-n", "4", "-c", "1", "POST", server.url)
            #expect(report.requests == 2 && report.statuses == ["200": 1, "503": 1] && report.failed == 2)
            #expect(Set(report.errors.map(\.kind)) == ["emptyReply", "invalidResponse"])
            #expect(report.errors.allSatisfy { $0.count == 1 && $0.first.contains("POST http") })
        }
    }

    @Test func `a server that is not there ends the load at once`() async throws {
        let port = try DeadPort()
        defer { withExtendedLifetime(port) {} }
        let run = try await tool("bench", "-z", "100h", "-c", "5", port.url)
        #expect(run.status == 1 && run.stdout.isEmpty && run.stderr.contains("refused"), "\(run)")
        // A program that reads the report gets one.
        let forPrograms = try await tool("bench", "-z", "100h", "-c", "5", "--report=json", port.url)
        #expect(forPrograms.status == 1 && forPrograms.stderr.contains("refused"), "\(forPrograms)")
        #expect(try Report(forPrograms).failed >= 5)
    }

    @Test func `a server that never answers does not hold the load`() async throws {
        try await ScriptedServer.start { _ in .stall }.use { server in
            let run = try await tool("bench", "--report=json", "-z", "1s", "-c", "3", server.url)
            let report = try Report(run)
            #expect(run.status == 1 && report.requests == 0 && (1...3).contains(report.unfinished))
            let late = try await tool("bench", "-z", "1200ms", "-q", "50", "-c", "1", server.url)
            #expect(
                late.stdout.contains("had no answer") && late.stdout.contains("no connection was free in time for "),
                "\(late)")
            let warmUp = try await tool("bench", "--warm-up=1s", "-z", "200ms", "-c", "2", server.url)
            #expect(
                warmUp.status == 1 && warmUp.stdout.contains("in the warm-up, 2 requests had no answer"), "\(warmUp)")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `an interrupted load reports`(signal: Int32) async throws {
        try await ScriptedServer.start { _ in .ok("") }.use { server in
            let run = try ToolProcess(["bench", "--report=json", "-z", "100h", "-c", "2", server.url])
            while server.requests.count < 10 { try Task.checkCancellation(); await Task.yield() }
            run.send(signal: signal)
            let ended = try await run.finished()
            let report = try Report(ended)
            #expect(ended.status == 0 && report.interrupted && report.requests >= 8)
        }
    }

    @Test func `a load goes on after a broken first exchange, and after a URL without a server`() async throws {
        try await ScriptedServer.start { $0.index == 0 ? .close : .ok("") }.use { server in
            let broken = try Report(try await tool("bench", "--report=json", "-n", "10", "-c", "1", server.url))
            #expect(broken.requests == 9 && broken.failed == 1)
        }
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("") }.use { server in
                let urls = folder.appending(path: "urls")
                try Data("http://127.0.0.1:1/\n\(server.url)\n".utf8).write(to: urls)
                let half = try Report(
                    try await tool("bench", "--report=json", "-n", "10", "-c", "1", "--urls", urls.path))
                #expect(half.requests == 5 && half.failed == 5)
            }
        }
    }

    @Test func `a load that is interrupted in its warm-up measures nothing`() async throws {
        try await ScriptedServer.start { _ in .ok("") }.use { server in
            let run = try ToolProcess(["bench", "-z", "100h", "--warm-up=100h", "-c", "2", server.url])
            while server.requests.count < 10 { try Task.checkCancellation(); await Task.yield() }
            run.send(signal: SIGINT)
            let ended = try await run.finished()
            #expect(ended.status == 130 && ended.stderr.contains("before it had an answer to measure"), "\(ended)")
        }
    }

    // MARK: Reports

    @Test func `the text has rate, statuses, percentiles and a chart`() async throws {
        try await ScriptedServer.start { _ in .ok("hello") }.use { server in
            let run = try await tool("bench", "-n", "50", "-c", "2", server.url + "/x")
            #expect(run.status == 0 && run.stderr.isEmpty)
            let lines = run.stdout.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            #expect(lines[0] == "GET \(server.url)/x" && lines[1].hasPrefix("2 connections, HTTP/1.1, "))
            #expect(run.stdout.contains("\nRequests    50 (") && run.stdout.contains("\nStatuses    200: 50\n"))
            #expect(run.stdout.contains("p99.9") && run.stdout.contains("\n  <= "), "\(run)")
        }
    }

    @Test func `a table for programs has a line for each phase`() async throws {
        try await ScriptedServer.start { _ in .ok("hello") }.use { server in
            let run = try await tool("bench", "-n", "50", "-c", "2", "--report=csv", server.url)
            let lines = run.stdout.components(separatedBy: "\r\n").dropLast()
                .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            #expect(lines[0].joined(separator: ",") == "phase,count,min,mean,p50,p75,p90,p95,p99,p99.9,p99.99,max")
            #expect(lines.allSatisfy { $0.count == 12 } && lines.dropFirst().contains { $0[0] == "latency" })
            #expect(
                lines.suffix(3).map { $0.prefix(2) } == [["failed", "0"], ["unfinished", "0"], ["not sent", "0"]])
            let counts = Dictionary(lines.map { ($0[0], $0[1]) }) { first, _ in first }
            #expect(counts["status 200"] == "50" && Double(counts["requests a second"] ?? "") ?? 0 > 0)
            for line in lines.dropFirst().dropLast(5) {
                let times = try line.dropFirst(2).map { try #require(Double($0)) }
                #expect(times.allSatisfy { $0 >= 0 } && times[0] <= times[2] && times[2] <= times[9], "\(line)")
            }
        }
    }

    @Test func `a terminal shows how the load goes, and then the report`() async throws {
        try await ScriptedServer.start { _ in .ok("hello") }.use { server in
            let run = try await ToolProcess(
                ["bench", "-z", "1500ms", "-c", "1", "-q", "200", server.url], output: .wholeTerminal,
                environment: ["TERM": "xterm", "LC_ALL": "C.UTF-8"]
            ).finished()
            #expect(run.stdout.contains("latency") && run.stdout.contains("\u{1B}[J"), "\(run)")
            let last = try #require(run.stdout.components(separatedBy: "\u{1B}[J").last)
            #expect(last.contains("Requests") && last.contains("█"), "\(run)")
        }
    }

    @Test(arguments: [
        (["-c", "0"], "above 0"), (["-c", "20000"], "10000"), (["-z", "5x"], "500ms"), (["-z", "0"], "500ms"),
        (["-q", "0"], "requests a second"), (["-p", "2000"], "1000"), (["-n", "x"], "above 0"),
        (["--urls", "/nonexistent/x"], "cannot be read"), (["--offline"], "no option --offline"),
        (["-q", "1e-11"], "from 0.001"), (["-z", "1e-20s"], "from 1ms"),
        (["--max-connections", "3"], "no option"), (["-c", "5000", "-p", "100"], "at once"),
        (["-p", "2", "--http-version=1.1"], "HTTP/2"), (["--follow"], "no option"),
        (["--var", "a=1"], "for --requests-of"),
    ]) func `wrong options are named`(options: [String], text: String) async throws {
        let run = try await ToolProcess(["bench"] + options + ["http://127.0.0.1:1/"]).finished()
        #expect(run.status == (options[0] == "--urls" ? 1 : 64) && run.stderr.contains(text), "\(run)")
        #expect(run.stdout.isEmpty)
    }

    @Test func `a URL beside a file of URLs is one too many, and unsent data is named`() async throws {
        try await ScriptedServer.start { _ in .ok("hello") }.use { server in
            try await withFolder { folder in
                let file = folder.appending(path: "urls")
                try Data("\(server.url)\n".utf8).write(to: file)
                let run = try await tool("bench", "-n", "1", "--urls", file.path, server.url)
                #expect(run.status == 64 && run.stderr.contains("one too many"), "\(run)")
                let item = try await tool("bench", "-n", "1", "-c", "1", "--urls", file.path, "to==https://a.example")
                #expect(item.status == 0, "\(item)")
                let unsent = try await ToolProcess(
                    ["bench", "-n", "1", "-c", "1", server.url], input: .pipe(Array("data".utf8))
                ).finished()
                #expect(unsent.status == 0 && unsent.stderr.contains("the data on the standard input was not sent"))
            }
        }
    }

    @Test func `a body that can be read once is refused`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try "x".write(to: file, atomically: true, encoding: .utf8)
            let run = try await ToolProcess(
                ["bench", "--raw=@-", "http://127.0.0.1:1/"], input: .file(file)
            ).finished()
            #expect(run.status == 64 && run.stderr.contains("--raw @FILE"), "\(run)")
        }
    }
}
#endif
