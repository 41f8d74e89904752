// ToolSharedClientTests: `tsubame -d URL URL …` uses one client for all URLs.
#if Server
import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolSharedClientTests {
    @Test func `downloads go over one connection where there may be only one`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { .ok($0.path) }.use { server in
                let names = (1...6).map { "file\($0)" }
                let run = try await ToolProcess(
                    ["-d", "--max-connections=1"] + names.map { "\(server.url)/\($0)" }, directory: folder
                ).finished()
                #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
                #expect(Set(run.stdout.split(separator: "\n").map(String.init)) == Set(names))
                #expect(server.requests.count == 6 && server.acceptedConnections == 1)
            }
        }
    }

    @Test func `who waits too long for a connection is told by the flag, and the other one goes on`() async throws {
        let gate = Gate()
        let reply: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .wait(for: gate), .bytes("half"),
        ]
        try await withFolder { folder in
            try await ScriptedServer.start { _ in reply }.use { server in
                let start = ContinuousClock.now
                let tool = try ToolProcess(
                    ["-d", "--max-connections=1", "--pool-timeout=0.3", server.url + "/a", server.url + "/b"],
                    directory: folder)
                let line = try await tool.firstErrorLine()
                #expect(line.contains("was free within 0.3 s (--pool-timeout)"), "\(line)")
                #expect(ContinuousClock.now - start >= .milliseconds(300))
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 2 && ["a\n", "b\n"].contains(run.stdout), "\(run)")
                #expect(server.requests.count == 1 && server.acceptedConnections == 1)
            }
        }
    }

    @Test func `what is printed of one exchange stands together, whatever the others do`() async throws {
        let gate = Gate()
        let names = (1...4).map { "/file\($0)" }
        try await withFolder { folder in
            // All requests have arrived before the server answers any of them.
            let server = try await ScriptedServer.start { request in
                .ok("body", headers: [.contentLocation: request.path]).after(gate)
            }
            try await server.use { server in
                let tool = try ToolProcess(["-d", "-v"] + names.map { server.url + $0 }, directory: folder)
                try await gate.waitForArrivals(4)
                gate.open()
                let run = try await tool.finished()
                #expect(run.status == 0, "\(run)")
                let exchanges = run.stdout.components(separatedBy: "GET ").dropFirst()
                #expect(exchanges.count == 4)
                for exchange in exchanges {
                    let name = exchange.prefix { $0 != " " }
                    #expect(exchange.ranges(of: "HTTP/1.1 200 OK").count == 1, "\(run.stdout)")
                    #expect(exchange.contains("Content-Location: \(name)\r\n"), "\(run.stdout)")
                }
            }
        }
    }

    @Test func `a run's jar is opened once, and keeps what all of them set`() async throws {
        try await withFolder { folder in
            let jar = folder.appending(path: "cookies.txt")
            let text = "# Netscape HTTP Cookie File\nnonsense\n127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t7\n"
            try Data(text.utf8).write(to: jar)
            let server = try await ScriptedServer.start { request in
                .ok("", headers: [.setCookie: "\(request.path.dropFirst())=1; Max-Age=60; Path=/"])
            }
            try await server.use { server in
                let names = ["one", "two", "three"]
                let run = try await ToolProcess(
                    ["-d", "--cookie-jar", jar.path] + names.map { "\(server.url)/\($0)" }, directory: folder
                ).finished()
                #expect(run.status == 0 && run.stderr.ranges(of: "line 2: ").count == 1, "\(run)")
                #expect(server.requests.allSatisfy { $0["cookie"]?.contains("id=7") == true })
                #expect(try Set(CookieJar(file: jar.path).cookies.map(\.name)) == Set(names + ["id"]))
            }
        }
    }

    @Test func `users in URLs stay apart`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("x") }.use { server in
                let urls = ["a", "b", "c"].map { "http://\($0):1@127.0.0.1:\(server.port)/\($0)" }
                for options in [["-d"], ["-d", "--auth-type=basic"]] {
                    let run = try await ToolProcess(options + urls, directory: folder).finished()
                    #expect(run.status == 0, "\(run)")
                }
                #expect(server.requests.count == 6)
                for request in server.requests {
                    let user = request.path.dropFirst()
                    #expect(request["authorization"] == "Basic " + Data("\(user):1".utf8).base64EncodedString())
                }
            }
        }
    }

    @Test(arguments: ["0", "257", "-1"]) func `no connection at all is none that can be meant`(count: String)
        async throws
    {
        let run = try await ToolProcess(["--max-connections", count, "http://a.example/"]).finished()
        #expect(run.status == 64 && run.stderr.contains("--max-connections is a number from 1 to 256."), "\(run)")
    }
}
#endif
