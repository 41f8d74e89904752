// DatabaseJarTests: a jar that is kept in an SQLite database.
#if Store
import Foundation
import GRDB
import Synchronization
import Testing
import Tsubame
import TsubameStore
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct DatabaseJarTests {
    private let url = "https://www.example.com/"

    /// Runs `body` with a path in a new folder, and removes the folder afterwards.
    private func withPath(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "cookies.sqlite").path)
    }

    private func names(beside path: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: URL(filePath: path).deletingLastPathComponent().path))
    }

    @Test func `what is set is in the next jar, in order and with all that belongs to it`() async throws {
        try await withPath { path in
            let fields = [
                "b=1; Max-Age=60; Path=/x; Secure; HttpOnly; SameSite=Strict", "a=2; Max-Age=60; Domain=example.com",
                "名=燕\t; Max-Age=60", "token; Max-Age=60", "c=3; Max-Age=60; SameSite=None; Secure",
            ]
            var first: CookieJar? = try CookieJar(sqlite: path)
            for field in fields { try first?.set(field, from: url) }
            try first?.set("b=5; Max-Age=60; Path=/x", from: url)
            let cookies = first?.cookies
            first = nil
            let second = try CookieJar(sqlite: path)
            #expect(second.cookies == cookies)
            #expect(second.cookies.map(\.name) == ["b", "a", "名", "", "c"])
            #expect(second.failure == nil && second.notices.isEmpty)
            #expect("\(second)" == "cookie jar with 5 cookies in \(path)")
        }
    }

    @Test func `session cookies stay in memory unless they are asked for`() async throws {
        try await withPath { path in
            let jar = try CookieJar(sqlite: path)
            try jar.set("session=1", from: url)
            try jar.set("long=1; Max-Age=60", from: url)
            #expect(jar.cookies.count == 2)
            #expect(try CookieJar(sqlite: path).cookies.map(\.name) == ["long"])
            // A cookie that becomes a session cookie leaves the file.
            try jar.set("long=2", from: url)
            #expect(try CookieJar(sqlite: path).cookies.isEmpty)
            #expect(jar.cookies.count == 2)
        }
        try await withPath { path in
            let jar = try CookieJar(sqlite: path, keepsSessionCookies: true)
            try jar.set("session=1", from: url)
            #expect(try CookieJar(sqlite: path, keepsSessionCookies: true).cookies.map(\.name) == ["session"])
            #expect(try CookieJar(sqlite: path).cookies.isEmpty)
            try jar.endSession()
            #expect(try CookieJar(sqlite: path, keepsSessionCookies: true).cookies.isEmpty)
        }
    }

    @Test func `jars of one file see each other's changes, and keep their own sessions`() async throws {
        try await withPath { path in
            let (first, second) = (try CookieJar(sqlite: path), try CookieJar(sqlite: path))
            try second.set("session=2", from: url)
            try first.set("a=1; Max-Age=60", from: url)
            #expect(second.cookies.map(\.name) == ["session", "a"])
            try second.set("b=2; Max-Age=60", from: url)
            try first.set("a=3; Max-Age=60", from: url)
            #expect(try second.cookies(for: url).map(\.value) == ["2", "3", "2"])
            try second.delete { $0.name == "a" }
            #expect(first.cookies.map(\.name) == ["b"])
            try first.clear()
            #expect(second.cookies.map(\.name) == ["session"])
        }
    }

    @Test func `many jars that change the file at once lose nothing`() async throws {
        try await withPath { path in
            let url = url
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        let jar = try CookieJar(sqlite: path)
                        for number in 0..<25 { try jar.set("c\(writer)-\(number)=1; Max-Age=60", from: url) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try CookieJar(sqlite: path).cookies.count == 150)
        }
    }

    @Test func `a client's calls keep what servers set and send what others kept`() async throws {
        try await withPath { path in
            let server = try await ScriptedServer.start { request in
                request.path == "/set" ? .ok("", headers: [.setCookie: "id=1; Max-Age=60; Path=/"]) : .ok("")
            }
            try await server.use { server in
                let first = Client(server.url) { $0.cookies = (try? CookieJar(sqlite: path)).map { .jar($0) } ?? .off }
                let second = Client(server.url) { $0.cookies = (try? CookieJar(sqlite: path)).map { .jar($0) } ?? .off }
                for (client, path) in [(second, "get"), (first, "set"), (second, "get")] {
                    try await client.get(url: "\(server.url)/\(path)").accepted()
                }
                #expect(server.requests.map { $0["cookie"] } == [nil, nil, "id=1"])
                await first.close()
                await second.close()
            }
        }
    }

    @Test func `nobody but its owner can read the files`() async throws {
        try await withPath { path in
            let jar = try CookieJar(sqlite: path)
            try jar.set("a=1; Max-Age=60", from: url)
            let found = try names(beside: path)
            #expect(found.isSuperset(of: ["cookies.sqlite", "cookies.sqlite-wal"]))
            for name in found {
                let file = URL(filePath: path).deletingLastPathComponent().appending(path: name).path
                #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            }
            withExtendedLifetime(jar) {}
        }
    }

    @Test func `what has been sent lately is known to the next jar`() async throws {
        try await withPath { path in
            let server = try await ScriptedServer.start { _ in .ok("") }
            try await server.use { server in
                let jar = try CookieJar(sqlite: path)
                try jar.set("kept=1; Max-Age=60; Path=/kept", from: server.url)
                for number in 0..<179 { try jar.set("c\(number)=1; Max-Age=60; Path=/x", from: server.url) }
                let client = Client(server.url) { $0.cookies = .jar(jar) }
                try await client.get("kept").accepted()
                try jar.set("c0=2; Max-Age=60; Path=/x", from: server.url)
                await client.close()
                let next = try CookieJar(sqlite: path)
                for number in 0..<178 { try next.set("d\(number)=1; Max-Age=60; Path=/x", from: server.url) }
                #expect(next.cookies.count == 180)
                #expect(next.cookies.contains { $0.name == "kept" })
            }
        }
    }

    // MARK: Damaged files

    /// Ways to damage a file of two pages or more.
    enum Damage: CaseIterable {
        case garbage, header, pages, cut

        func spoil(_ bytes: inout [UInt8]) {
            switch self {
            case .garbage: bytes = Array("this is no database, but long enough to be one".utf8)
            case .header: for index in 0..<16 { bytes[index] = 0xFF }
            case .pages: for index in 4_096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
            case .cut: bytes = Array(bytes.prefix(6_000))
            }
        }
    }

    /// A file with cookies, all of them in the database itself.
    private func filled(_ path: String) throws {
        var jar: CookieJar? = try CookieJar(sqlite: path)
        for number in 0..<100 {
            try jar?.set("c\(number)=\(String(repeating: "x", count: 100)); Max-Age=60", from: url)
        }
        jar = nil
        let queue = try DatabaseQueue(path: path)
        _ = try queue.inDatabase { try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
    }

    @Test(arguments: Damage.allCases)
    func `a damaged file is set aside with a notice, and never served`(_ damage: Damage) async throws {
        try await withPath { path in
            try filled(path)
            var bytes = try Array(Data(contentsOf: URL(filePath: path)))
            damage.spoil(&bytes)
            try Data(bytes).write(to: URL(filePath: path))
            let jar = try CookieJar(sqlite: path)
            #expect(jar.cookies.isEmpty)
            #expect(jar.failure == nil)
            let notice = try #require(jar.notices.first)
            #expect(jar.notices.count == 1 && notice.contains("damaged"))
            let aside = try #require(
                try names(beside: path).first {
                    $0.contains("sqlite.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
                })
            #expect(notice.contains(aside))
            let kept = try Data(contentsOf: URL(filePath: path).deletingLastPathComponent().appending(path: aside))
            #expect(Array(kept) == bytes)
            try jar.set("a=1; Max-Age=60", from: url)
            #expect(try CookieJar(sqlite: path).cookies.map(\.name) == ["a"])
        }
    }

    @Test func `a file that is damaged while it is used is set aside, and what is known goes on in a new one`()
        async throws
    {
        try await withPath { path in
            try filled(path)
            let (jar, other) = (try CookieJar(sqlite: path), try CookieJar(sqlite: path))
            let log = Mutex<[String]>([])
            var bytes = try Array(Data(contentsOf: URL(filePath: path)))
            Damage.pages.spoil(&bytes)
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
            // Now the first jar has to read the file again.
            try other.set("more=1; Max-Age=60", from: url)
            let stub = StubTransport { $0.on("*").respond(headers: [.setCookie: "new=1; Max-Age=60"]) }
            let client = Client("https://www.example.com", transport: stub) { $0.cookies = .jar(jar) }
            let observation = client.observe { event in
                if case .decision(let why) = event.kind { log.withLock { $0.append(why) } }
            }
            try await client.get("x").accepted()
            observation.cancel()
            #expect(log.withLock { $0 }.contains { $0.contains("damaged") })
            #expect(jar.failure == nil && jar.notices.count == 1)
            #expect(jar.cookies.count == 101)
            #expect(other.cookies.count == 101)
            #expect(try CookieJar(sqlite: path).cookies.count == 101)
        }
    }

    @Test func `a file that has been removed is begun anew, with nothing of the old one`() async throws {
        try await withPath { path in
            let jar = try CookieJar(sqlite: path)
            try jar.set("a=1; Max-Age=60", from: url)
            for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
            #expect(jar.cookies.isEmpty)
            try jar.set("b=1; Max-Age=60", from: url)
            #expect(try CookieJar(sqlite: path).cookies.map(\.name) == ["b"])
        }
    }

    @Test func `rows that no server could have set are not served`() async throws {
        try await withPath { path in
            var jar: CookieJar? = try CookieJar(sqlite: path)
            try jar?.set("a=1; Max-Age=600", from: url)
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                for (name, domain, value) in [
                    ("b", "'co.uk'", "'geheim'"), ("c", "'www.example.com'", "'x' || char(13,10) || 'y'"),
                    ("d", "'www.example.com'", "x'00ff'"), ("e", "zeroblob(4)", "'1'"),
                ] {
                    try db.execute(
                        sql: """
                            INSERT INTO cookie SELECT \(domain), path, '\(name)', \(name == "b" ? 0 : 1), \(value),
                            expires, secure, httpOnly, 'nonsense', created + 1, used FROM cookie WHERE name = 'a'
                            """)
                }
            }
            #expect(jar?.cookies.map(\.name) == ["a"])
            jar = nil
            #expect(try CookieJar(sqlite: path).cookies.map(\.name) == ["a"])
            try queue.close()
        }
    }

    @Test func `expired cookies push out no others, and leave the file with the next change`() async throws {
        try await withPath { path in
            let jar = try CookieJar(sqlite: path)
            try jar.set("a=1; Max-Age=600", from: url)
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO cookie WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                        SELECT domain, path, 'x' || i, hostOnly, value, 1, secure, httpOnly, sameSite, created + i,
                        used + i FROM cookie, n WHERE name = 'a'
                        """)
            }
            #expect(jar.cookies.map(\.name) == ["a"])
            try jar.set("b=1; Max-Age=600", from: url)
            let expired = try await queue.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM cookie WHERE expires = 1")
            }
            #expect(expired == 0 && jar.cookies.map(\.name) == ["a", "b"])
            try queue.close()
        }
    }

    @Test func `a database of another program is left alone`() async throws {
        try await withPath { path in
            let queue = try DatabaseQueue(path: path)
            try await queue.write {
                try $0.execute(sql: "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('dear diary')")
            }
            try queue.close()
            let before = try Data(contentsOf: URL(filePath: path))
            let error = #expect(throws: CallError.self) { try CookieJar(sqlite: path) }
            #expect(error?.kind == .file && error?.reason.contains("another program") == true)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `a file of a newer version is an error that says so`() async throws {
        try await withPath { path in
            _ = try CookieJar(sqlite: path)
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "PRAGMA user_version = 2") }
            try queue.close()
            let error = #expect(throws: CallError.self) { try CookieJar(sqlite: path) }
            #expect(error?.reason.contains("newer version") == true)
            #expect(try names(beside: path).allSatisfy { !$0.contains("damaged") })
        }
    }

    @Test(arguments: ["/no/such/folder/cookies.sqlite", "/proc/cookies.sqlite", "/dev/null/cookies.sqlite", "/"])
    func `a place that cannot be written is an error that names it`(_ path: String) {
        let error = #expect(throws: CallError.self) { try CookieJar(sqlite: path) }
        #expect(error?.kind == .file && error?.reason.contains(path) == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write anywhere"))
    func `a folder that may not be written is an error`() async throws {
        try await withPath { path in
            let folder = URL(filePath: path).deletingLastPathComponent().path
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
            #expect(throws: CallError.self) { try CookieJar(sqlite: path) }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        }
    }
}
#endif
