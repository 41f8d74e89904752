// RecordingTests: recordings that other programs wrote or that were edited, and bodies that were cut off.

import Foundation
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@Suite struct RecordingTests {
    /// A path in a folder of its own.
    private func inNewFile<T>(_ body: (_ path: String) async throws -> T) async throws -> T {
        let folder = NSTemporaryDirectory() + "recording-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder + "/traffic.har")
    }

    /// Adds an exchange with `/users` to a file.
    private func update(_ path: String) async throws {
        let stub = StubTransport { $0.on(.get, "/users").respond(text: "Ann") }
        let client = Client("https://api.example.com", transport: Recorder(file: path, mode: .update, over: stub))
        #expect(try await client.get("users").text() == "Ann")
        await client.close()
    }

    /// A file with one exchange.
    private func archive(_ request: String, headers: String = "[]", response: String = #""text":"ok""#) -> String {
        #"{"log":{"entries":[{"startedDateTime":"2026-11-24T00:00:00Z","request":{"method":"POST",\#(request)},"#
            + #""response":{"status":200,"headers":\#(headers),"content":{"mimeType":"text/plain",\#(response)}}}]}}"#
    }

    private func replaying<R>(_ text: String, _ body: (Client) async throws -> R) async throws -> R {
        try await inNewFile { path in
            let file = URL(filePath: path)
            try Data(text.utf8).write(to: file)
            let client = Client("https://api.example.com", transport: Recorder(file: path, mode: .replay))
            let result = try await body(client)
            await client.close()
            return result
        }
    }

    @Test func `a withheld value stands for one value, and for nothing beside it`() async throws {
        let url = #""url":"https://api.example.com/u/[redacted]?key=[redacted]""#
        try await replaying(archive(url)) { client async throws in
            for path in ["u/a/posts?key=k", "u/a?key=k&page=2", "u/a"] {
                await #expect(throws: CallError.self, "\(path)") { _ = try await client.post(path: path) }
            }
            #expect(try await client.post(path: "u/a?key=k").text() == "ok")
        }
        let json = #"{\"password\":\"[redacted]\",\"id\":9007199254740993}"#
        let body = url + #","postData":{"mimeType":"application/json","text":"\#(json)"}"#
        try await replaying(archive(body)) { client async throws in
            for text in [
                #"{"password":"x","id":9007199254740993,"role":"admin"}"#, #"{"password":"x","id":9007199254740992}"#,
            ] {
                await #expect(throws: CallError.self, "\(text)") {
                    _ = try await client.post(path: "u/a?key=k", body: .text(text, contentType: "application/json"))
                }
            }
            let text = #"{"id":9007199254740993,"password":"x"}"#
            #expect(
                try await client.post(path: "u/a?key=k", body: .text(text, contentType: "application/json")).text()
                    == "ok")
        }
        let form = url + #","postData":{"mimeType":"application/x-www-form-urlencoded","text":"pwd=[redacted]&a=1"}"#
        try await replaying(archive(form)) { client async throws in
            await #expect(throws: CallError.self) {
                _ = try await client.post(path: "u/a?key=k", form: ["pwd": "x", "b": "2", "a": "1"])
            }
            #expect(try await client.post(path: "u/a?key=k", form: ["pwd": "x", "a": "1"]).text() == "ok")
        }
    }

    @Test func `BAD-INPUT: an entry with too many fields is an error`() async throws {
        let lines = String(repeating: #"\n"#, count: 70_000)
        let text = archive(
            #""url":"https://api.example.com/""#, headers: #"[{"name":"X","value":"\#(lines)"}]"#)
        try await replaying(text) { client async throws in
            let error = await #expect(throws: CallError.self) { _ = try await client.post("") }
            #expect(error?.kind == .file && error?.reason.contains("70001 fields") == true)
        }
    }

    @Test func `absurd times in a file do not hinder a later record`() async throws {
        try await inNewFile { path in
            let file = URL(filePath: path)
            let text = archive(#""url":"https://api.example.com/""#).replacing(
                #""response":"#, with: #""timings":{"send":1e308,"wait":1e308},"response":"#)
            try Data(text.utf8).write(to: file)
            try await update(path)
            #expect(try String(contentsOf: file, encoding: .utf8).contains("api.example.com/users"))
        }
    }

    @Test func `entries are in the order of their start, whatever the zone of their times`() async throws {
        try await inNewFile { path in
            let file = URL(filePath: path)
            let text = archive(#""url":"https://api.example.com/old""#).replacing(
                "2026-11-24T00:00:00Z", with: "2020-01-02T23:00:00.5+09:00")
            try Data(text.utf8).write(to: file)
            try await update(path)
            let written = try String(contentsOf: file, encoding: .utf8)
            let (old, new) = (written.range(of: "/old")?.lowerBound, written.range(of: "/users")?.lowerBound)
            #expect(try #require(old) < #require(new))
        }
    }

    @Test func `a text with an unknown coding is replayed as it came`() async throws {
        try await inNewFile { path in
            let upstream = try await ScriptedServer.start { _ in
                .ok("{\"a\":1}", headers: [.contentEncoding: "utf-8", .contentType: "application/json"])
            }
            try await upstream.use { server in
                for mode in [Recorder.Mode.record, .replay] {
                    let client = Client(server.url, transport: Recorder(file: path, mode: mode))
                    let response = try await client.get("a")
                    #expect(response.bytes == Bytes("{\"a\":1}") && response.headers[.contentEncoding] == "utf-8")
                    await client.close()
                }
            }
        }
    }

    @Test func `a coded body that was given up is replayed as far as it was read`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 40_000)
        let coded = try await Array(RequestBody.text(text).compressed(by: .gzip).collect(upTo: .max))
        try await inNewFile { path in
            let upstream = try await ScriptedServer.start { _ in
                [.head(.ok, [.contentEncoding: "gzip"]), .content(Array(coded.prefix(coded.count / 2))), .stall]
            }
            try await upstream.use { server in
                let client = Client(server.url, transport: Recorder(file: path, mode: .record))
                try await client.stream("") { response in
                    for try await piece in response.body {
                        #expect(text.hasPrefix(String(decoding: piece, as: UTF8.self)))
                        break
                    }
                }
                await client.close()
                let replay = Client(server.url, transport: Recorder(file: path, mode: .replay))
                let read = Mutex("")
                let error = await #expect(throws: CallError.self) {
                    try await replay.stream("") { response in
                        for try await piece in response.body {
                            read.withLock { $0 += String(decoding: piece, as: UTF8.self) }
                        }
                    }
                }
                #expect(error?.kind == .incompleteResponse)
                let replayed = read.withLock { $0 }
                #expect(!replayed.isEmpty && text.hasPrefix(replayed))
                await replay.close()
            }
        }
    }

    @Test func `an upload that was answered early is replayed`() async throws {
        let pieces = (0..<100).map { _ in Array(repeating: UInt8(ascii: "x"), count: 10_000) }
        func upload(_ client: Client) async throws -> Response {
            let body = AsyncStream<[UInt8]> { stream in
                for piece in pieces { stream.yield(piece) }
                stream.finish()
            }
            return try await client.post("", body: .stream(once: body))
        }
        try await inNewFile { path in
            let reply = Reply([.stopReading]).followed(by: .status(.contentTooLarge)).then(.stall)
            let server = try await ScriptedServer.start(onHead: { _ in reply })
            try await server.use { server async throws in
                let client = Client(server.url, transport: Recorder(file: path, mode: .record))
                #expect(try await upload(client).status == .contentTooLarge)
                await client.close()
                let replay = Client(server.url, transport: Recorder(file: path, mode: .replay))
                #expect(try await upload(replay).status == .contentTooLarge)
                await replay.close()
            }
        }
    }
}
