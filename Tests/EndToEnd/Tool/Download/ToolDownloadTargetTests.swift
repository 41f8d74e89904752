// ToolDownloadTargetTests: where the tool saves a body: a file, a folder, the output, and what it must not replace.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolDownloadTargetTests {
    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func text(_ folder: URL, _ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `a download follows redirects and gets the extension of its type`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { request in
                switch request.path {
                case "/get": .redirect(to: "/elsewhere")
                case "/readme": .ok("text", headers: [.contentType: "text/plain"])
                default: .json("{}")
                }
            }.use { server in
                for (path, name) in [
                    ("/get", "get.json"), ("/a.tar", "a.tar"), ("/", "index.json"), ("/readme", "readme"),
                ] {
                    let run = try await ToolProcess(["-d", server.url + path], directory: folder).finished()
                    #expect(run.status == 0 && run.stdout == name + "\n", "\(run)")
                }
                #expect(try names(folder) == ["a.tar", "get.json", "index.json", "readme"])
                let stopped = try await ToolProcess(
                    ["-d", "--max-redirects=0", server.url + "/get"], directory: folder
                ).finished()
                #expect(stopped.status == 6, "\(stopped)")
            }
        }
    }

    @Test func `content that is coded against the wish of a download is decoded`() async throws {
        try await withFolder { folder in
            // gzip of "hello".
            let coded: [UInt8] = [
                0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00,
                0x86, 0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
            ]
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
            try await ScriptedServer.start { _ in [.pieces([Array(head.utf8), coded])] }.use { server in
                let named = try await ToolProcess(["-d", server.url + "/a"], directory: folder).finished()
                #expect(named.status == 0 && named.stdout == "a\n", "\(named)")
                #expect(try text(folder, "a") == "hello")
                let piped = try await ToolProcess(
                    ["-d", server.url + "/a"], output: .file(folder.appending(path: "out")), directory: folder
                ).finished()
                #expect(piped.status == 0, "\(piped)")
                #expect(try text(folder, "out") == "hello")
                let asked = try await ToolProcess(
                    ["-d", "-o", "b", server.url + "/a", "Accept-Encoding:gzip"], directory: folder
                ).finished()
                #expect(asked.status == 0, "\(asked)")
                #expect(try Array(Data(contentsOf: folder.appending(path: "b"))) == coded)
            }
        }
    }

    @Test func `a folder is one also if its name could be parts to print`() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "hb"), withIntermediateDirectories: false)
            try await ScriptedServer.start { _ in .ok("body") }.use { server in
                let run = try await ToolProcess(["-d", "-P", "hb", server.url + "/a"], directory: folder).finished()
                #expect(run.status == 0 && run.stdout == "hb/a\n", "\(run)")
            }
        }
    }

    @Test func `a download that saves nothing says so`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { .status($0.path == "/none" ? .noContent : .notFound) }.use { server in
                let none = try await ToolProcess(["-d", "-o", "f", server.url + "/none"], directory: folder).finished()
                #expect(none.status == 0 && none.stderr.contains("nothing is saved"), "\(none)")
                let gone = try await ToolProcess(
                    ["-d", "--no-check-status", "-o", "f", server.url + "/gone"], directory: folder
                ).finished()
                #expect(gone.status == 0 && gone.stderr.contains("nothing is saved"), "\(gone)")
                #expect(try names(folder).isEmpty)
            }
        }
    }

    @Test func `a folder that is missing is named before anything is sent`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("body") }.use { server in
                let run = try await ToolProcess(["-d", "-P", "none", server.url + "/a"], directory: folder).finished()
                #expect(run.status != 0 && run.stdout.isEmpty, "\(run)")
                #expect(run.stderr.contains("the folder none/: No such file or directory"), "\(run)")
                #expect(run.stderr.contains("make the folder first"), "\(run)")
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `a file on the output gets the body of a download`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "out.bin")
            try await ScriptedServer.start { $0.path == "/gone" ? .status(.gone) : .ok("body") }.use { server in
                let run = try await ToolProcess(
                    ["-d", server.url + "/a"], output: .file(file), directory: folder
                ).finished()
                #expect(run.status == 0, "\(run)")
                #expect(try text(folder, "out.bin") == "body")
                let gone = try await ToolProcess(
                    ["-d", server.url + "/gone"], output: .file(file), directory: folder
                ).finished()
                #expect(gone.status == 4, "\(gone)")
                #expect(try text(folder, "out.bin").isEmpty)
                // Several connections need a file of their own, and one is as good here.
                let own = try await ToolProcess(
                    ["-d", "--connections=2", server.url + "/b"], output: .file(file), directory: folder
                ).finished()
                #expect(own.status == 0, "\(own)")
                #expect(try text(folder, "out.bin") == "body" && names(folder) == ["out.bin"])
            }
        }
    }

    @Test func `-P and a folder of -o hold several downloads`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { .ok($0.path) }.use { server in
                for option in [["-P", "one"], ["-o", "two/"]] {
                    let place = folder.appending(path: String(option[1].prefix(3)))
                    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                    let run = try await ToolProcess(
                        ["-d", server.url + "/a", server.url + "/b"] + option, directory: folder
                    ).finished()
                    #expect(run.status == 0, "\(run)")
                    #expect(try names(place) == ["a", "b"])
                }
                let both = try await ToolProcess(["-d", "-P", "one", "-o", "x", server.url]).finished()
                #expect(both.status == 64 && both.stderr.contains("both name a place"), "\(both)")
                let parts = try await ToolProcess(["-P", "one", server.url]).finished()
                #expect(parts.status == 64 && parts.stderr.contains("is none of H, B, h, b, m and t"), "\(parts)")
            }
        }
    }

    @Test func `-o keeps a file that is current, and takes the page of an error if it is wanted`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            try await ScriptedServer.start { request in
                switch request.path {
                case "/same": .status(.notModified)
                case "/moved": .redirect(to: "/x")
                default: .status(.notFound, "page")
                }
            }.use { server in
                for (words, status, kept) in [
                    (["/same"], 3, "good"), (["/same", "--no-check-status"], 0, "good"), (["/moved"], 3, "good"),
                    (["/x"], 4, "good"), (["/x", "--no-check-status"], 0, "page"),
                ] as [([String], Int32, String)] {
                    try Data("good".utf8).write(to: file)
                    let words = [server.url + words[0]] + words.dropFirst()
                    let run = try await ToolProcess(["-o", file.path] + words).finished()
                    #expect(run.status == status, "\(run)")
                    #expect(try text(folder, "file") == kept, "\(run)")
                }
                try Data().write(to: file)
                #expect(try await ToolProcess(["-o", file.path, server.url]).finished().status == 4)
                #expect(try text(folder, "file") == "page", "an empty file is not a good one")
            }
        }
    }

    @Test func `heads of a download do not go into its file`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("body") }.use { server in
                let run = try await ToolProcess(
                    ["-d", "-v", server.url + "/a"], output: .file(folder.appending(path: "out")), directory: folder
                ).finished()
                #expect(run.status == 0, "\(run)")
                #expect(try text(folder, "a") == "body")
                #expect(try text(folder, "out").contains("HTTP/1.1 200"))
            }
            let run = try await ToolProcess(["-d", "-P", "", "http://127.0.0.1:1/"], directory: folder).finished()
            #expect(run.status == 64 && run.stderr.contains("-P names no folder"), "\(run)")
        }
    }

    @Test(arguments: [(206, "Content-Range: bytes 0-1/10\r\n", 1), (204, "", 0)])
    func `-o does not replace a good file by a part that was not asked for, nor by nothing`(
        status: Int, field: String, exit: Int32
    ) async throws {
        let body = status == 206 ? "no" : ""
        let reply = Reply.bytes(
            "HTTP/1.1 \(status) N\r\n\(field)\(body.isEmpty ? "" : "Content-Length: 2\r\n")\r\n\(body)")
        try await withFolder { folder in
            let file = folder.appending(path: "good")
            try Data("good".utf8).write(to: file)
            try await ScriptedServer.start { _ in reply }.use { server in
                let run = try await ToolProcess(["-o", file.path, server.url]).finished()
                let said = exit == 0 ? "stays as it was" : "nothing is saved"
                #expect(run.status == exit && run.stderr.contains(said), "\(run)")
                #expect(try text(folder, "good") == "good")
                #expect(try names(folder) == ["good"])
            }
        }
    }

    @Test func `-o does not replace a good file by the page of an error`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "good")
            try await ScriptedServer.start { _ in .status(.notFound, "no such page") }.use { server in
                try Data("good".utf8).write(to: file)
                let run = try await ToolProcess(["-o", file.path, server.url]).finished()
                #expect(run.status == 4 && run.stderr.contains("stays as it was"), "\(run)")
                #expect(try text(folder, "good") == "good")
                let figures = try await ToolProcess(["-o", file.path, "--timings", server.url]).finished()
                #expect(figures.status == 4 && figures.stderr.contains("stays as it was"), "\(figures)")
                #expect(try text(folder, "good") == "good")
                // With the head, it is a record of the exchange. A new file replaces nothing.
                #expect(try await ToolProcess(["-o", file.path, "--print=hb", server.url]).finished().status == 4)
                #expect(try text(folder, "good").contains("404"))
                #expect(try await ToolProcess(["-o", folder.path + "/new", server.url]).finished().status == 4)
                #expect(try text(folder, "new") == "no such page")
                #expect(try names(folder) == ["good", "new"])
            }
        }
    }
}
#endif
