// A jar of SQLite that several processes change at once, some of them killed.
#if Store
import Foundation
import Testing
import Tsubame
import TsubameStore

@Suite(.timeLimit(.minutes(2)))
struct StoreToolTests {
    @Test func processesThatChangeAJarAtOnceLoseNothing() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "cookies.sqlite").path
            let runs = try await withThrowingTaskGroup(of: ProductRun.self) { group in
                for writer in 0..<3 {
                    group.addTask { try await runProduct("CookieWriter", [path, "w\(writer)-", "50"]) }
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
            for round in 0..<20 {
                let writer = try RunningProduct("CookieWriter", [path, "k", "1000000"])
                // At another place each time.
                let last = "\(10 + round * 7)"
                _ = try await writer.line { $0 == last }
                writer.send(signal: SIGKILL)
                let run = try await writer.finished()
                #expect(run.status == 128 + SIGKILL)
                let kept = try #require(run.lines.last.flatMap { Int($0) })

                // This jar, which was open all the time, and a new one.
                for jar in [jar, try CookieJar(sqlite: path)] {
                    // The one under way may have been kept without a word of it.
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
                    group.addTask { try await runProduct("CookieWriter", [file.path, "w\(writer)-", "10"]) }
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
}
#endif
