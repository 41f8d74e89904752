// ToolUploadTests: `tsubame upload`, and `-c` in a later process.
#if Server
import Foundation
import HTTPBin
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolUploadTests {
    private static let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// Runs `body` with a server, and a folder with the file `big.bin` and the records of uploads.
    private func serving(
        _ body: (_ url: String, _ folder: URL, _ run: ([String]) async throws -> ProductRun) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            try Data(Self.content).write(to: folder.appending(path: "big.bin"))
            try await withHTTPBin { url, _ in
                try await body(url + "/uploads", folder) { words in
                    try await ToolProcess(
                        ["upload"] + words, environment: ["XDG_STATE_HOME": folder.appending(path: "state").path],
                        directory: folder
                    ).finished()
                }
            }
        }
    }

    private func records(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "state/tsubame/uploads").path)
    }

    @Test func `a later process continues after the bytes that the server has`() async throws {
        try await serving { url, folder, run in
            let first = try await run([url + "?drop=2000000", "@big.bin"])
            #expect(
                first.status == 1 && first.stderr.contains("with -c, the same command asks the server again"),
                "\(first)")
            #expect(try records(folder).count == 1)
            let second = try await run(["-c", "-v", url, "@" + folder.appending(path: "big.bin").path])
            #expect(second.status == 0, "\(second)")
            #expect(second.stderr == "tsubame: the upload continues after 2000000 of 3000000 bytes\n")
            let lines = second.stdout.split(whereSeparator: \.isNewline)
            #expect(lines.contains("Upload-Offset: 2000000") && lines.contains { $0.hasPrefix("PATCH /uploads/") })
            #expect(!lines.contains { $0.hasPrefix("POST ") } && second.stdout.contains("\"bytes\": 3000000"))
            #expect(try records(folder).isEmpty)
            // There is nothing to continue any more.
            let third = try await run(["-c", "--print=b", url, "@big.bin"])
            #expect(third.status == 0 && third.stdout.contains("\"bytes\":"), "\(third)")
            #expect(third.stderr.contains("no unfinished upload of this file to this URL is known"))
        }
    }

    @Test func `with retries one process resumes by itself, and method, fields and parts are its own`() async throws {
        try await serving { url, folder, run in
            let answer = try await run([
                "--retry=2", "-v", "PUT", url + "?drop=1000000", "@big.bin", "X-Own:1",
            ])
            #expect(answer.status == 0 && answer.stdout.hasPrefix("PUT /uploads?drop=1000000 HTTP/1.1"), "\(answer)")
            #expect(answer.stdout.components(separatedBy: "X-Own: 1").count == 4, "PUT, HEAD and PATCH")
            let quiet = try await run(["-q", "-o", "answer.json", url, "@big.bin"])
            #expect(quiet.status == 0 && quiet.stdout.isEmpty, "\(quiet)")
            let saved = try String(contentsOf: folder.appending(path: "answer.json"), encoding: .utf8)
            #expect(saved.contains("3000000"))
            #expect(try records(folder).isEmpty)
        }
    }

    @Test func `on a terminal there is a bar, which begins where the server's bytes end`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            if request.method == "HEAD" {
                return [
                    .bytes("HTTP/1.1 204 No Content\r\nUpload-Offset: 30000000\r\nUpload-Complete: ?0\r\n\r\n")
                ]
            }
            return [.wait(for: gate), .bytes("HTTP/1.1 200 OK\r\nUpload-Complete: ?1\r\nContent-Length: 2\r\n\r\nok")]
        } onHead: { request in
            guard request.index == 0 else { return nil }
            return [
                .bytes(
                    "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /u/1\r\n\r\n"
                ), .wholeRequest, .close,
            ]
        }
        try await withFolder { folder in
            let file = folder.appending(path: "large")
            try Data(repeating: 0x78, count: 60_000_000).write(to: file)
            let environment = ["TERM": "xterm", "NO_COLOR": "1", "HOME": folder.path]
            try await server.use { server in
                let first = try await ToolProcess(
                    ["upload", server.url, "@" + file.path], environment: environment
                ).finished()
                #expect(first.status == 1, "\(first)")
                let second = try ToolProcess(
                    ["upload", "-c", server.url, "@" + file.path], output: .wholeTerminal, environment: environment)
                _ = try await second.printed("to 127.0.0.1")
                gate.open()
                let run = try await second.finished()
                #expect(run.status == 0 && run.stdout.contains("ok"), "\(run)")
                #expect(run.stdout.contains("57.2 MiB"), "\(run)")
                // The first bar, whose name has been read already.
                let percent = run.stdout.prefix { $0 != "%" }.trimmingCharacters(in: .whitespaces)
                #expect(Int(percent).map { $0 >= 50 } == true, "\(run)")
            }
        }
    }

    @Test(arguments: [
        ["http://a.example"], ["http://a.example", "a=b"], ["http://a.example", "@missing"],
        ["-c", "http://a.example", "X-Own:1"], ["@big.bin", "http://a.example"], ["http://a.example", "@-"],
        ["http://a.example", "@/dev/null"], ["GET", "http://a.example", "@big.bin"],
        ["--json", "http://a.example", "@big.bin"],
    ])
    func `words that name no file are refused before anything is sent`(words: [String]) async throws {
        try await serving { _, _, run in
            let refused = try await run(words)
            #expect(refused.status == (words.last == "@missing" ? 1 : 64) && !refused.stderr.isEmpty, "\(refused)")
        }
    }

    @Test func `without a place for the record the file is sent, and -c is refused`() async throws {
        try await serving { url, folder, _ in
            for (words, status) in [([], 0), (["-c"], 1)] as [([String], Int32)] {
                let run = try await ToolProcess(
                    ["upload"] + words + [url, "@big.bin"], environment: ["XDG_STATE_HOME": "", "HOME": ""],
                    directory: folder
                ).finished()
                #expect(run.status == status && run.stderr.contains("HOME is not set"), "\(run)")
            }
        }
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `a process that is ended after the place was named leaves its record`(signal: Int32) async throws {
        // The whole file is in the socket by then, so no further read of it saves the record.
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            request.method == "HEAD"
                ? [.bytes("HTTP/1.1 204 No Content\r\nUpload-Offset: 3\r\nUpload-Complete: ?1\r\n\r\n")]
                : [
                    .bytes(
                        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /u/1\r\n\r\n"
                    ), .wait(for: gate), .close,
                ]
        }
        try await withFolder { folder in
            try Data("abc".utf8).write(to: folder.appending(path: "small"))
            try await server.use { server in
                let words = [server.url, "@" + folder.appending(path: "small").path]
                let first = try ToolProcess(["upload", "-v"] + words, environment: ["HOME": folder.path])
                _ = try await first.printed("/u/1")
                let records = folder.appending(path: ".local/state/tsubame/uploads").path
                let end = ContinuousClock.now.advanced(by: .seconds(30))
                func isSaved() -> Bool {
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: records)) ?? []
                    return names.contains { $0.hasSuffix(".json") }
                }
                while !isSaved(), ContinuousClock.now < end { await Task.yield() }
                #expect(isSaved())
                first.send(signal: signal)
                _ = try await first.finished()
                gate.open()
                let second = try await ToolProcess(
                    ["upload", "-c"] + words, environment: ["HOME": folder.path]
                ).finished()
                #expect(second.status == 0, "\(second)")
                #expect(server.requests.map(\.method) == ["POST", "HEAD"])
            }
        }
    }
}
#endif
