// StoreToolTests: SQLite stores that several processes change at once, some of which are killed.
#if Store
import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameStore
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct StoreToolTests {
    @Test func processesThatChangeAJarAtOnceLoseNothing() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "cookies.sqlite").path
            let runs = try await withThrowingTaskGroup(of: ProductRun.self) { group in
                for writer in 0..<3 {
                    group.addTask { try await runProduct("StoreWriter", ["cookies", path, "w\(writer)-", "50"]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for run in runs { #expect(run.status == 0 && run.lines.count == 50, "\(run)") }
            let jar = try CookieJar(sqlite: path)
            #expect(Set(jar.cookies.map(\.name)) == Set((0..<150).map { "w\($0 / 50)-\($0 % 50)" }))
            #expect(jar.notices.isEmpty)
        }
    }

    @Test func aProcessThatIsKilledLosesNothingThatItHadKept() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "cookies.sqlite").path
            let jar = try CookieJar(sqlite: path)
            let rounds = ProcessInfo.processInfo.environment["TSUBAME_KILLS"].flatMap { Int($0) } ?? 20
            for round in 0..<rounds {
                let writer = try RunningProduct("StoreWriter", ["cookies", path, "k", "1000000"])
                // At a different count in each round.
                let last = "\(10 + round % 20 * 7)"
                _ = try await writer.line { $0 == last }
                writer.send(signal: SIGKILL)
                let run = try await writer.finished()
                #expect(run.status == 128 + SIGKILL)
                let kept = try #require(run.lines.last.flatMap { Int($0) })

                // The jar that was open all the time, and a new jar.
                for jar in [jar, try CookieJar(sqlite: path)] {
                    // The last cookie may have been stored without a line about it, if the process was killed in
                    // between.
                    let newest = jar.cookies.compactMap { Int($0.value) }.max()
                    #expect(newest == kept || newest == kept + 1)
                    #expect(jar.cookies.count >= min(kept + 1, 100))
                    #expect(jar.failure == nil && jar.notices.isEmpty)
                }
                try jar.clear()
            }
        }
    }

    @Test func processesThatFindADamagedFileSetItAsideOnce() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "cookies.sqlite")
            try Data(repeating: 0x78, count: 20_000).write(to: file)
            let runs = try await withThrowingTaskGroup(of: ProductRun.self) { group in
                for writer in 0..<4 {
                    group.addTask { try await runProduct("StoreWriter", ["cookies", file.path, "w\(writer)-", "10"]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for run in runs { #expect(run.status == 0, "\(run)") }
            #expect(runs.filter { $0.stdout.contains("damaged") }.count == 1)
            #expect(try CookieJar(sqlite: file.path).cookies.count == 40)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.contains("damaged") }.count == 1, "\(names)")
        }
    }

    // MARK: The cache

    /// The server's content for a number: alternately stored in a row of the database and in a separate file.
    private static func content(_ number: Int) -> String {
        String(repeating: "\(number) ", count: number.isMultiple(of: 2) ? 30 : 40_000)
    }

    private static func serve() async throws -> ScriptedServer {
        try await ScriptedServer.start { request in
            let number = Int(request.target.dropFirst()) ?? 0
            return .ok(content(number), headers: [.cacheControl: "max-age=3600"])
        }
    }

    private static let places = ["cache.sqlite", "responses"]

    private static func open(_ place: String) throws -> ResponseCache {
        try place.hasSuffix(".sqlite") ? ResponseCache(sqlite: place) : ResponseCache(folder: place)
    }

    /// The files of a cache, without its database and the marker of its folder.
    private static func files(of place: String) throws -> [String] {
        let folder = place.hasSuffix(".sqlite") ? place + "-bodies" : place
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0 != "tsubame-cache" }
    }

    @Test(arguments: places) func `BAD-INPUT 43: a process that is killed loses no response that it had kept`(
        in place: String
    ) async throws {
        // `make kills` runs more rounds.
        let rounds = ProcessInfo.processInfo.environment["TSUBAME_KILLS"].flatMap { Int($0) } ?? 12
        try await withFolder { folder in
            try await Self.serve().use { server in
                let path = folder.appending(path: place).path
                let open = try Self.open(path)
                var unacknowledged = 0
                for round in 0..<rounds {
                    let writer = try RunningProduct("StoreWriter", ["cache", path, server.url, "1000000"])
                    let last = "\(3 + round % 17)"
                    _ = try await writer.line { $0 == last }
                    writer.send(signal: SIGKILL)
                    let run = try await writer.finished()
                    #expect(run.status == 128 + SIGKILL)
                    let kept = try #require(run.lines.last.flatMap { Int($0) })
                    for cache in [open, try Self.open(path)] {
                        let client = Client(server.url) { $0.cache = .cache(cache) }
                        for number in 0...(kept + 2) {
                            var request = Request(.get, "\(number)")
                            request.cachePolicy = .onlyStored
                            let response = try await client.send(request)
                            // The last response may have been stored without a line about it, if the process was killed
                            // in between.
                            if number > kept, response.statusCode == 504 { continue }
                            if number > kept { unacknowledged += 1 }
                            let text = try await response.text()
                            #expect(response.statusCode == 200 && text == Self.content(number))
                        }
                        await client.close()
                    }
                    open.removeAll()
                    let files = try Self.files(of: path)
                    #expect(files.isEmpty, "\(files)")
                }
                print(
                    "\(place): \(rounds) processes killed, \(unacknowledged / 2) had kept a response without having said so"
                )
            }
        }
    }

    @Test(arguments: places) func aCacheThatMayNotWriteAnyMoreCostsNoCallItsAnswer(in place: String) async throws {
        try await withFolder { folder in
            try await Self.serve().use { server in
                let path = folder.appending(path: place).path
                // Imitates a full disk: no file may grow beyond 64 blocks of 512 or 1024 bytes.
                let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" cache \"$1\" \"$2\" 40"
                let program = try BuiltProducts.url(of: "StoreWriter").path
                let run = try await runProduct("/bin/sh", ["-c", script, program, path, server.url])
                #expect(run.status == 0 && run.lines.count == 40, "\(run)")
                #expect(run.stderr.contains(path), "\(run)")
                // Stored responses are intact, and no other files are left.
                let cache = try Self.open(path)
                let client = Client(server.url) { $0.cache = .cache(cache) }
                var kept = 0
                for number in 0..<40 {
                    var request = Request(.get, "\(number)")
                    request.cachePolicy = .onlyStored
                    let response = try await client.send(request)
                    if response.statusCode == 504 { continue }
                    kept += 1
                    let text = try await response.text()
                    #expect(text == Self.content(number))
                }
                #expect(kept < 40)
                await client.close()
                let parts = try Self.files(of: path).filter { $0.hasSuffix(".part") }
                #expect(parts.isEmpty, "\(parts)")
            }
        }
    }

    @Test func processesThatFillACacheAtOnceReadWhatTheOthersHaveKept() async throws {
        try await withFolder { folder in
            try await Self.serve().use { server in
                let path = folder.appending(path: "cache.sqlite").path
                try await withThrowingTaskGroup(of: ProductRun.self) { group in
                    for _ in 0..<3 {
                        group.addTask { try await runProduct("StoreWriter", ["cache", path, server.url, "30"]) }
                    }
                    for try await run in group { #expect(run.status == 0 && run.lines.count == 30, "\(run)") }
                }
                let asked = server.requests.count
                #expect((30...90).contains(asked))
                let run = try await runProduct("StoreWriter", ["cache", path, server.url, "30"])
                #expect(run.status == 0 && run.lines.count == 30 && server.requests.count == asked)
            }
        }
    }
}
#endif
