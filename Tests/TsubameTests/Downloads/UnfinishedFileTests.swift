// UnfinishedFileTests: downloads that continue the shorter file of another program.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct UnfinishedFileTests {
    private static let policy = DownloadPolicy.standard { $0.usesExistingFiles = true }
    private static let there = 30_000

    /// How the download ended, and the ranges that it asked for.
    private struct Result {
        let file: DownloadedFile
        let ranges: [String?]
        let conditions: [String?]
        let decisions: [String]
        let names: [String]
    }

    /// Downloads `a` into a folder that has the beginning of `local` under that name.
    /// - Parameters:
    ///   - isNamed: whether the target is the file, and not the folder.
    ///   - modified: when the file was last changed; nil for now.
    private func download(
        _ served: ServedFile, after local: [UInt8]? = nil, count: Int = there, isNamed: Bool = true,
        modified: Date? = nil, policy: DownloadPolicy = policy,
        script: (@Sendable (ReceivedRequest) -> Reply)? = nil,
        _ check: (URL) async throws -> Void
    ) async throws -> Result {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            try Data((local ?? served.content).prefix(count)).write(to: target)
            if let modified {
                try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: target.path)
            }
            let server = try await ScriptedServer.start(script ?? { served.answer($0) })
            return try await serving(server, { $0.retry = .off }) { server, client in
                let events = EventLog()
                let observation = events.observe(client)
                let file = try await client.download(
                    "a", to: isNamed ? target : folder, resume: true, policy: policy)
                try await check(folder)
                withExtendedLifetime(observation) {}
                return Result(
                    file: file, ranges: server.requests.map { $0["range"] },
                    conditions: server.requests.map { $0["if-range"] }, decisions: events.decisions,
                    names: folder.names)
            }
        }
    }

    @Test(arguments: [true, false])
    func `the missing bytes are asked for by size and validator, and appended`(isNamed: Bool) async throws {
        let served = ServedFile(count: 100_000)
        let result = try await download(served, isNamed: isNamed) {
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil, "bytes=30000-"] && result.conditions == [nil, "\"one\""])
        #expect(result.file.resumed == 30_000 && result.file.count == 100_000 && result.names == ["a"])
        let text = try #require(result.decisions.last)
        #expect(text.hasPrefix("the download continues after the 30000 of 100000 bytes in "), "\(text)")
        #expect(text.hasSuffix("/a"))
    }

    @Test func `without a validator the size and the bytes decide`() async throws {
        var served = ServedFile(count: 100_000)
        (served.etag, served.date) = (nil, nil)
        let result = try await download(served) { [served] in
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil, "bytes=30000-"] && result.conditions == [nil, nil])
        #expect(result.file.resumed == 30_000)
    }

    @Test func `of a large file the end is compared, too`() async throws {
        let served = ServedFile(count: 2_000_000)
        let result = try await download(served, count: 1_500_000) {
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil, "bytes=1434464-1499999", "bytes=1500000-"])
        #expect(result.conditions == [nil, "\"one\"", "\"one\""] && result.file.resumed == 1_500_000)
        var changed = served.content
        changed[1_499_000] ^= 1
        let other = try await download(served, after: changed, count: 1_500_000) {
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(other.ranges == [nil, "bytes=1434464-1499999", nil] && other.file.resumed == 0)
    }

    @Test(arguments: [1, 700, 29_999])
    func `a byte that differs anywhere in a short file is noticed`(position: Int) async throws {
        let served = ServedFile(count: 100_000)
        var changed = served.content
        changed[position] ^= 1
        let result = try await download(served, after: changed) {
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil, nil] && result.file.resumed == 0)
    }

    @Test(arguments: [0, 1]) func `BAD-INPUT 42: an empty file at the server continues nothing`(count: Int) async throws
    {
        let empty = ServedFile(count: 0)
        let result = try await download(empty, after: [1], count: count) {
            #expect($0.appending(path: "a").bytes == [])
        }
        #expect(result.file.count == 0)
    }

    @Test func `a file that may not be written is not continued`() async throws {
        let served = ServedFile(count: 100_000)
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            try Data(served.content.prefix(Self.there)).write(to: target)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: target.path)
            try await serving(.start { served.answer($0) }) { server, client in
                let got = try await client.download("a", to: folder, resume: true, policy: Self.policy)
                #expect(got.resumed == 0 && folder.names == ["a", "a-1"] && server.requests.count == 1)
            }
        }
    }

    @Test(arguments: [false, true])
    func `a later call knows that it continues that file, and replaces it only if it is unchanged`(
        changes: Bool
    ) async throws {
        let served = ServedFile(count: 100_000)
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            try Data(served.content.prefix(Self.there)).write(to: target)
            let server = try await ScriptedServer.start { request in
                served.answer(request, sending: request.index == 1 ? 20_000 : nil)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                _ = try await failure {
                    try await client.download("a", to: folder, resume: true, policy: Self.policy)
                }
                if changes { try Data("mine".utf8).write(to: target) }
                let got = try await client.download("a", to: folder, resume: true, policy: Self.policy)
                #expect(got.resumed == 50_000 && got.url.bytes == served.content)
                #expect(folder.names == (changes ? ["a", "a-1"] : ["a"]))
                if changes { #expect(target.bytes == Array("mine".utf8)) }
            }
        }
    }

    @Test func `a file of which nothing is used keeps its name in a folder`() async throws {
        let (served, longer) = (ServedFile(count: 100_000), ServedFile(count: 100_001))
        let result = try await download(
            served, isNamed: false,
            script: { request in request.index == 0 ? served.answer(request) : longer.answer(request) }
        ) {
            #expect($0.appending(path: "a-1").bytes == longer.content)
            #expect($0.appending(path: "a").bytes == Array(served.content.prefix(Self.there)))
        }
        #expect(result.names == ["a", "a-1"])
    }

    @Test func `weak validators are compared between the two responses`() async throws {
        var (one, two) = (ServedFile(count: 100_000), ServedFile(count: 100_000, seed: 2))
        (one.etag, two.etag) = ("W/\"1\"", "W/\"2\"")
        let (first, second) = (one, two)
        let result = try await download(
            one,
            script: { request in
                request.index == 0
                    ? first.answer(request) : second.answer(request)
            }
        ) { #expect($0.appending(path: "a").bytes == second.content) }
        #expect(result.ranges == [nil, "bytes=30000-", nil] && result.conditions == [nil, nil, nil])
    }

    @Test(arguments: [(true, ["a"]), (false, ["a", "a-1"])])
    func `a file that begins otherwise gets nothing appended`(isNamed: Bool, names: [String]) async throws {
        let served = ServedFile(count: 100_000)
        let other = ServedFile(count: 100_000, seed: 2).content
        let result = try await download(served, after: other, isNamed: isNamed) {
            #expect($0.appending(path: names[names.count - 1]).bytes == served.content)
            if !isNamed { #expect($0.appending(path: "a").bytes == Array(other.prefix(Self.there))) }
        }
        #expect(result.ranges == [nil, nil] && result.names == names && result.file.resumed == 0)
    }

    @Test(arguments: [
        // Older than the server's file, and of exactly its date, as complete files get it.
        (Date(timeIntervalSince1970: 1_000_000_000), "Sun, 22 Nov 2026 07:00:00 GMT"),
        (Date(timeIntervalSince1970: 1_795_330_800), "Sun, 22 Nov 2026 07:00:00 GMT"),
    ])
    func `a file of another version by its date gets nothing appended`(date: Date, modified: String) async throws {
        var served = ServedFile(count: 100_000)
        served.lastModified = modified
        let result = try await download(served, modified: date) { [served] in
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil] && result.file.resumed == 0)
    }

    @Test func `a server without ranges, or that says nothing of them, sends the whole file once`() async throws {
        var served = ServedFile(count: 100_000)
        served.servesRanges = false
        let result = try await download(served) { [served] in
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil] && result.file.resumed == 0)
    }

    @Test func `BAD-INPUT 42: nothing is appended across a changed length, tag or answer`() async throws {
        let served = ServedFile(count: 100_000)
        var (longer, tagged) = (ServedFile(count: 100_001), served)
        longer.etag = served.etag
        tagged.etag = "\"two\""
        for other in [longer, tagged] {
            let result = try await download(
                served,
                script: { [other] request in request.index == 0 ? served.answer(request) : other.answer(request) }
            ) { [other] in
                #expect($0.appending(path: "a").bytes == other.content)
            }
            #expect(result.ranges.prefix(2) == [nil, "bytes=30000-"])
        }
        // The same version, but the whole of it.
        let whole = try await download(
            served,
            script: { request in
                [
                    .bytes(Reply.head(.ok, [.eTag: "\"one\"", .acceptRanges: "bytes", .contentLength: "100000"])),
                    .content(served.content),
                ]
            }
        ) { #expect($0.appending(path: "a").bytes == served.content) }
        #expect(whole.ranges == [nil, "bytes=30000-"])
    }

    @Test func `a wrong digest, and a broken connection, leave the file as it was`() async throws {
        let served = ServedFile(count: 100_000)
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            try Data(served.content.prefix(Self.there)).write(to: target)
            let server = try await ScriptedServer.start { request in
                served.answer(request, sending: request.index == 4 ? 20_000 : nil)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                var policy = Self.policy
                policy.digest = .sha256(String(repeating: "0", count: 64))
                let wrong = try await failure { [policy] in
                    try await client.download("a", to: target, resume: true, policy: policy)
                }
                #expect(wrong.kind == .decoding && folder.names == ["a"])
                #expect(target.bytes == Array(served.content.prefix(Self.there)))
                let broken = try await failure {
                    try await client.download("a", to: target, resume: true, policy: Self.policy)
                }
                #expect(broken.kind == .incompleteResponse || broken.kind == .connectionLost, "\(broken)")
                #expect(target.bytes == Array(served.content.prefix(Self.there)))
                // The copied bytes and those that came are kept for the next call.
                let got = try await client.download("a", to: target, resume: true, policy: Self.policy)
                #expect(got.resumed == 50_000 && target.bytes == served.content && folder.names == ["a"])
                #expect(
                    server.requests.map { $0["range"] }
                        == [nil, "bytes=30000-", nil, nil, "bytes=30000-", "bytes=50000-"])
            }
        }
    }

    @Test func `BAD-INPUT 42: bytes over http are not appended to a file of an https URL`() async throws {
        let served = ServedFile(count: 100_000)
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            try Data(served.content.prefix(Self.there)).write(to: target)
            try await ScriptedServer.start { served.answer($0) }.use { plain in
                let secure = try await ScriptedServer.start(tls: .localhost) { _ in .redirect(to: plain.url + "/a") }
                try await serving(secure, base: secure.localhostURL) {
                    $0.connection.tls.roots = .authority
                    $0.redirects = .standard { $0.allowsInsecure = true }
                } _: { _, client in
                    let got = try await client.download("a", to: target, resume: true, policy: Self.policy)
                    #expect(got.resumed == 0 && target.bytes == served.content)
                    #expect(plain.requests.map { $0["range"] } == [nil])
                }
            }
        }
    }

    @Test func `the library's own downloads leave such a file alone`() async throws {
        let served = ServedFile(count: 100_000)
        let result = try await download(served, policy: .standard) {
            #expect($0.appending(path: "a").bytes == served.content)
        }
        #expect(result.ranges == [nil] && result.file.resumed == 0)
    }
}
