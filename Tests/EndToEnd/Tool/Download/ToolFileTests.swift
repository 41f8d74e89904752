// ToolFileTests: the tool's -o writes a complete file or none.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolFileTests {
    private static let everyByte = ToolOutputTests.everyByte

    /// Runs the tool, with `URL` standing for a server that gives this reply.
    private func run(_ reply: Reply, _ arguments: String...) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            try await ToolProcess(arguments.map { $0.replacing("URL", with: server.url) }).finished()
        }
    }

    @Test func aFileIsReplacedOnceItIsWhole() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "out")
            try Data("before".utf8).write(to: file)
            let cut = try await run(
                [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close], "-o", file.path, "URL")
            #expect(cut.status == 1)
            #expect(try String(contentsOf: file, encoding: .utf8) == "before")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])

            let whole = try await run(.ok(Self.everyByte), "-o", file.path, "URL")
            #expect(whole.status == 0 && whole.stdout.isEmpty && whole.stderr.isEmpty)
            #expect(try Array(Data(contentsOf: file)) == Self.everyByte)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
        }
    }

    @Test func aLinkToAFileStaysALink() async throws {
        try await withFolder { folder in
            let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
            try Data("before".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            #expect(try await run(.ok("after"), "-o", link.path, "URL").status == 0)
            #expect(try String(contentsOf: file, encoding: .utf8) == "after")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        }
    }

    @Test func aFileThatCannotBeWrittenIsFoundBeforeAnythingIsSent() async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let answer = try await tool("-o", "/nonexistent/folder/file", server.url)
            #expect(answer.status == 1)
            #expect(answer.stderr.contains("/nonexistent/folder/file cannot be written: No such file"))
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func aDeviceIsWrittenTo() async throws {
        #expect(try await run(.ok("x"), "-o", "/dev/null", "URL").status == 0)
        #expect(try await run(.ok("x"), "-o", "-", "URL").stdout == "x")
    }

    @Test(arguments: [0o600, 0o640, 0o444, 0o666])
    func aFileThatIsReplacedKeepsItsPermissions(mode: Int) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "out")
            try Data("before".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(try await run(.ok("after"), "-o", file.path, "URL").status == 0)
            #expect(try String(contentsOf: file, encoding: .utf8) == "after")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    @Test func aClosedStandardStreamIsNotMistakenForTheFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "out")
            try await ScriptedServer.start { _ in .ok("answer") }.use { server in
                let run = try await ToolProcess(["-o", file.path, server.url], input: .closed).finished()
                #expect(run.status == 0, "\(run)")
                #expect(try await server.request(0).method == "GET")
                #expect(try String(contentsOf: file, encoding: .utf8) == "answer")
            }
        }
    }

    #if os(Linux)
    @Test func `a large body is never held whole`() async throws {
        let (size, last) = (256 << 20, 16)
        let gate = Gate()
        let reply: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
            .repeating(Array(repeating: 0x78, count: 64 << 10), count: size - last), .wait(for: gate),
            .bytes(Array(repeating: 0x79, count: last)),
        ]
        try await withFolder { folder in
            let file = folder.appending(path: "out")
            try await ScriptedServer.start { _ in reply }.use { server in
                let tool = try ToolProcess(["-o", file.path, server.url])
                try await gate.waitForArrivals(1)
                let peak = try #require(tool.peakMemory)
                #expect(peak < 96 << 20)
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 0, "\(run)")
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.size] as? Int == size)
        }
    }
    #endif

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `an interrupted download leaves no file`(signal: Int32) async throws {
        let gate = Gate()
        let reply: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nthe beginning"), .wait(for: gate),
        ]
        try await withFolder { folder in
            try await ScriptedServer.start { _ in reply }.use { server in
                let tool = try ToolProcess(["-o", folder.appending(path: "out").path, server.url])
                try await gate.waitForArrivals(1)
                let unfinished = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(unfinished.count == 1 && unfinished.allSatisfy { $0.hasSuffix(".part") })
                tool.send(signal: signal)
                #expect(try await tool.finished().status == 128 + signal)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            }
        }
    }
}
#endif
