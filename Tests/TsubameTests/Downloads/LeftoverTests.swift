// LeftoverTests: the leftovers of an earlier download: their origin, and the bytes that count.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct LeftoverTests {
    private static let modified = "Sun, 22 Nov 2026 07:00:00 GMT"

    /// Downloads a part of the first file, then requests the second file, which is as similar as the test wants.
    /// - Returns: the range that the second request asked for.
    private func ranges(_ first: ServedFile, _ second: ServedFile, at path: RequestPath, isCoded: Bool = false)
        async throws
        -> [String?]
    {
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                guard request.index == 0 else { return second.answer(request) }
                guard isCoded else { return first.answer(request, sending: 30_000) }
                // The first response has no length.
                var fields = first.headers
                fields[.eTag] = first.etag
                fields[.transferEncoding] = "chunked"
                let part = Array(first.content.prefix(30_000))
                return [.bytes(Reply.head(.ok, fields)), .bytes("7530\r\n"), .bytes(part), .bytes("\r\n"), .close]
            }
            return try await serving(server, { $0.retry = .off }) { server, client in
                let target = folder.appending(path: "mine")
                _ = try await failure { try await client.download("v1/a", to: target, resume: true) }
                let got = try await client.download(path, to: target, resume: true)
                #expect(got.url.bytes == second.content && folder.names == ["mine"])
                return server.requests.dropFirst().map { $0["range"] }
            }
        }
    }

    @Test func `two files of one date and one length are not put together`() async throws {
        var (one, two) = (ServedFile(count: 100_000), ServedFile(count: 100_000, seed: 2))
        (one.etag, one.lastModified) = (nil, Self.modified)
        (two.etag, two.lastModified) = (nil, Self.modified)
        let ranges = try await ranges(one, two, at: "v2/a")
        #expect(ranges == [nil])
    }

    @Test func `two files of one tag are not put together if they are called otherwise`() async throws {
        let (one, two) = (ServedFile(count: 100_000), ServedFile(count: 100_000, seed: 2))
        let ranges = try await ranges(one, two, at: "v1/b")
        #expect(ranges == [nil])
    }

    @Test func `two files of one tag are not put together if the length of one is not known`() async throws {
        let (one, two) = (ServedFile(count: 100_000), ServedFile(count: 100_000, seed: 2))
        let ranges = try await ranges(one, two, at: "v2/a", isCoded: true)
        #expect(ranges == [nil])
    }

    @Test func `a file of the same name, tag and length is the same elsewhere, too`() async throws {
        let file = ServedFile(count: 100_000)
        let ranges = try await ranges(file, file, at: "v2/a")
        #expect(ranges == ["bytes=30000-"])
    }

    @Test func `BAD-INPUT 42: a part without the tag that it had is not put behind the other, whatever its date`()
        async throws
    {
        var (one, two) = (ServedFile(count: 100_000), ServedFile(count: 100_000, seed: 2))
        (one.lastModified, two.lastModified) = (Self.modified, Self.modified)
        let tagged = one.etag
        two.etag = nil
        let other = two
        try await withFolder { folder in
            let server = try await ScriptedServer.start { [one] request in
                if request.index == 0 { return one.answer(request, sending: 30_000) }
                guard request["range"] != nil, request["if-range"] == tagged else { return other.answer(request) }
                let fields: HTTPFields = [
                    .lastModified: Self.modified, .contentRange: "bytes 30000-99999/100000", .contentLength: "70000",
                ]
                return [.bytes(Reply.head(.partialContent, fields)), .content(Array(other.content[30_000...]))]
            }
            try await serving(server, { $0.retry = .off }) { _, client in
                _ = try await failure { try await client.download("a", to: folder, resume: true) }
                let got = try await client.download("a", to: folder, resume: true)
                #expect(got.resumed == 0 && got.url.bytes == other.content)
            }
        }
    }

    @Test func `what comes after a start of the machine is kept like anything else`() async throws {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                file.answer(request, sending: request.index < 2 ? 30_000 : nil)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                _ = try await failure { try await client.download("a", to: folder, resume: true) }
                let info = folder.appending(path: ".a.tsubame-info")
                var record = try #require(
                    JSONSerialization.jsonObject(with: Data(contentsOf: info)) as? [String: Any])
                (record["boot"], record["synced"]) = ("another", [0, 10_000])
                try JSONSerialization.data(withJSONObject: record).write(to: info)
                _ = try await failure { try await client.download("a", to: folder, resume: true) }
                let got = try await client.download("a", to: folder, resume: true)
                #expect(server.requests.map { $0["range"] } == [nil, "bytes=10000-", "bytes=40000-"])
                #expect(got.resumed == 40_000 && got.url.bytes == file.content)
            }
        }
    }
}
