// ToolResumeTests: `tsubame -d -c` resumes the download of an earlier run, however that run ended.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolResumeTests {
    private static let content = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// Sends the requested range up to `count` bytes; then the connection stalls.
    private static func answer(_ request: ReceivedRequest, sending count: Int, then gate: Gate?) -> Reply {
        var (start, status): (Int, HTTPResponse.Status) = (0, .ok)
        var fields: HTTPFields = [.eTag: "\"one\"", .acceptRanges: "bytes"]
        if let range = request["range"], request["if-range"] == "\"one\"" {
            start = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
            status = .partialContent
            fields[.contentRange] = "bytes \(start)-\(content.count - 1)/\(content.count)"
        }
        let body = content[start...]
        fields[.contentLength] = "\(body.count)"
        let head = Reply.Step.bytes(Reply.head(status, fields))
        guard count < body.count else { return [head, .content(Array(body))] }
        return [head, .content(Array(body.prefix(count))), gate.map { .wait(for: $0) } ?? .close]
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: [[], ["-o", "mine.bin"]])
    func `what broke off is gone on with, and told`(options: [String]) async throws {
        let name = options.last ?? "big.bin"
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                Self.answer(request, sending: request.index == 0 ? 150_000 : .max, then: nil)
            }
            try await server.use { server in
                let arguments = ["-d", "-c", server.url + "/big.bin"] + options
                let first = try await ToolProcess(arguments, directory: folder).finished()
                #expect(first.status == 1 && first.stdout.isEmpty, "\(first)")
                #expect(
                    first.stderr.contains("150000 bytes are kept in .\(name).tsubame-part: the same command"),
                    "\(first)")
                #expect(try names(folder) == [".\(name).tsubame-info", ".\(name).tsubame-part"])
                let second = try await ToolProcess(arguments, directory: folder).finished()
                #expect(second.status == 0 && second.stdout == name + "\n", "\(second)")
                #expect(server.requests[1]["range"] == "bytes=150000-")
                #expect(server.requests.allSatisfy { $0["accept-encoding"] == "identity" })
                #expect(try Data(contentsOf: folder.appending(path: name)) == Data(Self.content))
                #expect(try names(folder) == [name])
            }
        }
    }

    @Test func `with retries it goes on at once, and the bar shows what was there`() async throws {
        let gate = Gate()
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                switch request.index {
                case 0: Self.answer(request, sending: 200_000, then: nil)
                case 1: Self.answer(request, sending: 100_000, then: nil)
                default: Reply([.wait(for: gate)] + Self.answer(request, sending: .max, then: nil).steps)
                }
            }
            try await server.use { server in
                _ = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder).finished()
                let tool = try ToolProcess(
                    ["-d", "-c", "--retry=3", server.url + "/big.bin"], output: .wholeTerminal,
                    environment: ["TERM": "xterm", "NO_COLOR": "1"], directory: folder)
                // The bar may reach 75 % before the connection is lost. The message draws it again.
                _ = try await tool.printed("retry 1 of 3")
                _ = try await tool.printed("75%")
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 0 && run.stdout.contains("195.3 KiB of it were there"), "\(run)")
                #expect(run.stdout.contains("++++"), "\(run)")
                #expect(try Data(contentsOf: folder.appending(path: "big.bin")) == Data(Self.content))
            }
        }
    }

    @Test(arguments: [SIGKILL, SIGINT, SIGTERM])
    func `a run that is killed loses nothing of what had come`(signal: Int32) async throws {
        try await withFolder { folder in
            let stuck = Gate()
            // Each of five runs gets a piece and is killed; the sixth gets the rest.
            let server = try await ScriptedServer.start { request in
                Self.answer(request, sending: request.index < 5 ? 60_001 : .max, then: stuck)
            }
            let part = folder.appending(path: ".big.bin.tsubame-part")
            try await server.use { server in
                for run in 1...5 {
                    let tool = try ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder)
                    try await stuck.waitForArrivals(run)
                    while ((try? Data(contentsOf: part)) ?? Data()).count < 60_001 * run {
                        try Task.checkCancellation(); await Task.yield()
                    }
                    tool.send(signal: signal)
                    #expect(try await tool.finished().status == 128 + signal)
                    #expect(try Data(contentsOf: part) == Data(Self.content.prefix(60_001 * run)))
                    #expect(try names(folder) == [".big.bin.tsubame-info", ".big.bin.tsubame-part"])
                }
                let last = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder).finished()
                #expect(last.status == 0, "\(last)")
                #expect(server.requests.last?["range"] == "bytes=300005-")
                #expect(try Data(contentsOf: folder.appending(path: "big.bin")) == Data(Self.content))
                #expect(try names(folder) == ["big.bin"])
            }
        }
    }

    @Test func `bytes that cannot be continued stay until the whole file begins to come`() async throws {
        try await withFolder { folder in
            let stuck = Gate()
            let server = try await ScriptedServer.start { request in
                switch request.index {
                case 0: Self.answer(request, sending: 60_001, then: stuck)
                case 1: .status(.rangeNotSatisfiable)
                case 2: .status(.serviceUnavailable)
                default: Self.answer(request, sending: .max, then: nil)
                }
            }
            let part = folder.appending(path: ".big.bin.tsubame-part")
            try await server.use { server in
                let first = try ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder)
                try await stuck.waitForArrivals(1)
                while ((try? Data(contentsOf: part)) ?? Data()).count < 60_001 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                first.send(signal: SIGINT)
                _ = try await first.finished()
                let second = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder).finished()
                #expect(second.status == 5, "\(second)")
                #expect(server.requests.map { $0["range"] } == [nil, "bytes=60001-", nil])
                #expect(try Data(contentsOf: part) == Data(Self.content.prefix(60_001)))
                let third = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder).finished()
                #expect(third.status == 0 && server.requests.last?["range"] == "bytes=60001-", "\(third)")
                #expect(try Data(contentsOf: folder.appending(path: "big.bin")) == Data(Self.content))
            }
        }
    }

    @Test func `BAD-INPUT 42: what has no room is told with what is missing, and what came is kept`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { Self.answer($0, sending: .max, then: nil) }.use { server in
                let errors = folder.appending(path: "errors").path
                let inner = folder.appending(path: "inner")
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
                let script = "ulimit -f 200; exec \"$0\" -d -c \(server.url)/big.bin 2> \(errors)"
                let tool = try BuiltProducts.url(of: "tsubame").path
                let child = try ChildProcess(
                    "/bin/sh", ["-c", script, tool], streams: [nil, nil, nil], directory: inner.path)
                let status = await withCheckedContinuation { continuation in
                    Thread.detachNewThread { continuation.resume(returning: child.collect()) }
                }
                let said = try String(contentsOfFile: errors, encoding: .utf8)
                #expect(status == 1 && said.contains("bytes are missing") && said.contains("are kept"), "\(said)")
                #expect(try names(inner) == [".big.bin.tsubame-info", ".big.bin.tsubame-part"])
                let second = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: inner).finished()
                #expect(second.status == 0, "\(second)")
                #expect(server.requests.last?["range"]?.hasPrefix("bytes=") == true)
                #expect(try Data(contentsOf: inner.appending(path: "big.bin")) == Data(Self.content))
            }
        }
    }

    @Test func `a digest decides, and several connections bring the same`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("hello") }.use { server in
                let right = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
                let run = try await ToolProcess(
                    ["-d", "--digest", right, "--connections=4", server.url + "/a"], directory: folder
                ).finished()
                #expect(run.status == 0 && run.stdout == "a\n", "\(run)")
                let wrong = try await ToolProcess(
                    ["-d", "--digest", "sha256:" + String(repeating: "0", count: 64), server.url + "/b"],
                    directory: folder
                ).finished()
                #expect(wrong.status == 1 && wrong.stderr.contains("the downloaded file was removed"), "\(wrong)")
                #expect(try names(folder) == ["a"])
            }
        }
    }

    @Test func `-v and -t show every part of a download over several connections`() async throws {
        let big = [UInt8](repeating: 0x61, count: 9 << 20)
        try await withFolder { folder in
            try await ScriptedServer.start { request in
                let fields: HTTPFields = [.eTag: "\"1\"", .acceptRanges: "bytes"]
                guard let range = request["range"] else { return .ok(big, headers: fields) }
                let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                let end = ends.count > 1 ? ends[1] : big.count - 1
                var part = fields
                part[.contentRange] = "bytes \(ends[0])-\(end)/\(big.count)"
                part[.contentLength] = "\(end - ends[0] + 1)"
                return [.bytes(Reply.head(.partialContent, part)), .content(Array(big[ends[0]...end]))]
            }.use { server in
                let run = try await ToolProcess(
                    ["-d", "-vv", "--timings", "--connections=2", server.url + "/a"], directory: folder
                ).finished()
                #expect(run.status == 0, "\(run)")
                let requests = run.stdout.components(separatedBy: "GET /a HTTP/1.1").count - 1
                #expect(requests == server.requests.count && requests == 2, "\(run)")
                #expect(run.stdout.contains("HTTP/1.1 200 OK") && run.stdout.contains("HTTP/1.1 206 Partial Content"))
                #expect(run.stdout.contains("Exchanges: 2") && run.stdout.contains("Received: \(big.count) bytes"))
                let hops = run.stderr.components(separatedBy: "GET http://").count - 1
                #expect(hops == 2, "\(run)")
                #expect(try Data(contentsOf: folder.appending(path: "a")) == Data(big))
            }
        }
    }

    @Test(arguments: [
        ["-c", "http://a.example/x"], ["-d", "-c", "-o", "-", "http://a.example/x"],
        ["-d", "--digest=md5:12", "http://a.example/x"], ["-d", "--connections=17", "http://a.example/x"],
        ["--connections=2", "http://a.example/x"],
        ["--digest=sha256:\(String(repeating: "0", count: 64))", "http://a.example/x"],
    ])
    func `what a download cannot mean is told before anything is sent`(arguments: [String]) async throws {
        let run = try await ToolProcess(arguments).finished()
        #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
    }
}
#endif
