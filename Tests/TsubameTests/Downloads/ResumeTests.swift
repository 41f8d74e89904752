// ResumeTests: downloads that resume with the existing bytes, and downloads that must not.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct ResumeTests {
    private static let part = ".a.tsubame-part"
    private static let info = ".a.tsubame-info"

    /// Serves the first request only in part, so that there is something to resume, and then downloads again.
    private func resuming(
        _ first: ServedFile, then second: ServedFile, keeping: Int = 30_000, path: RequestPath = "a",
        again: RequestPath? = nil,
        to name: String? = "a", answer: (@Sendable (ReceivedRequest) -> Reply?)? = nil,
        _ check: (ScriptedServer, Client, URL, DownloadedFile) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                if request.index == 0 { return first.answer(request, sending: keeping) }
                return answer?(request) ?? second.answer(request)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                let target = name.map { folder.appending(path: $0) } ?? folder
                let error = try await failure { try await client.download(path, to: target, resume: true) }
                #expect(error.kind == .incompleteResponse)
                let got = try await client.download(again ?? path, to: target, resume: true)
                #expect(got.url.bytes == second.content)
                try await check(server, client, folder, got)
            }
        }
    }

    @Test(arguments: ["a", nil]) func `a download goes on behind what came, by Range and If-Range`(name: String?)
        async throws
    {
        let file = ServedFile(count: 100_000)
        try await resuming(file, then: file, to: name) { server, _, folder, got in
            #expect(got.resumed == 30_000 && got.count == 100_000 && got.response.statusCode == 206)
            let request = server.requests[1]
            #expect(request["range"] == "bytes=30000-" && request["if-range"] == "\"one\"")
            #expect(request["accept-encoding"] == "identity" && server.requests.count == 2)
            #expect(folder.names == ["a"])
        }
    }

    @Test func `what is kept is told, and holds no secret`() async throws {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            try await serving(.start { file.answer($0, sending: 30_000) }, { $0.retry = .off }) { _, client in
                let told = Log<DownloadProgress>()
                let error = try await failure {
                    try await client.download(
                        Request(.get, "a", query: ["signature": "xyzzy"]), to: folder, resume: true
                    ) { told.add($0) }
                }
                #expect("\(error)".contains("30000 bytes are kept") && told.all.last?.received == 30_000)
                #expect(folder.names == [Self.info, Self.part])
                let record = try String(contentsOf: folder.appending(path: Self.info), encoding: .utf8)
                #expect(!record.contains("xyzzy") && record.contains("one"))
                // A download without resuming discards the partial file.
                _ = try await failure { try await client.download("a", to: folder.appending(path: "a")) }
                #expect(folder.names.isEmpty)
            }
        }
    }

    @Test func `BAD-INPUT 42: a weak tag, none, and a date that may be of two versions are not resumed`() async throws {
        let date = "Sun, 22 Nov 2026 08:00:00 GMT"
        let cases: [(String?, String?)] = [
            ("W/\"one\"", nil), ("W/\"one\"", "Sun, 22 Nov 2026 07:00:00 GMT"), (nil, nil), (nil, date),
            (nil, "yesterday"),
            ("one", nil), (nil, "Sun, 22 Nov 2026 08:00:01 GMT"),
        ]
        for (etag, modified) in cases {
            var file = ServedFile(count: 100_000)
            (file.etag, file.lastModified, file.date) = (etag, modified, date)
            try await resuming(file, then: file) { server, _, folder, got in
                #expect(server.requests[1]["range"] == nil && got.resumed == 0, "\(etag ?? "-") \(modified ?? "-")")
                #expect(folder.names == ["a"])
            }
        }
    }

    @Test func `a date that lies before its response is as good as a tag`() async throws {
        var file = ServedFile(count: 100_000)
        (file.etag, file.lastModified) = (nil, "Sun, 22 Nov 2026 07:59:59 GMT")
        try await resuming(file, then: file) { server, _, _, got in
            #expect(server.requests[1]["if-range"] == "Sun, 22 Nov 2026 07:59:59 GMT" && got.resumed == 30_000)
        }
    }

    @Test func `BAD-INPUT 42: another version begins anew, in the same call`() async throws {
        let old = ServedFile(count: 100_000)
        var new = ServedFile(count: 90_000, seed: 2)
        new.etag = "\"two\""
        try await resuming(old, then: new) { server, _, folder, got in
            #expect(got.resumed == 0 && got.response.statusCode == 200 && server.requests.count == 2)
            #expect(folder.names == ["a"])
        }
    }

    @Test(arguments: [
        // Another tag, another length, another position, no range, a contradictory range, and a text that is no number.
        ("\"two\"", "bytes 30000-99999/100000"), ("\"one\"", "bytes 30000-99999/100001"),
        ("\"one\"", "bytes 29999-99999/100000"), ("\"one\"", "bytes 30001-99999/100000"), ("\"one\"", ""),
        ("\"one\"", "bytes 30000-100000/100000"), ("\"one\"", "bytes 30000-99999999999999999999/100000"),
        ("\"one\"", "bytes */100000"), ("\"one\"", "items 30000-99999/100000"),
        ("\"one\"", "bytes 30000-9223372036854775807/9223372036854775807"), ("W/\"one\"", "bytes 30000-99999/100000"),
    ])
    func `BAD-INPUT 42: a part that does not agree is not put behind the other`(etag: String, range: String)
        async throws
    {
        let file = ServedFile(count: 100_000)
        try await resuming(
            file, then: file,
            answer: { request in
                guard request["range"] != nil else { return nil }
                var fields: HTTPFields = [.eTag: etag, .contentLength: "70000"]
                if !range.isEmpty { fields[.contentRange] = range }
                return [.bytes(Reply.head(.partialContent, fields)), .content([UInt8](repeating: 0, count: 70_000))]
            }
        ) { server, _, folder, got in
            #expect(got.resumed == 0 && server.requests.count == 3 && server.requests[2]["range"] == nil)
            #expect(folder.names == ["a"])
        }
    }

    @Test func `BAD-INPUT 42: a part without any validator, or coded, is not put behind the other`() async throws {
        let file = ServedFile(count: 100_000)
        let range = "bytes 30000-99999/100000"
        for fields in [[.contentRange: range], [.contentRange: range, .eTag: "\"one\"", .contentEncoding: "gzip"]]
            as [HTTPFields]
        {
            try await resuming(
                file, then: file,
                answer: { request in
                    guard request["range"] != nil else { return nil }
                    var fields = fields
                    fields[.contentLength] = "70000"
                    return [
                        .bytes(Reply.head(.partialContent, fields)), .content([UInt8](repeating: 0, count: 70_000)),
                    ]
                }
            ) { server, _, _, got in
                #expect(got.resumed == 0 && server.requests.count == 3)
            }
        }
    }

    @Test(arguments: [412, 416]) func `BAD-INPUT 42: a refused range begins anew`(code: Int) async throws {
        let file = ServedFile(count: 100_000)
        try await resuming(
            file, then: file,
            answer: { request in
                request["range"] == nil ? nil : .status(.init(code: code), "the page of an error")
            }
        ) { server, _, _, got in
            #expect(got.resumed == 0 && server.requests.count == 3)
        }
    }

    @Test func `a server that knows no ranges any more begins at the beginning, and what is there stays till then`()
        async throws
    {
        let file = ServedFile(count: 100_000)
        var plain = file
        plain.servesRanges = false
        let cut = plain
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                switch request.index {
                case 0: file.answer(request, sending: 60_000)
                case 1: cut.answer(request, sending: 10_000)
                default: cut.answer(request)
                }
            }
            try await serving(server, { $0.retry = .off }) { _, client in
                for kept in [60_000, 60_000] {
                    let error = try await failure { try await client.download("a", to: folder, resume: true) }
                    #expect("\(error)".contains("\(kept) bytes are kept"), "\(error)")
                }
                let got = try await client.download("a", to: folder, resume: true)
                #expect(got.url.bytes == file.content && folder.names == ["a"])
            }
        }
    }

    @Test(arguments: [404, 503]) func `a server's error keeps what is there`(code: Int) async throws {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                switch request.index {
                case 0: file.answer(request, sending: 60_000)
                case 1: .status(.init(code: code), "later")
                default: file.answer(request)
                }
            }
            try await serving(server, { $0.retry = .off }) { _, client in
                _ = try await failure { try await client.download("a", to: folder, resume: true) }
                let error = try await failure { try await client.download("a", to: folder, resume: true) }
                #expect(error.kind == .status && folder.names == [Self.info, Self.part])
                let got = try await client.download("a", to: folder, resume: true)
                #expect(got.resumed == 60_000 && got.url.bytes == file.content)
            }
        }
    }

    @Test func `what is whole but for its name gets that, when the server still has the same`() async throws {
        let file = ServedFile(count: 100_000)
        for isExact in [true, false] {
            try await withFolder { folder in
                var chunked = file.headers
                chunked[.eTag] = "\"one\""
                chunked[.transferEncoding] = "chunked"
                let head = Reply.head(.ok, chunked)
                let server = try await ScriptedServer.start { request in
                    if request.index > 0 { return file.answer(request) }
                    // Without a length and without the last chunk, the client cannot know that the file is complete.
                    let size = String(file.content.count, radix: 16)
                    return [.bytes(head), .bytes("\(size)\r\n"), .bytes(file.content), .bytes("\r\n"), .close]
                }
                try await serving(server, { $0.retry = .off }) { server, client in
                    let error = try await failure { try await client.download("a", to: folder, resume: true) }
                    #expect("\(error)".contains("100000 bytes are kept"))
                    if !isExact {
                        // An additional byte after an unannounced length: the partial file differs from the server's
                        // content.
                        let handle = try FileHandle(forWritingTo: folder.appending(path: Self.part))
                        try handle.seekToEnd()
                        try handle.write(contentsOf: Data([0]))
                        try handle.close()
                    }
                    let got = try await client.download("a", to: folder, resume: true)
                    #expect(got.url.bytes == file.content && got.resumed == (isExact ? 100_000 : 0))
                    #expect(got.response.statusCode == (isExact ? 416 : 200))
                    #expect(folder.names == ["a"])
                }
            }
        }
    }

    @Test func `a body that is longer or shorter than its range is no file`() async throws {
        let file = ServedFile(count: 100_000)
        for (length, kind) in [(70_001, CallError.Kind.invalidResponse), (69_999, .incompleteResponse)] {
            try await withFolder { folder in
                let server = try await ScriptedServer.start { request in
                    guard request.index > 0 else { return file.answer(request, sending: 30_000) }
                    guard request.index == 1 else { return file.answer(request) }
                    let fields: HTTPFields = [
                        .eTag: "\"one\"", .contentRange: "bytes 30000-99999/100000", .contentLength: "\(length)",
                    ]
                    let body = file.content[30_000...] + [0]
                    return [.bytes(Reply.head(.partialContent, fields)), .content(Array(body.prefix(length)))]
                }
                try await serving(server, { $0.retry = .off }) { _, client in
                    _ = try await failure { try await client.download("a", to: folder, resume: true) }
                    let error = try await failure { try await client.download("a", to: folder, resume: true) }
                    #expect(error.kind == kind && folder.names == [Self.info, Self.part])
                    let got = try await client.download("a", to: folder, resume: true)
                    #expect(got.url.bytes == file.content)
                }
            }
        }
    }

    // MARK: Names and places

    @Test func `a signed URL may be another one the next time`() async throws {
        let file = ServedFile(count: 100_000)
        for name in ["a", nil] {
            try await withFolder { folder in
                let server = try await ScriptedServer.start { request in
                    file.answer(request, sending: request.index == 0 ? 30_000 : nil)
                }
                try await serving(server, { $0.retry = .off }) { server, client in
                    let target = name.map { folder.appending(path: $0) } ?? folder
                    _ = try await failure {
                        try await client.download(Request(.get, "a", query: ["sig": 1]), to: target, resume: true)
                    }
                    let got = try await client.download(Request(.get, "a", query: ["sig": 2]), to: target, resume: true)
                    #expect(got.resumed == 30_000 && got.url.bytes == file.content && folder.names == ["a"])
                    #expect(server.requests.last?["range"] == "bytes=30000-")
                }
            }
        }
    }

    @Test func `one date does not join the files of two queries`() async throws {
        var files = [ServedFile(count: 100_000), ServedFile(count: 100_000, seed: 7)]
        for index in files.indices {
            files[index].etag = nil
            files[index].lastModified = "Sat, 21 Nov 2026 08:00:00 GMT"
        }
        let served = files
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                served[request.query == "id=1" ? 0 : 1].answer(request, sending: request.index == 0 ? 30_000 : nil)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                let target = folder.appending(path: "a")
                _ = try await failure {
                    try await client.download(Request(.get, "a", query: ["id": 1]), to: target, resume: true)
                }
                #expect(folder.names == [Self.info, Self.part])
                let got = try await client.download(Request(.get, "a", query: ["id": 2]), to: target, resume: true)
                #expect(got.resumed == 0 && got.url.bytes == served[1].content && folder.names == ["a"])
            }
        }
    }

    @Test func `a download that does not resume takes no earlier bytes, over several connections either`() async throws
    {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                file.answer(request, sending: request.index == 0 ? 30_000 : nil)
            }
            try await serving(server, { $0.retry = .off }) { _, client in
                let target = folder.appending(path: "a")
                _ = try await failure { try await client.download("a", to: target, resume: true) }
                #expect(folder.names == [Self.info, Self.part])
                let policy = DownloadPolicy.standard { ($0.connections, $0.minimumPiece) = (4, 10_000) }
                let got = try await client.download("a", to: target, policy: policy)
                #expect(got.resumed == 0 && got.url.bytes == file.content && folder.names == ["a"])
            }
        }
    }

    @Test func `a redirect to a signed URL of another host gets the range, and nothing of the client's`() async throws {
        let file = ServedFile(count: 100_000)
        let store = try await ScriptedServer.start { request in
            file.answer(request, sending: request.index == 0 ? 30_000 : nil)
        }
        try await store.use { store in
            try await withFolder { folder in
                let server = try await ScriptedServer.start { request in
                    .redirect(to: "\(store.url)/stored?sig=\(request.index)")
                }
                try await serving(
                    server,
                    {
                        $0.headers[.authorization] = "Bearer x"
                        $0.retry = .connectionFailures
                    }
                ) { _, client in
                    // Within one call: the connection breaks, and the client requests the redirect again.
                    let got = try await client.download("a", to: folder, resume: true)
                    #expect(got.url.bytes == file.content && folder.names == ["a"])
                    let last = try #require(store.requests.last)
                    #expect(
                        last["range"] == "bytes=30000-" && last["if-range"] == "\"one\"" && last["authorization"] == nil
                    )
                    #expect(last.target == "/stored?sig=1")
                }
            }
        }
    }

    @Test func `a name that only the server knows is found when it has said it`() async throws {
        var file = ServedFile(count: 100_000)
        file.headers[.contentDisposition] = "attachment; filename=report.pdf"
        try await resuming(file, then: file, path: "get", to: nil) { server, _, folder, got in
            #expect(got.resumed == 30_000 && folder.names == ["report.pdf"])
            #expect(server.requests.map { $0["range"] } == [nil, nil, "bytes=30000-"])
        }
    }

    @Test func `two that are called the same do not disturb each other`() async throws {
        let (one, two) = (ServedFile(count: 100_000), ServedFile(count: 80_000, seed: 2))
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                let (file, isFirst) = request.query == "id=1" ? (one, request.index == 0) : (two, request.index == 1)
                var other = file
                other.etag = request.query
                other.etag = "\"\(request.query ?? "")\""
                return other.answer(request, sending: isFirst ? 30_000 : nil)
            }
            try await serving(server, { $0.retry = .off }) { _, client in
                for id in [1, 2] {
                    _ = try await failure {
                        try await client.download(
                            Request(.get, "get", query: ["id": .init(id)]), to: folder, resume: true)
                    }
                }
                #expect(folder.names.count == 4)
                let second = try await client.download(Request(.get, "get", query: ["id": 2]), to: folder, resume: true)
                let first = try await client.download(Request(.get, "get", query: ["id": 1]), to: folder, resume: true)
                #expect(first.resumed == 30_000 && second.resumed == 30_000)
                #expect(first.url.bytes == one.content && second.url.bytes == two.content)
                #expect(folder.names == ["get", "get-1"])
            }
        }
    }

    @Test func `one download at a time writes to a file`() async throws {
        let (file, gate) = (ServedFile(count: 100_000), Gate())
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request.index == 0 ? file.answer(request, sending: 50_000, then: gate) : file.answer(request)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                let target = folder.appending(path: "a")
                let hasBegun = Gate()
                let first = Task {
                    try await client.download("a", to: target, resume: true) { if $0.received > 0 { hasBegun.open() } }
                }
                try await hasBegun.wait()
                let busy = try await failure { try await client.download("a", to: target, resume: true) }
                #expect(busy.kind == .file && busy.reason.contains("another download"), "\(busy)")
                gate.open()
                _ = await first.result
                let got = try await client.download("a", to: target, resume: true)
                #expect(got.url.bytes == file.content)
            }
        }
    }

    @Test(arguments: ["", "{}", "{\"url\":1", String(repeating: "x", count: 300_000)])
    func `a record that cannot be read is none`(text: String) async throws {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            try await serving(.start { file.answer($0) }) { server, client in
                try Data(text.utf8).write(to: folder.appending(path: Self.info))
                try Data(repeating: 7, count: 30_000).write(to: folder.appending(path: Self.part))
                let got = try await client.download("a", to: folder.appending(path: "a"), resume: true)
                #expect(got.resumed == 0 && got.url.bytes == file.content && server.requests[0]["range"] == nil)
                #expect(folder.names == ["a"])
            }
        }
    }

    @Test func `what is in the way of the hidden file is not touched`() async throws {
        try await withFolder { folder in
            try await serving(.start { _ in .ok("new") }) { _, client in
                let other = folder.appending(path: "other")
                try Data("mine".utf8).write(to: other)
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: Self.part), withDestinationURL: other)
                let error = try await failure { try await client.download("a", to: folder.appending(path: "a")) }
                #expect(error.kind == .file && other.bytes == Array("mine".utf8))
            }
        }
    }

    @Test func `a name of 255 bytes has room for what is beside it`() async throws {
        let file = ServedFile(count: 100_000)
        let name = String(repeating: "燕", count: 84) + "abc"
        try await resuming(file, then: file, to: name) { _, _, folder, got in
            #expect(got.resumed == 30_000 && folder.names == [name])
        }
    }

    // MARK: Within a call

    @Test func `a connection that breaks is followed by another, from where it broke`() async throws {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                file.answer(request, sending: request.index < 2 ? 40_000 : nil)
            }
            let clock = ManualClock()
            try await serving(
                server,
                {
                    $0.clock = clock
                    $0.retry = .connectionFailures
                }
            ) { server, client in
                let events = Log<CallEvent>()
                let observation = client.observe { events.add($0) }
                defer { observation.cancel() }
                let download = Task { try await client.download("a", to: folder, resume: true) }
                for _ in 0..<2 {
                    try await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(1))
                }
                let got = try await download.value
                #expect(got.url.bytes == file.content && got.resumed == 0 && folder.names == ["a"])
                #expect(server.requests.map { $0["range"] } == [nil, "bytes=40000-", "bytes=80000-"])
                #expect(events.resendings.count == 2 && events.ends.count == 1)
                #expect(events.resendings[0] == "an incomplete answer after 40000 bytes, retry 1 of 2")
            }
        }
    }

    @Test func `one that breaks without bringing anything is not followed for ever, but progress is`() async throws {
        let file = ServedFile(count: 6 << 20)
        try await withFolder { folder in
            // More than a mebibyte each time, four times; then no more bytes.
            let server = try await ScriptedServer.start { request in
                file.answer(request, sending: request.index < 4 ? (1 << 20) + 5 : 0)
            }
            try await serving(
                server,
                {
                    $0.retry = .standard {
                        $0.retries = 2; $0.delay = .zero
                    }
                }
            ) { server, client in
                let error = try await failure { try await client.download("a", to: folder, resume: true) }
                #expect(error.kind == .incompleteResponse && server.requests.count == 4 + 2, "\(server.requests.count)")
                #expect("\(error)".contains("\(4 * ((1 << 20) + 5)) bytes are kept"))
            }
        }
    }

    @Test func `without resuming a connection that breaks is the end`() async throws {
        let file = ServedFile(count: 100_000)
        try await withFolder { folder in
            try await serving(.start { file.answer($0, sending: 40_000) }) { server, client in
                let error = try await failure { try await client.download("a", to: folder) }
                #expect(error.kind == .incompleteResponse && server.requests.count == 1 && folder.names.isEmpty)
            }
        }
    }
}
