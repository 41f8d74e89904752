// ToolLimitTests: --max-headers, --max-filesize and --ssl.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolLimitTests {
    @Test(arguments: [("2", 0), ("1", 1), ("0", 0)])
    func `a head has no more fields than allowed`(limit: String, status: Int32) async throws {
        let reply = Reply.bytes("HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 0\r\n\r\n")
        try await ScriptedServer.start { _ in reply }.use { server in
            let run = try await ToolProcess(["--max-headers", limit, server.url]).finished()
            #expect(run.status == status && run.stderr.contains("fields") == (status != 0), "\(run)")
        }
    }

    @Test(arguments: [("4", 1), ("5", 0), ("1K", 0), ("0", 1)])
    func `a body is no longer than allowed, with a length, without and as a download`(
        limit: String, status: Int32
    ) async throws {
        let chunked = Reply.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        try await withFolder { folder in
            try await ScriptedServer.start { $0.path == "/chunked" ? chunked : .ok("hello") }.use { server in
                for words in [[server.url], [server.url + "/chunked"], ["-d", server.url + "/file"]] {
                    let run = try await ToolProcess(["--max-filesize", limit] + words, directory: folder).finished()
                    #expect(run.status == status, "\(run)")
                    #expect(run.stderr.contains("--max-filesize allows no more") == (status != 0), "\(run)")
                }
                let head = try await ToolProcess(["--max-filesize", limit, "HEAD", server.url]).finished()
                #expect(head.status == 0, "\(head)")
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(names == (status == 0 ? ["file"] : []))
            }
        }
    }

    @Test func `only the last response counts, decoded and also from the cache`() async throws {
        let long = String(repeating: "x", count: 5000)
        try await withFolder { folder in
            try await ScriptedServer.start { request in
                switch request.path {
                case "/moved": .status(.found, long, headers: [.location: "/end"])
                case "/kept": .ok(long, headers: [.cacheControl: "max-age=600"])
                case "/same": .bytes("HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n")
                default: .ok("end")
                }
            }.use { server in
                for (words, status) in [
                    (["-F", "--max-filesize=100", "/moved"], 0), (["--max-filesize=100", "/same"], 3),
                    (["--cache", "/kept"], 0), (["--cache", "--max-filesize=100", "/kept"], 1),
                ] as [([String], Int32)] {
                    let words = words.map { $0.hasPrefix("/") ? server.url + $0 : $0 }
                    let run = try await ToolProcess(words, environment: ["XDG_CACHE_HOME": folder.path]).finished()
                    #expect(run.status == status, "\(run)")
                }
            }
        }
    }

    @Test(arguments: ["x", "-1", "+1", "9223372036854775807K", "1T", "", "K"])
    func `a wrong size is told`(text: String) async throws {
        let run = try await ToolProcess(["--max-filesize=\(text)", ":1"]).finished()
        #expect(run.status == 64 && run.stderr.contains("is not a number of bytes"), "\(run)")
    }

    @Test func `--ssl allows one version of TLS`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost) { _ in .ok() }
        try await withFolder { folder in
            let roots = folder.appending(path: "ca.pem")
            try Data(TestCertificates.authorityPEM.utf8).write(to: roots)
            for (version, shown) in [("tls1.2", "TLS 1.2"), ("tls1.3", "TLS 1.3"), ("ssl2.3", "TLS 1.3")] {
                let run = try await ToolProcess(["--cacert", roots.path, "--ssl", version, "-m", server.url]).finished()
                #expect(run.status == 0 && run.stdout.contains(shown), "\(run)")
            }
        }
        let wrong = try await ToolProcess(["--ssl=tls9", ":1"]).finished()
        #expect(wrong.status == 64 && wrong.stderr.contains("“tls9” is none of"), "\(wrong)")
    }
}
#endif
