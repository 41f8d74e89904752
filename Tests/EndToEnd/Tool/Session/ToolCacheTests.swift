// ToolCacheTests: `tsubame --cache`: responses that are kept from one run to the next.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolCacheTests {
    private static let server: @Sendable (ReceivedRequest) -> Reply = { request in
        request.target == "/fresh"
            ? .ok("fresh", headers: [.cacheControl: "max-age=600"])
            : request["if-none-match"] == "\"v\""
                ? .status(.notModified, headers: [.eTag: "\"v\"", .cacheControl: "no-cache"])
                : .ok("asked for", headers: [.eTag: "\"v\"", .cacheControl: "no-cache"])
    }

    private func run(_ folder: URL, _ words: [String]) async throws -> ProductRun {
        try await ToolProcess(
            words,
            environment: ["XDG_CACHE_HOME": folder.path, "XDG_CONFIG_HOME": folder.appending(path: "config").path]
        ).finished()
    }

    @Test func theListWithholdsSecretsAndNoURLIsAMistake() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                let sent = try await run(folder, ["--cache", server.url + "/fresh?api_key=SECRET&page=2"])
                #expect(sent.status == 0)
                let list = try await run(folder, ["cache"])
                #expect(list.stdout.contains("page=2") && !list.stdout.contains("SECRET"), "\(list)")
                for command in ["cache", "cookies"] {
                    let wrong = try await run(folder, [command, "foo:bar:baz"])
                    #expect(wrong.status == 64 && !wrong.stderr.isEmpty, "\(wrong)")
                }
            }
        }
    }

    @Test func whatIsFreshIsAnsweredByTheLastRun() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                let url = server.url + "/fresh"
                for hit in ["uri-miss", "hit", "hit"] {
                    let run = try await run(folder, ["--cache", "--print=bm", url])
                    #expect(run.status == 0 && run.stdout.hasPrefix("fresh"), "\(run)")
                    #expect(
                        run.stdout.contains("Cache: tsubame; \(hit == "hit" ? hit : "fwd=" + hit)")
                            && run.stderr.isEmpty, "\(run)")
                }
                #expect(server.requests.count == 1)
                // Without --cache, or with an option against it, the tool asks the server.
                for words in [[], ["--cache", "--no-cache"], ["--cache", "Cache-Control:no-cache"]] {
                    let run = try await run(
                        folder, words.filter { $0.hasPrefix("-") } + [url] + words.filter { !$0.hasPrefix("-") })
                    #expect(run.status == 0 && run.stdout == "fresh", "\(run)")
                }
                #expect(server.requests.count == 4)
                let only = try await run(folder, ["--cache", server.url + "/other", "Cache-Control:only-if-cached"])
                #expect(only.status == 5 && server.requests.count == 4, "\(only)")
            }
        }
    }

    @Test func whatIsNotPrintedIsKeptAsWell() async throws {
        let gate = Gate()
        try await withFolder { folder in
            let server = try await ScriptedServer.start { _ in
                let reply = Reply.ok("body", headers: [.cacheControl: "max-age=600"])
                return Reply([reply.steps[0], .wait(for: gate)] + reply.steps.dropFirst())
            }
            try await server.use { server in
                let first = try ToolProcess(
                    ["--cache", "--print=h", server.url],
                    environment: [
                        "XDG_CACHE_HOME": folder.path, "XDG_CONFIG_HOME": folder.appending(path: "config").path,
                    ])
                _ = try await first.printed("max-age=600")
                gate.open()
                let asked = try await first.finished()
                #expect(asked.status == 0, "\(asked)")
                let kept = try await run(folder, ["--cache", "-b", server.url])
                #expect(kept.status == 0 && kept.stdout == "body" && server.requests.count == 1, "\(kept)")
            }
        }
    }

    @Test func whatIsStoredIsAskedAfter() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                for _ in 0..<3 {
                    let run = try await run(folder, ["--cache", "-b", server.url + "/validated"])
                    #expect(run.status == 0 && run.stdout == "asked for" && run.stderr.isEmpty, "\(run)")
                }
                #expect(server.requests.map { $0["if-none-match"] } == [nil, "\"v\"", "\"v\""])
            }
        }
    }

    @Test func nobodyElseCanReadIt() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                _ = try await run(folder, ["--cache", server.url + "/fresh"])
                let manager = FileManager.default
                let names = try manager.subpathsOfDirectory(atPath: folder.path)
                #expect(names.contains("tsubame/responses"))
                for name in names {
                    let path = folder.appending(path: name).path
                    let mode = try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                    #expect(mode.map { $0 & 0o077 } == 0, "\(name)")
                }
            }
        }
    }

    @Test func withoutAPlaceTheRequestIsSentNevertheless() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                let file = folder.appending(path: "file")
                try Data().write(to: file)
                let run = try await run(file, ["--cache", server.url + "/fresh"])
                #expect(run.status == 0 && run.stdout == "fresh", "\(run)")
                #expect(run.stderr.contains("runs without --cache"), "\(run)")
                let silent = try await self.run(file, ["-qq", "--cache", server.url + "/fresh"])
                #expect(silent.status == 0 && silent.stderr.isEmpty, "\(silent)")
            }
        }
    }

    @Test func theHeadOfWhatIsStoredIsPrinted() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                _ = try await run(folder, ["--cache", server.url + "/fresh"])
                let hit = try await run(folder, ["--cache", "--print=hb", server.url + "/fresh"])
                #expect(hit.stdout.hasPrefix("HTTP/1.1 200 \r\n"), "\(hit)")
                for text in ["\r\nage: ", "\r\ncache-status: tsubame; hit", "\r\n\r\nfresh"] {
                    #expect(hit.stdout.lowercased().contains(text), "\(hit)")
                }
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func nobodyIsAnsweredByWhatWasForAnother() async throws {
        try await withFolder { folder in
            let identity = TLSIdentity.selfSigned
            let server = try await ScriptedServer.start(tls: identity) { request in
                .ok("for \(request["cookie"] ?? "nobody")", headers: [.cacheControl: "private, max-age=600"])
            }
            try await server.use { server in
                for (session, cookie) in [("a", "user=a"), ("b", "user=b"), ("a", "user=a")] {
                    let words = ["--cache", "--verify=no", "--session-read-only=\(session)", "-b", server.url]
                    let run = try await run(folder, words + ["Cookie:\(cookie)"])
                    #expect(run.stdout == "for \(cookie)", "\(run)")
                }
                // The response to a run that did not verify the server is not used for a run that does.
                let checked = try await run(folder, ["--cache", server.url, "Cookie:user=a"])
                #expect(checked.status == 1 && checked.stdout.isEmpty, "\(checked)")
            }
        }
    }

    @Test func `FAULT 21: a new session file at the path of an old one gets no page of the old account`() async throws {
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request.target.hasPrefix("/login")
                    ? .ok("", headers: [.setCookie: "user=\(request.target.dropFirst(7)); Path=/"])
                    : .ok("for \(request["cookie"] ?? "none")", headers: [.cacheControl: "max-age=600"])
            }
            try await server.use { server in
                let session = folder.appending(path: "s.json")
                let words = ["--cache", "--session=\(session.path)", "-b"]
                for user in ["alice", "bob"] {
                    let login = try await run(folder, words + [server.url + "/login/\(user)"])
                    #expect(login.status == 0, "\(login)")
                    for _ in 0..<2 {
                        let run = try await run(folder, words + [server.url + "/page"])
                        #expect(run.stdout == "for user=\(user)", "\(run)")
                    }
                    try FileManager.default.removeItem(at: session)
                }
                #expect(server.requests.count == 4)
            }
        }
    }

    @Test func whatIsDamagedIsForgottenAndTold() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start(Self.server).use { server in
                _ = try await run(folder, ["--cache", server.url + "/fresh"])
                let responses = folder.appending(path: "tsubame/responses")
                for name in try FileManager.default.subpathsOfDirectory(atPath: responses.path) where name.contains("/")
                {
                    try Data("damaged".utf8).write(to: responses.appending(path: name))
                }
                let first = try await run(folder, ["--cache", server.url + "/fresh"])
                #expect(first.stdout == "fresh" && first.stderr.contains("was damaged"), "\(first)")
                let second = try await run(folder, ["--cache", server.url + "/fresh"])
                #expect(second.stdout == "fresh" && second.stderr.isEmpty && server.requests.count == 2, "\(second)")
            }
        }
    }
}
#endif
