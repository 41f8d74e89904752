// MultipartTests: multipart bodies on the wire: parts, length, and errors of files.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct MultipartTests {
    private func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// The request with this body, as a server receives it.
    private func received(
        _ body: RequestBody, replies: [Reply] = [.ok()], _ index: Int = 0
    ) async throws -> ReceivedRequest {
        try await serving(try await ScriptedServer.start(replies: replies, keepingBodyBytes: 8 << 20)) {
            server, client in
            try await client.post("form", body: body).accepted()
            return try await server.request(index)
        }
    }

    private func boundary(_ body: RequestBody) throws -> String {
        let type = try #require(body.contentType)
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        return String(type.dropFirst("multipart/form-data; boundary=".count))
    }

    @Test(arguments: [
        ("multipart/related", "multipart/related; boundary=b"),
        ("multipart/related; type=a/b", "multipart/related; type=a/b; boundary=b"),
        ("multipart/mixed; Boundary=c", "multipart/mixed; Boundary=c"), ("text/plain", "text/plain"),
    ])
    func `FAULT 26: a multipart type without a boundary gets that of the body`(given: String, type: String) async throws
    {
        let server = try await ScriptedServer.start { _ in .ok() }
        try await serving(server) { server, client in
            var request = Request(.post, "form", body: .multipart(boundary: "b") { $0.field("a", "1") })
            request.headers[.contentType] = given
            _ = try await client.send(request).accepted()
            #expect(try await server.request(0).values("content-type") == [type])
        }
    }

    @Test func `parts come in the order in which they were added`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "燕.png")
            try Data([0, 13, 10, 255]).write(to: file)
            let body = RequestBody.multipart {
                $0.field("album", "2026 & more")
                $0.file("photo", at: file)
                $0.field("album", "")
                $0.bytes("raw", [1, 2], filename: "a\"b")
                $0.bytes("note", Array("x".utf8), contentType: "text/x-note")
                $0.part("place", .json(["a": 1]))
                $0.file("photo", at: file.path, filename: "other", contentType: "x/y")
            }
            let b = try boundary(body)
            let start = "--\(b)\r\nContent-Disposition: form-data; name="
            let photo: [UInt8] = [0, 13, 10, 255]
            var expected = Array("\(start)\"album\"\r\n\r\n2026 & more\r\n".utf8)
            expected += Array("\(start)\"photo\"; filename=\"燕.png\"\r\nContent-Type: image/png\r\n\r\n".utf8)
            expected += photo
            expected += Array("\r\n\(start)\"album\"\r\n\r\n\r\n".utf8)
            expected += Array(
                "\(start)\"raw\"; filename=\"a%22b\"\r\nContent-Type: application/octet-stream\r\n\r\n".utf8)
            expected += [1, 2]
            expected += Array("\r\n\(start)\"note\"\r\nContent-Type: text/x-note\r\n\r\nx\r\n".utf8)
            expected += Array("\(start)\"place\"\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n".utf8)
            expected += Array("\(start)\"photo\"; filename=\"other\"\r\nContent-Type: x/y\r\n\r\n".utf8)
            expected += photo
            expected += Array("\r\n--\(b)--\r\n".utf8)

            let request = try await received(body)
            #expect(request.body == expected)
            #expect(request.values("content-length") == ["\(expected.count)"])
            #expect(request["content-type"] == body.contentType)
        }
    }

    @Test func `a form without parts is only its end`() async throws {
        let body = RequestBody.multipart { _ in }
        let request = try await received(body)
        #expect(request.text == "--\(try boundary(body))--\r\n")
    }

    @Test func `a part whose length is not known makes the whole chunked, one that can be read once is sent once`()
        async throws
    {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let known = RequestBody.multipart { $0.part("a", .stream(length: 100_000) { Slices(content) }, filename: "f") }
        let unknown = RequestBody.multipart { $0.part("a", .stream { Slices(content) }, filename: "f") }
        let once = RequestBody.multipart {
            $0.field("b", "c")
            $0.part("a", .stream(once: Slices(content)), filename: "f")
        }
        #expect(known.canBeSentAgain && unknown.canBeSentAgain && !once.canBeSentAgain)
        #expect(known.length != nil && unknown.length == nil && once.length == nil)
        let end = "\r\n--\(try boundary(known))--\r\n"
        for (body, isChunked) in [(known, false), (unknown, true), (once, true)] {
            let request = try await received(body)
            #expect(request.isChunked == isChunked)
            #expect(request.isComplete && request.problem == nil)
            #expect(request.body.dropLast(end.utf8.count).suffix(content.count).elementsEqual(content))
        }
    }

    @Test func `what was sent can be sent again after a redirect`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Data(content).write(to: file)
            let body = RequestBody.multipart {
                $0.field("a", "b")
                $0.file("f", at: file)
            }
            let replies = [Reply.redirect(to: "/again", status: .temporaryRedirect), .ok()]
            let request = try await received(body, replies: replies, 1)
            #expect(request.target == "/again")
            #expect(Int64(request.body.count) == body.length)
            let end = "\r\n--\(try boundary(body))--\r\n"
            #expect(request.body.dropLast(end.utf8.count).suffix(content.count).elementsEqual(content))
        }
    }

    @Test func `a part that a form cannot describe is an error before anything is sent`() async throws {
        let parts = [
            ("compressed", RequestBody.text("a").compressed()),
            ("trailers", RequestBody.text("a").with(trailers: { [.eTag: "x"] })),
        ]
        for (word, part) in parts {
            let stub = StubTransport { $0.on("*") }
            let form = RequestBody.multipart { $0.part("log", part) }
            let error = await callError {
                _ = try await Client(transport: stub).post(url: "https://a.example", body: form)
            }
            #expect(
                error?.kind == .invalidRequest && error?.reason.contains(word) == true, "\(String(describing: error))")
            #expect(stub.requests.isEmpty)
        }
    }

    @Test func `a file that cannot be read is an error before anything is sent`() async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            for path in ["/nonexistent/file", "/", "/dev/null"] {
                let body = RequestBody.multipart { $0.file("f", at: path) }
                let error = await callError { _ = try await client.post("x", body: body) }
                #expect(error?.kind == .requestBody)
                #expect(error?.reason.contains(path) == true)
            }
            let body = RequestBody.multipart { $0.bytes("f", [], contentType: "a\r\nb") }
            let error = await callError { _ = try await client.post("x", body: body) }
            #expect(error?.kind == .invalidRequest)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [0, 99_999, 100_001, 500_000])
    func `a file that changes its length fails the call, and no server takes the body for whole`(
        length: Int
    ) async throws {
        try await withFolder { folder in
            let (file, other) = (folder.appending(path: "file"), folder.appending(path: "other"))
            try Data(repeating: 1, count: 100_000).write(to: file)
            // The growth of one file must not make up for the shortage of another.
            try Data(repeating: 1, count: 1_000_000).write(to: other)
            let body = RequestBody.multipart {
                $0.file("f", at: file)
                $0.file("g", at: other)
            }
            try Data(repeating: 2, count: length).write(to: file)
            try await serving(try await ScriptedServer.start()) { server, client in
                let error = await callError { _ = try await client.post("x", body: body) }
                #expect(error?.kind == .requestBody, "\(String(describing: error))")
                #expect(error?.phase == .sendingBody)
                #expect(error?.reason.contains(file.path) == true)
                try await server.waitUntil(openConnections: 0)
                #expect(server.requests.allSatisfy { !$0.isComplete })
            }
        }
    }

    @Test func `a file that has gone meanwhile fails the call`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            try Data(repeating: 1, count: 10).write(to: file)
            let body = RequestBody.multipart { $0.file("f", at: file) }
            try FileManager.default.removeItem(at: file)
            try await serving(try await ScriptedServer.start()) { _, client in
                let error = await callError { _ = try await client.post("x", body: body) }
                #expect(error?.kind == .requestBody)
                #expect(error?.reason.contains("No such file") == true)
            }
        }
    }
}
