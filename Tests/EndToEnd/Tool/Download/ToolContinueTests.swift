// ToolContinueTests: the messages of `tsubame -d -c` about existing files: complete, partial, or impossible to resume.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolContinueTests {
    private static let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    private static let dated: HTTPFields = [
        .date: "Sat, 01 Jan 2022 00:00:00 GMT", .lastModified: "Sat, 01 Jan 2000 00:00:00 GMT",
    ]
    private static let half = String(repeating: "x", count: 150_000)

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func put(_ text: String, _ name: String, in folder: URL) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// The result of `-d -c` for `/a/report.txt`, whose content at the server is `hello`.
    private func run(
        _ arguments: [String] = [], headers: HTTPFields = [:], in folder: URL
    ) async throws -> ProductRun {
        try await ScriptedServer.start { _ in .ok("hello", headers: headers) }.use { server in
            try await ToolProcess(["-d", "-c", server.url + "/a/report.txt"] + arguments, directory: folder).finished()
        }
    }

    /// A response that ends after half of the file.
    private static func broken(_ fields: HTTPFields, _ end: Reply.Step = .close) -> Reply {
        var fields = fields
        fields[.contentLength] = "\(2 * half.utf8.count)"
        return [.bytes(Reply.head(.ok, fields)), .bytes(half), end]
    }

    // MARK: Files of other programs

    @Test(arguments: [[], ["-o", "report.txt"]])
    func `the shorter file of another program is continued, and told of`(options: [String]) async throws {
        let text = Self.half + Self.half
        try await withFolder { folder in
            try put(Self.half, "report.txt", in: folder)
            try await ScriptedServer.start { request in
                var fields = Self.dated
                (fields[.acceptRanges], fields[.eTag]) = ("bytes", "\"1\"")
                guard request["range"] != nil else { return .ok(text, headers: fields) }
                fields[.contentRange] = "bytes 150000-299999/300000"
                fields[.contentLength] = "150000"
                return [.bytes(Reply.head(.partialContent, fields)), .bytes(Self.half)]
            }.use { server in
                let run = try await ToolProcess(
                    ["-d", "-c", server.url + "/a/report.txt"] + options, directory: folder
                ).finished()
                #expect(run.status == 0 && run.stdout == "report.txt\n", "\(run)")
                #expect(
                    run.stderr == "tsubame: the download continues after the 150000 of 300000 bytes in report.txt\n")
                #expect(server.requests.map { $0["range"] } == [nil, "bytes=150000-"])
                #expect(server.requests.map { $0["if-range"] } == [nil, "\"1\""])
                #expect(try names(folder) == ["report.txt"])
                #expect(try Data(contentsOf: folder.appending(path: "report.txt")) == Data(text.utf8))
            }
        }
    }

    @Test func `with -vv both responses have figures, and each exchange its own times`() async throws {
        let text = Self.half + Self.half
        try await withFolder { folder in
            try put(Self.half, "report.txt", in: folder)
            try await ScriptedServer.start { request in
                var fields: HTTPFields = [.acceptRanges: "bytes", .eTag: "\"1\""]
                guard request["range"] != nil else { return .ok(text, headers: fields) }
                fields[.contentRange] = "bytes 150000-299999/300000"
                fields[.contentLength] = "150000"
                return [.bytes(Reply.head(.partialContent, fields)), .bytes(Self.half)]
            }.use { server in
                let run = try await ToolProcess(
                    ["-d", "-c", "-vv", "--timings", server.url + "/report.txt"], directory: folder
                ).finished()
                #expect(run.status == 0, "\(run)")
                let parts = run.stdout.components(separatedBy: "Elapsed time: ")
                #expect(parts.count == 3 && parts[2].contains("Exchanges: 2"), "\(run)")
                #expect(run.stderr.components(separatedBy: "GET http://").count == 3, "\(run)")
            }
        }
    }

    @Test func `a file on the output is no place for a download that continues`() async throws {
        try await withFolder { folder in
            for words in [["-c"], ["--digest=sha256:\(Self.hello)"]] {
                let run = try await ToolProcess(
                    ["-d"] + words + ["http://a.example/x"], output: .file(folder.appending(path: "out")),
                    directory: folder
                ).finished()
                #expect(run.status == 64 && run.stderr.contains("give -o FILE, and not > FILE"), "\(run)")
            }
        }
    }

    // MARK: Whole files

    @Test(arguments: [[], ["-o", "mine.txt"], ["--digest=sha256:\(hello)"]])
    func `a file that is whole is told of, and not fetched again`(options: [String]) async throws {
        let name = options.last == "mine.txt" ? "mine.txt" : "report.txt"
        try await withFolder { folder in
            for attempt in 1...3 {
                let run = try await run(options, headers: Self.dated, in: folder)
                #expect(run.status == 0 && run.stdout == name + "\n", "\(run)")
                let known =
                    options.last?.hasPrefix("--digest") == true
                    ? "with the expected digest" : "with the server's length and date"
                let told =
                    "tsubame: \(name) is there already, 5 bytes, \(known): nothing to fetch; "
                    + "without -c it is fetched anew\n"
                #expect(run.stderr == (attempt == 1 ? "" : told), "\(run)")
                #expect(try names(folder) == [name])
            }
        }
    }

    @Test func `a file of another length gets no part of the new one, which has a number and is whole the next time`()
        async throws
    {
        try await withFolder { folder in
            try put("mine", "report.txt", in: folder)
            let first = try await run(headers: Self.dated, in: folder)
            #expect(first.status == 0 && first.stdout == "report-1.txt\n", "\(first)")
            #expect(
                first.stderr
                    == "tsubame: report.txt is there already, but the server offers no ranges to continue it: this becomes report-1.txt\n"
            )
            let second = try await run(headers: Self.dated, in: folder)
            #expect(second.stdout == "report-1.txt\n" && second.stderr.contains("nothing to fetch"), "\(second)")
            #expect(try names(folder) == ["report-1.txt", "report.txt"])
            // Without -c the tool compares nothing and reports nothing.
            let anew = try await ScriptedServer.start { _ in .ok("hello") }.use { server in
                try await ToolProcess(["-d", server.url + "/a/report.txt"], directory: folder).finished()
            }
            #expect(anew.stdout == "report-2.txt\n" && anew.stderr.isEmpty, "\(anew)")
        }
    }

    @Test(
        arguments: [
            ([], dated, "its date differs from the server's"),
            ([], [.eTag: "\"one\""], "only its length matches the server's file"),
            (
                [], [.reprDigest: "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"],
                "it differs from the server's file"
            ),
            (["--digest=sha256:\(hello)"], dated, "it differs from the server's file"),
        ] as [([String], HTTPFields, String)])
    func `a file that is as long, and nothing else is known to be the same, is not taken for the server's`(
        options: [String], fields: HTTPFields, reason: String
    ) async throws {
        try await withFolder { folder in
            try put("hallo", "report.txt", in: folder)
            let run = try await run(options, headers: fields, in: folder)
            #expect(run.status == 0 && run.stdout == "report-1.txt\n", "\(run)")
            #expect(
                run.stderr.contains("report.txt is there already, but \(reason): this becomes report-1.txt"), "\(run)")
        }
    }

    @Test(arguments: [true, false])
    func `a file of another URL with the same name, length and date is not taken when the same command wrote it`(
        isDated: Bool
    ) async throws {
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                let (text, tag) = request.target == "/v1/SUM" ? ("hello", "\"one\"") : ("hallo", "\"two\"")
                var fields = isDated ? Self.dated : [:]
                fields[.eTag] = tag
                return .ok(text, headers: fields)
            }
            try await server.use { server in
                let urls = ["/v1/SUM", "/v2/SUM"].map { server.url + $0 }
                if isDated {
                    let run = try await ToolProcess(["-d", "-c"] + urls, directory: folder).finished()
                    #expect(run.status == 0, "\(run)")
                } else {
                    for url in urls {
                        let run = try await ToolProcess(["-d", "-c", url], directory: folder).finished()
                        #expect(run.status == 0, "\(run)")
                    }
                }
            }
            #expect(try names(folder) == ["SUM", "SUM-1"])
            let texts = try names(folder).map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
            #expect(Set(texts) == ["hello", "hallo"])
        }
    }

    @Test func `a file gets the date of the server's, but not one of the second in which it was sent`() async throws {
        try await withFolder { folder in
            func date(_ fields: HTTPFields, _ name: String) async throws -> Double? {
                _ = try await run(["-o", name], headers: fields, in: folder)
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
                return (attributes[.modificationDate] as? Date)?.timeIntervalSince1970
            }
            let known = try await date(Self.dated, "a")
            #expect(known == 946_684_800)
            var fields = Self.dated
            fields[.date] = fields[.lastModified]
            let fresh = try await date(fields, "b")
            #expect(fresh ?? 0 > 1_600_000_000)
        }
    }

    @Test func `three files at most are read for one of the digest that is expected`() async throws {
        try await withFolder { folder in
            let digest = ["--digest=sha256:\(Self.hello)"]
            for name in ["report.txt", "report-1.txt"] { try put("hallo", name, in: folder) }
            try put("hello", "report-2.txt", in: folder)
            let third = try await run(digest, in: folder)
            #expect(third.stdout == "report-2.txt\n" && third.stderr.contains("nothing to fetch"), "\(third)")
            try put("hallo", "report-2.txt", in: folder)
            try put("hello", "report-3.txt", in: folder)
            let fourth = try await run(digest, in: folder)
            #expect(fourth.status == 0 && fourth.stdout == "report-4.txt\n", "\(fourth)")
        }
    }

    @Test func `a file of which the server does not say how long it is, is fetched`() async throws {
        try await withFolder { folder in
            try put("hello", "report.txt", in: folder)
            let reply = Reply.chunked(["hello"])
            let run = try await ScriptedServer.start { _ in reply }.use { server in
                try await ToolProcess(["-d", "-c", server.url + "/report.txt"], directory: folder).finished()
            }
            #expect(run.stdout == "report-1.txt\n" && run.stderr.contains("does not say how long it is"), "\(run)")
        }
    }

    // MARK: Downloads that cannot be resumed

    @Test(
        arguments: [
            (
                [:],
                "the server names no version of it (a strong ETag, or a Last-Modified at least a second before its Date)"
            ),
            (
                [.eTag: "W/\"one\""],
                "the server names no version of it (a strong ETag, or a Last-Modified at least a second before its Date)"
            ),
            ([.eTag: "\"one\"", .acceptRanges: "none"], "the server serves no ranges"),
        ] as [(HTTPFields, String)])
    func `that a download cannot be resumed is told while it comes`(fields: HTTPFields, reason: String) async throws {
        let gate = Gate()
        try await withFolder { folder in
            try await ScriptedServer.start { _ in Self.broken(fields, .wait(for: gate)) }.use { server in
                let tool = try ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder)
                let line = try await tool.firstErrorLine()
                #expect(line == "tsubame: if this download breaks off, it begins anew: \(reason)")
                tool.send(signal: SIGINT)
                let run = try await tool.finished()
                #expect(run.status == 128 + SIGINT && run.stderr.isEmpty, "\(run)")
                #expect(try names(folder).isEmpty)
            }
        }
    }

    @Test func `what is thrown away because the server has another version is told`() async throws {
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request.index == 0 ? Self.broken([.eTag: "\"one\""]) : .ok("hello", headers: [.eTag: "\"two\""])
            }
            try await server.use { server in
                _ = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder).finished()
                let run = try await ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder).finished()
                #expect(run.status == 0 && server.requests.last?["range"] == "bytes=150000-", "\(run)")
                #expect(run.stderr.contains("begins anew: the 150000 bytes that are there are of another version"))
                #expect(try names(folder) == ["big.bin"])
            }
        }
    }

    @Test func `what is left of another URL's version stays, and is told`() async throws {
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request.index == 0 ? Self.broken([.eTag: "\"one\""]) : .ok("hello", headers: [.eTag: "\"two\""])
            }
            try await server.use { server in
                _ = try await ToolProcess(["-d", "-c", server.url + "/big.bin?id=1"], directory: folder).finished()
                let run = try await ToolProcess(["-d", "-c", server.url + "/big.bin?id=2"], directory: folder)
                    .finished()
                #expect(run.status == 0 && run.stdout == "big-1.bin\n", "\(run)")
                let told = "an unfinished big.bin of another URL or version, which stays: this becomes big-1.bin"
                #expect(run.stderr.contains(told), "\(run)")
                #expect(try names(folder) == [".big.bin.tsubame-info", ".big.bin.tsubame-part", "big-1.bin"])
            }
        }
    }

    // MARK: Resumed downloads

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `an interrupted download says what is kept, and how it goes on`(signal: Int32) async throws {
        let gate = Gate()
        try await withFolder { folder in
            try await ScriptedServer.start { _ in Self.broken([.eTag: "\"one\""], .wait(for: gate)) }.use { server in
                let tool = try ToolProcess(["-d", "-c", server.url + "/big.bin"], directory: folder)
                let part = folder.appending(path: ".big.bin.tsubame-part")
                while ((try? Data(contentsOf: part)) ?? Data()).count < 150_000 {
                    try Task.checkCancellation(); await Task.yield()
                }
                tool.send(signal: signal)
                let run = try await tool.finished()
                #expect(run.status == 128 + signal, "\(run)")
                #expect(
                    run.stderr
                        == "tsubame: 146.4 KiB are kept in .big.bin.tsubame-part; the same command goes on from there\n"
                )
            }
        }
    }

    @Test func `an interrupted download gives no figure where an earlier run has left gaps`() async throws {
        let (gate, total) = (Gate(), 8 << 20)
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                var fields: HTTPFields = [.eTag: "\"one\"", .acceptRanges: "bytes", .contentLength: "\(total)"]
                let bounds = request["range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                if let start = bounds?.first {
                    let end = bounds?.dropFirst().first ?? total - 1
                    fields[.contentLength] = "\(end + 1 - start)"
                    fields[.contentRange] = "bytes \(start)-\(end)/\(total)"
                }
                let head = Reply.head(bounds == nil ? .ok : .partialContent, fields)
                let letter = request.index < 2 ? "x" : "y"
                return [.bytes(head), .bytes(String(repeating: letter, count: 150_000)), .wait(for: gate)]
            }
            try await server.use { server in
                let part = folder.appending(path: ".big.bin.tsubame-part")
                for (run, options) in [["--connections=2"], []].enumerated() {
                    let tool = try ToolProcess(["-d", "-c", server.url + "/big.bin"] + options, directory: folder)
                    try await gate.waitForArrivals(run + 2)
                    let range = server.requests.last?["range"]?.dropFirst("bytes=".count).prefix { $0 != "-" }
                    let length = (run == 0 ? total / 2 : range.flatMap { Int($0) } ?? 0) + 150_000
                    let letter = run == 0 ? UInt8(ascii: "x") : UInt8(ascii: "y")
                    while true {
                        let bytes = (try? Data(contentsOf: part)) ?? Data()
                        if bytes.count >= length, bytes[length - 1] == letter { break }
                        try Task.checkCancellation()
                        await Task.yield()
                    }
                    tool.send(signal: SIGINT)
                    let ended = try await tool.finished()
                    #expect(
                        ended.stderr
                            == "tsubame: the received part is kept in .big.bin.tsubame-part; the same command goes on from there\n"
                    )
                }
            }
        }
    }

    @Test func `a download that breaks off without -c is told what -c would do`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in Self.broken([.eTag: "\"one\""]) }.use { server in
                let run = try await ToolProcess(["-d", "--retry=2", server.url + "/big.bin"], directory: folder)
                    .finished()
                #expect(
                    run.status == 1
                        && run.stderr.hasSuffix(
                            "\n  with -c, the received part is kept: the same command goes on from there, and --retry at once\n"
                        ), "\(run)")
                #expect(server.requests.count == 1)
                let kept = try await ToolProcess(["-d", "-c", "--retry=1", server.url + "/b"], directory: folder)
                    .finished()
                #expect(kept.stderr.contains("an incomplete answer after 150000 bytes, retry 1 of 1"), "\(kept)")
                #expect(!kept.stderr.contains("incompleteResponse") && !kept.stderr.contains("with -c"), "\(kept)")
            }
        }
    }

    @Test func `a wrong digest is told as one`() async throws {
        try await withFolder { folder in
            let run = try await run(["--digest=sha256:\(String(repeating: "0", count: 64))"], in: folder)
            #expect(run.status == 1 && run.stderr.contains("failed while checking the file: the file has the SHA-256"))
            #expect(try names(folder).isEmpty)
        }
    }
}
#endif
