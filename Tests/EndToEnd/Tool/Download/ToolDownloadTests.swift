// ToolDownloadTests: `tsubame -d`: files under names that a server chose, and the progress bars.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolDownloadTests {
    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func content(_ folder: URL, _ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private func download(
        _ reply: Reply, path: String = "/a/report.txt", in folder: URL, _ arguments: [String] = []
    ) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            try await ToolProcess(["-d", server.url + path] + arguments, directory: folder).finished()
        }
    }

    // MARK: Names

    @Test func `the file has the URL's name, which is printed for whoever goes on with it`() async throws {
        try await withFolder { folder in
            let run = try await download(.ok("hello"), in: folder)
            #expect(run.status == 0 && run.stdout == "report.txt\n" && run.stderr.isEmpty, "\(run)")
            #expect(try content(folder, "report.txt") == "hello")
        }
    }

    @Test(arguments: [
        (#"attachment; filename="../../up.sh""#, "up.sh"), (#"attachment; filename="C:\\dir\\x.exe""#, "x.exe"),
        ("attachment; filename=.bashrc", "bashrc"), ("attachment; filename*=UTF-8''%e7%87%95.txt", "燕.txt"),
        (#"attachment; filename="""#, "report.txt"), ("inline", "report.txt"), (#"attachment; filename="-rf""#, "_rf"),
    ])
    func `BAD-INPUT 41: a server's name is a base name in this folder`(field: String, name: String) async throws {
        try await withFolder { folder in
            let inner = folder.appending(path: "inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            let run = try await download(.ok("hello", headers: [.contentDisposition: field]), in: inner)
            #expect(run.status == 0 && run.stdout == name + "\n", "\(run)")
            #expect(try files(inner) == [name] && files(folder) == ["inner"])
        }
    }

    @Test func `BAD-INPUT 41: a file that is there is never overwritten, unless it was named`() async throws {
        try await withFolder { folder in
            for name in ["report.txt", "report-1.txt"] {
                try "mine".write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
            #expect(try await download(.ok("new"), in: folder).stdout == "report-2.txt\n")
            #expect(try content(folder, "report.txt") == "mine" && content(folder, "report-1.txt") == "mine")
            #expect(try await download(.ok("new"), in: folder, ["-o", "report.txt"]).status == 0)
            #expect(try content(folder, "report.txt") == "new")
        }
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", "index.html"), ("application/json", "index.json"), ("text/plain", "index"),
    ])
    func `what has no name is called index`(type: String, name: String) async throws {
        try await withFolder { folder in
            let run = try await download(.ok("hello", headers: [.contentType: type]), path: "/", in: folder)
            #expect(run.stdout == name + "\n" && run.status == 0)
        }
    }

    @Test func `the bytes are asked for as they are kept, and no item changes that but one of that name`() async throws
    {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("x") }.use { server in
                _ = try await ToolProcess(["-d", server.url + "/a"], directory: folder).finished()
                _ = try await ToolProcess(["-d", server.url + "/a", "Accept-Encoding:gzip"], directory: folder)
                    .finished()
                #expect(server.requests.map { $0["accept-encoding"] } == ["identity", "gzip"])
            }
        }
    }

    // MARK: Failed downloads

    @Test func `a download that breaks off leaves nothing`() async throws {
        try await withFolder { folder in
            let run = try await download(
                [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"), .close], in: folder)
            #expect(run.status == 1 && run.stdout.isEmpty && run.stderr.contains("46 bytes before the end"), "\(run)")
            #expect(try files(folder).isEmpty)
        }
    }

    @Test func `what failed has no claim on its name any more`() async throws {
        let gate = Gate()
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request.path == "/broken"
                    ? [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"), .close]
                    : [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"), .wait(for: gate)]
            }
            try await server.use { server in
                let tool = try ToolProcess(["-d", server.url + "/broken", server.url + "/slow"], directory: folder)
                #expect(try await tool.firstErrorLine().contains("46 bytes before the end"))
                try await gate.waitForArrivals(1)
                try "mine".write(to: folder.appending(path: "broken"), atomically: true, encoding: .utf8)
                tool.send(signal: SIGTERM)
                #expect(try await tool.finished().status == 128 + SIGTERM)
                #expect(try files(folder) == ["broken"] && content(folder, "broken") == "mine")
            }
        }
    }

    @Test(arguments: [250, 255, 300]) func `BAD-INPUT 41: the longest name can be written`(length: Int) async throws {
        try await withFolder { folder in
            let name = String(repeating: "n", count: length - 4) + ".txt"
            let field = "attachment; filename=\(name)"
            let run = try await download(.ok("hello", headers: [.contentDisposition: field]), in: folder)
            #expect(run.status == 0, "\(run)")
            let written = try files(folder)
            #expect(written.count == 1 && written[0].hasSuffix("n.txt") && written[0].utf8.count == min(length, 255))
        }
    }

    @Test func `a part that was not asked for is not saved, and nothing is where there is nothing`() async throws {
        try await withFolder { folder in
            let part = Reply.bytes(
                "HTTP/1.1 206 Partial Content\r\nContent-Length: 2\r\nContent-Range: bytes 0-1/9\r\n\r\nab")
            #expect(try await download(part, in: folder).stdout == "")
            #expect(try files(folder).isEmpty)
            #expect(try await download(part, in: folder, ["Range:bytes=0-1"]).stdout == "report.txt\n")
            let head = try await ToolProcess(["-d", "HEAD", "http://a.example/x"]).finished()
            #expect(head.status == 64 && head.stderr.contains("HEAD"))
            let offline = try await ToolProcess(["-d", "--offline", "http://a.example/x"], directory: folder).finished()
            #expect(offline.status == 64 && offline.stdout.isEmpty)
        }
    }

    @Test(arguments: [(404, 4), (503, 5), (302, 3)]) func `an error's page is not saved`(code: Int, exit: Int32)
        async throws
    {
        try await withFolder { folder in
            let run = try await download(.bytes("HTTP/1.1 \(code) No\r\nContent-Length: 2\r\n\r\nno"), in: folder)
            #expect(run.status == exit && run.stdout.isEmpty, "\(run)")
            #expect(run.stderr == "tsubame: the server answered \(code) No; nothing is saved\n")
            #expect(try files(folder).isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `an interrupted download leaves nothing`(signal: Int32) async throws {
        let gate = Gate()
        let reply: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nthe beginning"), .wait(for: gate)]
        try await withFolder { folder in
            try await ScriptedServer.start { _ in reply }.use { server in
                let tool = try ToolProcess(
                    ["-d", server.url + "/one", server.url + "/two"], output: .wholeTerminal,
                    environment: ["TERM": "xterm"], directory: folder)
                // Both downloads have begun, and their progress lines are drawn.
                _ = try await tool.printed("two")
                try await gate.waitForArrivals(2)
                tool.send(signal: signal)
                #expect(try await tool.finished().status == 128 + signal)
                #expect(try files(folder).isEmpty)
            }
        }
    }

    // MARK: Several

    @Test func `several URLs are downloaded at once, each to its own file`() async throws {
        let gate = Gate()
        try await withFolder { folder in
            // No response ends before all downloads have begun.
            let server = try await ScriptedServer.start { request in
                [
                    .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(request.path.utf8.count)\r\n\r\n"), .wait(for: gate),
                    .bytes(request.path),
                ]
            }
            try await server.use { server in
                let tool = try ToolProcess(
                    [
                        "-d", "\(server.url)/a", ":\(server.port)/b", "localhost:\(server.port)/same/c",
                        "127.0.0.1:\(server.port)/other/c", "X-One:1", "x-two:2 or 3",
                    ], directory: folder)
                try await gate.waitForArrivals(4)
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 0, "\(run)")
                #expect(server.requests.allSatisfy { $0["x-one"] == "1" && $0["x-two"] == "2 or 3" })
                #expect(Set(run.stdout.split(separator: "\n")) == ["a", "b", "c", "c-1"])
                #expect(try content(folder, "a") == "/a" && content(folder, "b") == "/b")
                #expect(try Set([content(folder, "c"), content(folder, "c-1")]) == ["/same/c", "/other/c"])
            }
        }
    }

    @Test func `one that fails does not keep the others, and is told by the exit status`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { $0.path == "/gone" ? .status(.gone) : .ok("here") }.use { server in
                let run = try await ToolProcess(
                    ["-d", server.url + "/gone", server.url + "/there"], directory: folder
                ).finished()
                #expect(run.status == 4 && run.stdout == "there\n")
                #expect(try files(folder) == ["there"])
            }
        }
    }

    @Test func `several files cannot have one name, nor one session`() async throws {
        for options in [["-o", "x"], ["--session=x"]] {
            let run = try await ToolProcess(["-d", "http://a.example/1", "http://a.example/2"] + options).finished()
            #expect(run.status == 64 && run.stderr.contains("is for one URL"), "\(run)")
        }
    }

    @Test func `a body that can be read once does not go to several`() async throws {
        for input in [ToolProcess.Input.pipe(Array("x".utf8)), .null] {
            let run = try await ToolProcess(
                ["-d", "POST", "http://a.example/1", "http://a.example/2", "--raw", "@-"], input: input
            ).finished()
            #expect(run.status == 64 && run.stderr.contains("one URL"), "\(run)")
        }
    }

    // MARK: Bars

    @Test func `a terminal has a bar for each, and a line of what was saved`() async throws {
        let gate = Gate()
        let size = 4 << 20
        let reply: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size / 2)),
            .wait(for: gate), .bytes(String(repeating: "x", count: size / 2)),
        ]
        try await withFolder { folder in
            try await ScriptedServer.start { _ in reply }.use { server in
                let tool = try ToolProcess(
                    ["-d", server.url + "/one.bin", server.url + "/two.bin"], output: .wholeTerminal,
                    environment: ["TERM": "xterm", "NO_COLOR": "1"], directory: folder)
                let shown = try await tool.printed("two.bin  50%") + tool.printed("2.0/4.0 MiB")
                #expect(shown.contains("####"), "\(shown)")
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 0)
                for name in ["one.bin", "two.bin"] {
                    #expect(run.stdout.contains("\(name): 4.0 MiB in "), "\(run.stdout)")
                }
                // The progress lines are erased at the end.
                #expect(run.stdout.hasSuffix("/s\n"))
            }
        }
    }

    @Test func `a large body that is sent has a bar, too`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in
            [.wait(for: gate), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        }
        try await withFolder { folder in
            let file = folder.appending(path: "large")
            try Data(repeating: 0x78, count: 64 << 20).write(to: file)
            try await server.use { server in
                let tool = try ToolProcess(
                    [server.url, "--raw", "@" + file.path], output: .wholeTerminal,
                    environment: ["TERM": "xterm", "NO_COLOR": "1"])
                _ = try await tool.printed("to 127.0.0.1")
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 0 && run.stdout.contains("ok"), "\(run)")
            }
        }
    }

    @Test func `without a terminal there are no bars`() async throws {
        try await withFolder { folder in
            let run = try await download(.ok(String(repeating: "x", count: 3 << 20)), in: folder)
            #expect(run.status == 0 && run.stderr.isEmpty && run.stdout == "report.txt\n")
            let quiet = try await download(.ok("x"), in: folder, ["-q"])
            #expect(quiet.status == 0 && quiet.stdout.isEmpty && quiet.stderr.isEmpty)
        }
    }

    @Test func `heads are printed where they are asked for, and no body ever`() async throws {
        try await withFolder { folder in
            let run = try await download(.ok("body"), in: folder, ["--print=hb"])
            #expect(run.stdout.hasPrefix("HTTP/1.1 200 OK\r\n") && !run.stdout.contains("body"), "\(run)")
            #expect(try content(folder, "report.txt") == "body")
        }
    }
}
#endif
