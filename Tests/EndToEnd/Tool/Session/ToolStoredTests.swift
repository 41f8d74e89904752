// ToolStoredTests: `tsubame cookies` and `tsubame cache`, which list and remove what the tool keeps.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolStoredTests {
    /// Runs the tool with folders of its own for sessions and cache.
    private func run(_ folder: URL, _ arguments: String...) async throws -> ProductRun {
        let folders = [
            "XDG_CONFIG_HOME": folder.appending(path: "config").path,
            "XDG_CACHE_HOME": folder.appending(path: "cache").path,
        ]
        return try await ToolProcess(arguments, environment: folders).finished()
    }

    // MARK: Cookies

    private static let cookies = Reply.ok(
        "",
        headers: HTTPFields([
            .init(name: .setCookie, value: "a=secret"), .init(name: .setCookie, value: "b=2; Path=/b"),
        ]))

    @Test func `cookies of sessions are listed without their values, and removed`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in Self.cookies }.use { server in
                for session in ["one", "two"] { _ = try await run(folder, "--session", session, server.url + "/b/c") }
                let all = try await run(folder, "cookies")
                #expect(all.status == 0 && !all.stdout.contains("secret"), "\(all)")
                for text in ["/one.json:\n", "/two.json:\n", "  a=…; host 127.0.0.1; path /b", "  b=…; "] {
                    #expect(all.stdout.contains(text), "\(all)")
                }
                let one = try await run(folder, "cookies", "--session=one", "--values", server.url + "/b")
                #expect(one.stdout.contains("a=secret; ") && !one.stdout.contains("two.json"), "\(one)")
                // A cookie of /b is not sent elsewhere.
                let other = try await run(folder, "cookies", server.url + "/x")
                #expect(other.status == 1 && other.stdout.isEmpty && other.stderr.contains("no cookie for"))
                let cleared = try await run(folder, "cookies", "--clear", "--session=one")
                #expect(cleared.status == 0 && cleared.stdout.hasPrefix("removed from "), "\(cleared)")
                let left = try await run(folder, "cookies")
                #expect(left.stdout.contains("two.json") && !left.stdout.contains("one.json"), "\(left)")
            }
        }
    }

    @Test func `cookies of a jar are listed and removed`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in Self.cookies }.use { server in
                let jar = folder.appending(path: "jar").path
                _ = try await run(folder, "--cookie-jar", jar, server.url + "/b/c")
                let listed = try await run(folder, "cookies", "--cookie-jar", jar)
                #expect(listed.stdout.contains("  a=…; ") && listed.stdout.contains("  b=…; "), "\(listed)")
                #expect(try await run(folder, "cookies", "--clear", "--cookie-jar", jar).status == 0)
                #expect(try await run(folder, "cookies", "--cookie-jar", jar).status == 1)
                #expect(try !String(contentsOfFile: jar, encoding: .utf8).contains("secret"))
            }
            let missing = try await run(folder, "cookies", "--cookie-jar", folder.appending(path: "none").path)
            #expect(missing.status == 1 && missing.stderr.contains("cannot be read"), "\(missing)")
            let both = try await run(folder, "cookies", "--cookie-jar=x", "--session=y")
            #expect(both.status == 64 && both.stderr.contains("exclude each other"))
            let words = try await run(folder, "cookies", "a", "b")
            #expect(words.status == 64 && words.stderr.contains("one word too many"))
        }
    }

    // MARK: Cache

    @Test func `responses are listed, explained and removed`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { request in
                switch request.path {
                case "/fresh": .ok("hello", headers: [.cacheControl: "max-age=1000", .vary: "Accept"])
                case "/stale": .ok("old", headers: [.cacheControl: "max-age=0", .eTag: "\"1\""])
                default: .ok("no", headers: [.cacheControl: "no-store"])
                }
            }.use { server in
                let empty = try await run(folder, "cache")
                #expect(empty.status == 1 && empty.stderr.contains("the cache is empty"), "\(empty)")
                for path in ["/fresh", "/stale", "/none"] { _ = try await run(folder, "--cache", server.url + path) }
                let all = try await run(folder, "cache")
                #expect(all.status == 0 && all.stdout.hasSuffix("2 responses, 8 B\n"), "\(all)")
                #expect(all.stdout.contains("GET \(server.url)/fresh\n  200, 5 B, "), "\(all)")
                #expect(all.stdout.contains("chosen by accept\n") && all.stdout.contains("the server can confirm it\n"))
                let one = try await run(folder, "cache", server.url + "/fresh#part")
                #expect(one.stdout.contains("1 response, 5 B") && one.stdout.contains(", fresh for "), "\(one)")
                let why = try await run(folder, "cache", "--why", server.url + "/none")
                #expect(why.status == 0 && why.stdout.contains("the answer is not stored: "), "\(why)")
                let hit = try await run(folder, "cache", "--why", server.url + "/fresh")
                #expect(hit.stdout.contains("the stored response is fresh") && hit.stdout.contains("\nstored: 200"))
                #expect(try await run(folder, "cache", "--clear", server.url + "/fresh").status == 0)
                let left = try await run(folder, "cache")
                #expect(left.stdout.hasSuffix("1 response, 3 B\n") && !left.stdout.contains("/fresh"), "\(left)")
                #expect(try await run(folder, "cache", "--clear").status == 0)
                #expect(try await run(folder, "cache").status == 1)
            }
        }
    }

    @Test(arguments: [(["--why"], "needs a URL"), (["--why", "--clear", "a"], "exclude"), (["a", "b"], "one word")])
    func `wrong use is named`(arguments: [String], text: String) async throws {
        let run = try await ToolProcess(["cache"] + arguments).finished()
        #expect(run.status == 64 && run.stderr.contains(text), "\(run)")
    }
}
#endif
