// ToolCommandTests: the tool's commands demo, serve and help.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolCommandTests {
    // MARK: demo

    @Test func theDemoShowsWhatTheServerReceived() async throws {
        let demo = try await tool("demo")
        #expect(demo.status == 0, "\(demo)")
        #expect(demo.stderr.isEmpty)
        let encoded = "parameterTestKey=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20"
        let expected = [
            "  > GET /get?\(encoded) HTTP/1.1", "  > \(encoded)", "  > POST /login HTTP/1.1",
            "  > name=swallow&password=[redacted]",
            "  > GET /timeline/%E7%87%95%20%26%20co%2F%231.xml?count=2 HTTP/1.1", "  < <h1>ツバメの日記</h1>",
        ]
        for line in expected { #expect(demo.lines.contains(line), "\(line)") }
        #expect(!demo.stdout.contains("p%40ss"), "the password is withheld")
        #expect(demo.lines.filter { $0.hasPrefix("== ") }.count == 5)
        #expect(demo.lines.filter { $0.hasPrefix("  timings: ") }.count >= 12)
        let end = try #require(demo.lines.firstIndex { $0.hasPrefix("All ") })
        #expect(demo.lines[end].hasSuffix(" comparisons are right."))
        let next = demo.lines[(end + 1)...].filter { !$0.isEmpty }
        #expect(next.count == 3 && next[1].contains("tsubame serve") && next[2].contains("README.md"), "\(next)")
    }

    @Test func aByteThatDiffersTurnsTheDemoRed() async throws {
        let count = try await tool("demo").lines.filter { $0.hasPrefix("  ok ") }.count
        #expect(count > 75)
        // Each original has its own comparisons, and each of these numbers takes its own run.
        for number in [1, count / 5, 2 * count / 5, 3 * count / 5, 4 * count / 5, count] {
            let demo = try await tool("demo", "--flip", "\(number)")
            #expect(demo.status == 1)
            #expect(demo.lines.filter { $0.hasPrefix("  WRONG ") }.count == 1)
            #expect(demo.lines.contains { $0.hasPrefix("  WRONG \(number): ") })
            #expect(demo.lines.last == "1 of \(count) comparisons are wrong.")
        }
        #expect(try await tool("demo", "--flip", "\(count + 1)").status == 1)
    }

    @Test func aRequestThatDoesNotComeTurnsTheDemoRed() async throws {
        let demo = try await tool("demo", "--lose", "2")
        #expect(demo.status == 1)
        #expect(demo.lines.filter { $0.hasPrefix("  WRONG ") }.count == 1)
        #expect(demo.stdout.contains("the server has told of no request to /keyvalue"))
        #expect(demo.lines.filter { $0.hasPrefix("== ") }.count == 5, "the other jobs are done")
    }

    // MARK: serve

    @Test(arguments: [SIGINT, SIGTERM])
    func theServerServesUntilItIsInterrupted(signal: Int32) async throws {
        let server = try RunningProduct("tsubame", ["serve", "--port", "0"])
        let url = try await server.line { $0.hasPrefix("http://") }
        let answer = try await tool(url + "/anything", "a=1")
        #expect(answer.status == 0 && answer.stdout.contains("\"a\": \"1\""))
        server.send(signal: signal)
        let run = try await server.finished()
        #expect(run.status == 0, "\(run)")
        #expect(run.stdout == url + "\n")
        // The process has ended and its listener is closed, so another process may have its port already.
    }

    @Test func theServerListensWhereItIsTold() async throws {
        let server = try RunningProduct("tsubame", ["serve", "--host", "localhost", "--port=0"])
        let url = try await server.line { $0.hasPrefix("http://") }
        #expect(url.hasPrefix("http://localhost:"))
        #expect(try await tool(url + "/status/204").status == 0)
        server.send(signal: SIGTERM)
        #expect(try await server.finished().status == 0)
    }

    @Test func theServerSpeaksHTTPSAndWritesItsAuthority() async throws {
        try await withFolder { folder in
            let roots = folder.appending(path: "ca.pem").path
            let server = try RunningProduct("tsubame", ["serve", "--port", "0", "--tls-ca", roots])
            let url = try await server.line { $0.hasPrefix("https://") }
            #expect(try await server.line { $0.hasPrefix("CA certificate: ") } == "CA certificate: \(roots)")
            for name in ["127.0.0.1", "localhost"] {
                let answer = try await tool("--cacert", roots, url.replacing("127.0.0.1", with: name) + "/bearer")
                #expect(answer.status == 4)
            }
            #expect(try await tool(url + "/get").status == 1, "nobody else knows this authority")
            server.send(signal: SIGTERM)
            #expect(try await server.finished().status == 0)
        }
    }

    @Test func theAuthorityCanAlsoBeFetched() async throws {
        let server = try RunningProduct("tsubame", ["serve", "--port", "0", "--tls"])
        let line = try await server.line { $0.hasPrefix("CA certificate: ") }
        let answer = try await tool("--verify", "no", "--print", "b", String(line.dropFirst("CA certificate: ".count)))
        #expect(answer.stdout.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        server.send(signal: SIGTERM)
        #expect(try await server.finished().status == 0)
    }

    @Test func anAuthorityThatCannotBeWrittenIsAFailure() async throws {
        let run = try await tool("serve", "--port", "0", "--tls-ca", "/nowhere/ca.pem")
        #expect(run.status == 1 && run.stdout.isEmpty)
        #expect(run.stderr.contains("/nowhere/ca.pem"))
    }

    @Test func aPortThatIsTakenIsAFailure() async throws {
        try await ScriptedServer.start().use { server in
            let run = try await tool("serve", "--port", "\(server.port)")
            #expect(run.status == 1 && run.stdout.isEmpty)
            #expect(
                run.stderr == "tsubame: cannot listen on 127.0.0.1, port \(server.port): the port is already in use\n")
        }
    }

    // MARK: Help

    @Test func theVersionIsTheLibrarys() async throws {
        let run = try await tool("--version")
        #expect(run.status == 0)
        #expect(run.stdout.wholeMatch(of: /tsubame \d+\.\d+\.\d+\n/) != nil)
    }

    @Test(arguments: [
        (["--help"], "[METHOD] URL [ITEM …]"), (["help"], "[METHOD] URL [ITEM …]"), (["help", "serve"], "--port"),
        (["serve", "--help"], "--port"), (["demo", "--help"], "tsubame demo"),
    ])
    func helpIsThere(words: [String], text: String) async throws {
        let run = try await ToolProcess(words).finished()
        #expect(run.status == 0)
        #expect(run.stdout.contains(text))
        #expect(!run.stdout.contains("--flip") && !run.stdout.contains("--lose") && !run.stdout.contains("--text"))
    }
}
#endif
