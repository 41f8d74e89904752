// ToolMultipartTests: the tool's forms with files, read by the embedded server and compared byte by byte.
#if Server
import Foundation
import HTTPBin
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolMultipartTests {
    private struct Echo: Decodable {
        let form: [String: String]
        let files: [String: String]
        let headers: [String: String]
    }

    /// Runs the tool, with `URL` standing for that of an HTTPBin, and returns the server's description of the request.
    private func echo(_ arguments: String...) async throws -> Echo {
        try await withHTTPBin { url, _ in
            let run = try await ToolProcess(arguments.map { $0.replacing("URL", with: url + "/post") }).finished()
            #expect(run.status == 0, "\(run)")
            return try JSONDecoder().decode(Echo.self, from: Data(run.stdoutBytes))
        }
    }

    /// Runs the tool, with `URL` standing for the server's; returns the request that it sent, and its output.
    private func sent(_ arguments: String...) async throws -> (request: ReceivedRequest, run: ProductRun) {
        try await sent(arguments)
    }

    private func sent(_ arguments: [String]) async throws -> (request: ReceivedRequest, run: ProductRun) {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let run = try await ToolProcess(arguments.map { $0.replacing("URL", with: server.url) }).finished()
            #expect(run.status == 0, "\(run)")
            return (try await server.request(0), run)
        }
    }

    @Test func aFileInAFormMakesItMultipart() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "燕 \"1\".png")
            try Data([0x89, 0x50, 0, 255]).write(to: file)
            let (request, run) = try await sent(
                "--form", "URL", "album=2026 & more", "photo@\(file.path)", "size:=3",
                "photo@\(file.path);type=image/x-mine", "--print=HB")
            let type = try #require(request["content-type"])
            let boundary = try #require(type.split(separator: "=").last)
            #expect(type == "multipart/form-data; boundary=\(boundary)")
            let start = "--\(boundary)\r\nContent-Disposition: form-data; name="
            let photo: [UInt8] = [0x89, 0x50, 0, 255]
            let name = "filename=\"燕 %221%22.png\""
            var expected = Array("\(start)\"album\"\r\n\r\n2026 & more\r\n".utf8)
            expected += Array("\(start)\"photo\"; \(name)\r\nContent-Type: image/png\r\n\r\n".utf8) + photo
            expected += Array("\r\n\(start)\"size\"\r\n\r\n3\r\n".utf8)
            expected += Array("\(start)\"photo\"; \(name)\r\nContent-Type: image/x-mine\r\n\r\n".utf8) + photo
            expected += Array("\r\n--\(boundary)--\r\n".utf8)
            #expect(request.body == expected)
            #expect(request.method == "POST")
            #expect(request["content-length"] == "\(expected.count)")
            #expect(request["accept"] == "*/*")
            #expect(run.stdoutBytes == request.head + expected)
        }
    }

    @Test(arguments: [";type=a/b;filename=x;y.txt", ";filename=x;y.txt;type=a/b"])
    func aFileCanGoByAnotherName(_ options: String) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a;type=b.txt")
            try Data("x".utf8).write(to: file)
            let (request, _) = try await sent("-f", "URL", "f@\(file.path)\(options)")
            #expect(request.text.contains("name=\"f\"; filename=\"x;y.txt\"\r\nContent-Type: a/b\r\n\r\nx\r\n"))
        }
    }

    @Test func aNameThatNoFieldCanHaveIsOneOfAForm() async throws {
        let (request, _) = try await sent("--multipart", "URL", "a\r\nX-Evil: 1=v")
        #expect(request["x-evil"] == nil)
        #expect(request.text.contains("name=\"a%0D%0AX-Evil: 1\"\r\n\r\nv\r\n"))
    }

    @Test func theServerReadsBackWhatWasSent() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "notes.txt")
            try Data("line 1\r\n--\nline 2".utf8).write(to: file)
            let echo = try await echo("-f", "URL", "name=燕\r\n=&", "notes@\(file.path)", "last=")
            #expect(echo.form == ["name": "燕\r\n=&", "last": ""])
            #expect(echo.files == ["notes": "line 1\r\n--\nline 2"])
        }
    }

    @Test func aFormWithoutFilesIsMultipartOnDemand() async throws {
        let echo = try await echo("--multipart", "URL", "a=1", "b=2")
        #expect(echo.form == ["a": "1", "b": "2"])
        #expect(echo.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test(arguments: [
        (["Content-Type:multipart/related"], "multipart/related; boundary=B"),
        (
            ["Content-Type:multipart/related; type=a/b", "--boundary=x y"],
            "multipart/related; type=a/b; boundary=\"x y\""
        ),
        (["Content-Type:multipart/mixed; boundary=abc"], "multipart/mixed; boundary=abc"),
        (["Content-Type:application/x"], "application/x"),
    ])
    func `FAULT 26: a multipart type of the user's names the boundary of the body`(
        words: [String], type: String
    ) async throws {
        let (request, _) = try await sent(["--multipart", "URL", "a=b"] + words)
        let boundary = String(try #require(request.text.components(separatedBy: "\r\n").first).dropFirst(2))
        #expect(request.values("content-type") == [type.replacing("=B", with: "=\(boundary)")])
        #expect(request.text.hasSuffix("\r\n--\(boundary)--\r\n"))
    }

    @Test(arguments: [
        ["Content-Type:multipart/mixed; boundary=abc", "--boundary=def"],
        ["Content-Type:multipart/mixed; boundary=\"a{b\""],
    ])
    func `FAULT 26: a boundary that the body cannot have is wrong usage`(words: [String]) async throws {
        let run = try await ToolProcess(["--multipart", "--offline", ":1", "a=b"] + words).finished()
        #expect(run.status == 64 && run.stderr.contains("Content-Type item"), "\(run)")
    }

    @Test func whatACommandWritesCanBeAFileOfAForm() async throws {
        let pipe = try NamedPipe(Array("from a command".utf8))
        let (request, _) = try await sent("-f", "URL", "log@\(pipe.path);type=text/plain")
        #expect(request.text.contains("Content-Type: text/plain\r\n\r\nfrom a command\r\n--"))
        #expect(request["content-length"] == "\(request.body.count)")
    }

    @Test func aTerminalIsSparedBinaryDataThatIsSent() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "photo.png")
            try Data(ToolOutputTests.everyByte + Array(repeating: 0, count: 100_000)).write(to: file)
            try await ScriptedServer.start { _ in .ok("answer") }.use { server in
                let words = ["-f", server.url, "photo@\(file.path)", "--print=Bb"]
                let run = try await ToolProcess(words, output: .terminal).finished()
                let size = try await server.request(0).body.count
                #expect(
                    run.stdout.hasSuffix(
                        "(binary data, \(size) bytes: not shown on a terminal; -o FILE saves it)\n\nanswer\n"))
                #expect(!run.stdoutBytes.contains(0))
            }
        }
    }

    #if os(Linux)
    @Test func `a large file is never held whole`() async throws {
        let gate = Gate()
        let reply = Reply.ok().after(gate)
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            // A sparse file of zeros, which takes no room on the disk.
            #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 256 << 20)
            try handle.close()
            try await ScriptedServer.start(keepingBodyBytes: 1 << 10) { _ in reply }.use { server in
                let tool = try ToolProcess(["-f", server.url, "file@\(file.path)"])
                try await gate.waitForArrivals(1)
                let peak = try #require(tool.peakMemory)
                #expect(peak < 96 << 20)
                gate.open()
                #expect(try await tool.finished().status == 0)
                #expect(server.acceptedBodyBytes > 256 << 20)
            }
        }
    }
    #endif
}
#endif
