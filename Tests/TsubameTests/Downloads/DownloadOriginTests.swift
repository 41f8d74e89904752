// DownloadOriginTests: downloads whose bytes come from more than one origin.

import Foundation
import Testing
import TsubameTesting
import TsubameWire

@testable import Tsubame

@Suite(.timeLimit(.minutes(1)))
struct DownloadOriginTests {
    private let one = ServedFile(count: 100_000)
    /// Another content with the same length and tag.
    private let two = ServedFile(count: 100_000, seed: 2)

    private static func digest(of file: ServedFile) -> DownloadPolicy {
        .standard { $0.digest = .sha256(Hexadecimal.text(SHA256.digest(file.content))) }
    }

    /// A record as its file holds it; with nil, a record without an origin.
    private static func record(of origin: String) -> String {
        """
        {"url": "http://a.test/a", "resource": "r", "validators": {"etag": "\\"one\\""}, "synced": []\(
            origin.isEmpty ? "" : #", "origin": "\#(origin)""#)}
        """
    }

    /// Downloads a part of the first file from one origin, and then continues at another origin, which has the second
    /// file.
    private func crossing(
        _ first: ServedFile, then second: ServedFile, _ policy: DownloadPolicy = .standard,
        _ check: (ScriptedServer, Result<DownloadedFile, CallError>, URL) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { first.answer($0, sending: 30_000) }.use { old in
                try await serving(.start { second.answer($0) }, { $0.retry = .off }) { server, client in
                    let target = folder.appending(path: "a")
                    let error = try await failure {
                        try await client.download(url: "\(old.url)/a", to: target, resume: true)
                    }
                    #expect(error.kind == .incompleteResponse)
                    let result: Result<DownloadedFile, CallError>
                    do throws(CallError) {
                        let request = Request(.get, "a")
                        result = .success(try await client.download(request, to: target, resume: true, policy: policy))
                    } catch {
                        result = .failure(error)
                    }
                    try await check(server, result, folder)
                }
                try await old.waitUntil(openConnections: 0)
            }
        }
    }

    @Test func `FAULT 11, BAD-INPUT 42: bytes of another origin begin anew`() async throws {
        try await crossing(one, then: two) { server, result, folder in
            let got = try result.get()
            #expect(got.url.bytes == two.content && got.resumed == 0)
            #expect(server.requests.last?["range"] == nil && folder.names == ["a"])
        }
    }

    @Test func `FAULT 11: with the digest of the file, another origin goes on`() async throws {
        try await crossing(one, then: one, Self.digest(of: one)) { _, result, folder in
            let got = try result.get()
            #expect(got.url.bytes == one.content && got.resumed == 30_000 && folder.names == ["a"])
        }
        try await crossing(one, then: two, Self.digest(of: one)) { _, result, folder in
            #expect(throws: CallError.self) { try result.get() }
            #expect(folder.names.isEmpty)
        }
    }

    @Test func `FAULT 11: a redirect that leads elsewhere the second time begins anew`() async throws {
        let (one, two) = (one, two)
        try await ScriptedServer.start { one.answer($0, sending: 30_000) }.use { first in
            try await ScriptedServer.start { two.answer($0) }.use { second in
                let server = try await ScriptedServer.start { request in
                    .redirect(to: "\((request.index == 0 ? first : second).url)/a")
                }
                try await withFolder { folder in
                    try await serving(server, { $0.retry = .prompt }) { _, client in
                        let events = Log<CallEvent>()
                        let observation = client.observe { events.add($0) }
                        let got = try await client.download("a", to: folder, resume: true)
                        observation.cancel()
                        #expect(got.url.bytes == two.content && folder.names == ["a"])
                        #expect(second.requests.map { $0["range"] } == ["bytes=30000-", nil])
                        let told = "the download begins anew: the bytes on disk are from another origin"
                        #expect(events.decisions.contains(told))
                    }
                }
                try await first.waitUntil(openConnections: 0)
                try await second.waitUntil(openConnections: 0)
            }
        }
    }

    @Test(
        "FAULT 11: origins that may follow each other",
        arguments: [
            ("https://a.test", "https://a.test", true, true), ("https://a.test", "https://b.test", false, true),
            ("http://a.test", "https://a.test", false, true), ("http://a.test", "http://b.test", false, true),
            ("https://a.test", "http://a.test", false, false), ("https://a.test", "http://b.test", false, false),
            ("https://a.test", "https://a.test:444", false, true), ("", "https://a.test", false, true),
            ("", "http://a.test", false, false), ("https://a.test", "", false, false),
        ])
    func origins(_ known: String, _ other: String, _ isAdmitted: Bool, _ isAdmittedWithDigest: Bool) throws {
        let text = Self.record(of: known)
        let record = try JSONDecoder().decode(DownloadRecord.self, from: Data(text.utf8))
        let theirs = other.isEmpty ? nil : other
        #expect(record.admits(from: theirs, hasDigest: false) == isAdmitted)
        #expect(record.admits(from: theirs, hasDigest: true) == isAdmittedWithDigest)
    }

    @Test func `FAULT 11: bytes of two origins are remembered as such`() async throws {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            let info = folder.appending(path: ".a.tsubame-info")
            try Data(Self.record(of: "http://a.test").utf8).write(to: info)
            let part = try #require(try DownloadPart.open(for: target.path, permissions: nil, syncingEvery: 4096))
            try part.join("http://a.test")
            #expect(part.record?.origin == "http://a.test")
            try part.join("https://b.test")
            #expect(part.record?.origin == nil)
            #expect(DownloadRecord(path: info.path)?.origin == nil)
            part.remove()
        }
    }
}
