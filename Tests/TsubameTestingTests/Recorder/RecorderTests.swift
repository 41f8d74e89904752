// RecorderTests: a recorder records real exchanges, replays them without a network, and says what does not fit.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct RecorderTests {
    private struct User: Codable, Equatable {
        var name: String
    }

    /// A path in a folder of its own.
    private static func inNewFile<T>(_ body: (_ path: String) async throws -> T) async throws -> T {
        let folder = NSTemporaryDirectory() + "recorder-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder + "/deep/users.har")
    }

    private func stub() -> StubTransport {
        StubTransport {
            $0.on(.get, "/users").respond(json: [User(name: "Ann")]).respond(json: [
                User(name: "Ann"), User(name: "Bo"),
            ])
            $0.on(.post, "/users").respond { request in
                Response(status: .created, headers: [.location: "/users/7"], body: request.body.bytes ?? Bytes())
            }
            $0.on(.head, "/users").respond(headers: [.contentLength: "120"])
            $0.on("/missing").respond(status: .notFound)
        }
    }

    private func use(_ recorder: Recorder, _ body: (Client) async throws -> Void) async throws {
        let client = Client("https://api.example.com", transport: recorder)
        try await body(client)
        await client.close()
    }

    @Test func `the first run records and later runs replay, in order and without a network`() async throws {
        try await Self.inNewFile { path in
            func check(_ api: Client) async throws {
                #expect(try await api.get("users").json([User].self).count == 1)
                #expect(try await api.get("users").json([User].self).count == 2)
                let created = try await api.post("users", json: User(name: "Bo"))
                #expect(created.status == .created && created.headers[.location] == "/users/7")
                #expect(try await created.json(User.self) == User(name: "Bo"))
                #expect(try await api.head("users").headers[.contentLength] == "120")
                #expect(try await api.get("missing").status == .notFound)
            }
            try await use(Recorder(file: path, over: stub()), check)
            // No route answers, so that a request which is sent would fail.
            let recorder = Recorder(file: path, over: StubTransport())
            try await use(recorder, check)
            try await recorder.assertAllUsed()
        }
    }

    @Test func `an exchange is in the file when its call returns`() async throws {
        try await Self.inNewFile { path in
            try await use(Recorder(file: path, over: stub())) { api async throws in
                _ = try await api.get("users")
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(text.contains(#""url" : "https://api.example.com/users""#))
            }
        }
    }

    @Test func `a request that was not recorded fails, with the nearest one`() async throws {
        try await Self.inNewFile { path in
            try await use(Recorder(file: path, over: stub())) { api async throws in
                _ = try await api.post("users", json: User(name: "Ann"))
                _ = try await api.get("users")
            }
            let recorder = Recorder(file: path)
            try await use(recorder) { api async throws in
                func reason(_ body: () async throws(CallError) -> Response) async -> String {
                    do throws(CallError) {
                        return "\(try await body().statusCode)"
                    } catch {
                        #expect(error.kind == .misuse && error.advice?.contains("mode: .update") == true)
                        return error.reason
                    }
                }
                #expect(
                    await reason { () throws(CallError) in try await api.post("users", json: User(name: "Bo")) }
                        .contains("entry 0, POST https://api.example.com/users: the JSON body differs at name"))
                #expect(
                    await reason { () throws(CallError) in try await api.get("users", query: ["page": 2]) }
                        .contains("entry 1, GET https://api.example.com/users: the query is “?page=2”"))
                #expect(
                    await reason { () throws(CallError) in try await api.get("user") }
                        .contains("the URL is https://api.example.com/user"))
                _ = try await api.get("users")
                #expect(
                    await reason { () throws(CallError) in try await api.get("users") }
                        .contains("it has been replayed already"))
            }
            let unused = await #expect(throws: Recorder.Unused.self) { try await recorder.assertAllUsed() }
            #expect(unused?.description == "entry 0, POST https://api.example.com/users, was not replayed")
        }
    }

    @Test func `lenient matching repeats an exchange, and ignores the order of a query`() async throws {
        try await Self.inNewFile { path in
            let stub = StubTransport {
                $0.on("/a").respond { Response(status: .ok, body: $0.body.bytes ?? Bytes("get")) }
            }
            try await use(Recorder(file: path, over: stub)) { api async throws in
                _ = try await api.get("a", query: ["x": 1, "y": 2])
                _ = try await api.post("a", body: .text("one"))
                _ = try await api.post("a", body: .text("two"))
            }
            try await use(Recorder(file: path, mode: .replay, matching: .lenient)) { api async throws in
                for _ in 1...3 { #expect(try await api.get("a", query: ["y": 2, "x": 1]).text() == "get") }
                #expect(try await api.post("a", body: .text("two")).text() == "two")
                #expect(try await api.post("a", body: .text("three")).text() == "one")
                await #expect(throws: CallError.self) { _ = try await api.get("a", query: ["x": 1]) }
            }
        }
    }

    @Test func `update replays what there is, and adds the rest`() async throws {
        try await Self.inNewFile { path in
            try await use(Recorder(file: path, over: stub())) { api async throws in _ = try await api.get("missing") }
            let stub = stub()
            try await use(Recorder(file: path, mode: .update, over: stub)) { api async throws in
                _ = try await api.get("missing")
                _ = try await api.post("users", body: .stream(once: Once("streamed")))
            }
            #expect(stub.requests.map(\.method) == [.post])
            try await use(Recorder(file: path, mode: .replay)) { api async throws in
                #expect(try await api.post("users", body: .stream(once: Once("streamed"))).text() == "streamed")
                #expect(try await api.get("missing").status == .notFound)
            }
            try await use(Recorder(file: path, mode: .record, over: self.stub())) { api async throws in
                _ = try await api.get("users")
            }
            try await use(Recorder(file: path, mode: .replay)) { api async throws in
                await #expect(throws: CallError.self) { _ = try await api.get("missing") }
            }
        }
    }

    private struct Once: AsyncSequence, Sendable {
        let text: String

        init(_ text: String) { self.text = text }

        func makeAsyncIterator() -> AsyncStream<Bytes>.Iterator {
            AsyncStream { continuation in
                continuation.yield(Bytes(text))
                continuation.finish()
            }.makeAsyncIterator()
        }
    }

    @Test func `an excluded URL is always sent, and is not in the file`() async throws {
        try await Self.inNewFile { path in
            for paths in [["/users", "/missing"], ["/missing"]] {
                let stub = stub()
                let recorder = Recorder(file: path, excluding: ["https://api.example.com/miss*"], over: stub)
                try await use(recorder) { api async throws in
                    _ = try await api.get("users")
                    _ = try await api.get("missing")
                }
                #expect(stub.requests.compactMap { $0.uri?.path } == paths)
            }
            #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("missing"))
        }
    }

    @Test func `a multipart body fits although its boundary is new`() async throws {
        try await Self.inNewFile { path in
            for file in ["one", "one"] {
                try await use(Recorder(file: path, over: stub())) { api async throws in
                    let password = "planted-\(UUID())"
                    let form = RequestBody.multipart {
                        $0.field("note", file)
                        $0.field("password", password)
                    }
                    #expect(try await api.post("users", body: form).status == .created)
                }
            }
        }
    }

    @Test func `a body that was given up is replayed as far as it was read`() async throws {
        try await Self.inNewFile { path in
            let stub = StubTransport {
                $0.on(.get, "/ticks").respond { _ in
                    let ticks = AsyncStream<Bytes> { continuation in
                        for number in 1...3 { continuation.yield(Bytes("tick \(number)\n")) }
                    }
                    return Response(status: .ok, body: ResponseBody(pieces: ticks))
                }
            }
            for transport in [stub, StubTransport()] {
                try await use(Recorder(file: path, over: transport)) { api async throws in
                    try await api.stream("ticks") { response in
                        var lines = response.body.lines.makeAsyncIterator()
                        let first = try await lines.next()
                        #expect(first == "tick 1")
                    }
                }
            }
            try await use(Recorder(file: path)) { api async throws in
                let error = await #expect(throws: CallError.self) { _ = try await api.get("ticks") }
                #expect(error?.kind == .incompleteResponse && error?.reason.contains("entry 0") == true)
            }
        }
    }

    @Test(arguments: [
        ("nonsense", "is no JSON"),
        (#"{"log": {"entries": [{"request": {"method": "GET"}}]}}"#, "log.entries[0].request has no “url”"),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://api.example.com/users"}, "response": {"status": 0}}]}}"#,
            "entry 0 of the recording has the status 0"
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://api.example.com/users"}, "response": {"status": 200, "content": {"size": 7}}}]}}"#,
            "does not hold its content"
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://api.example.com/users"}, "response": {"status": 200, "content": {"text": "%", "encoding": "base64"}}}]}}"#,
            "is not in base64"
        ),
    ])
    func `BAD-INPUT: a damaged file is an error of each call`(_ text: String, _ words: String) async throws {
        try await Self.inNewFile { path in
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            try await use(Recorder(file: path)) { api async throws in
                let error = await #expect(throws: CallError.self) { _ = try await api.get("users") }
                #expect(
                    error?.kind == .file && error?.description.contains(words) == true, "\(String(describing: error))")
            }
        }
    }

    @Test func `a browser's archive is replayed`() async throws {
        try await Self.inNewFile { path in
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let text = """
                {"log": {"version": "1.2", "entries": [{"startedDateTime": "2026-11-21T04:35:47+01:00",
                "request": {"method": "GET", "url": "https://api.example.com/users", "headers": []},
                "response": {"status": 200, "statusText": "OK", "headers": [{"name": ":status", "value": "200"},
                {"name": "content-encoding", "value": "gzip"}, {"name": "content-length", "value": "31"},
                {"name": "set-cookie", "value": "a=1\\nb=2"}, {"name": "bad name", "value": "x"}],
                "content": {"size": 2, "mimeType": "text/plain", "text": "aGk=", "encoding": "base64"}}}]}}
                """
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            try await use(Recorder(file: path)) { api async throws in
                let response = try await api.get("users")
                #expect(try await response.text() == "hi")
                #expect(response.headers[values: .setCookie] == ["a=[redacted]", "b=[redacted]"])
                #expect(response.headers.fields.count == 2)
            }
        }
    }

    @Test func `the secrets of another program's archive are withheld in memory and in the file`() async throws {
        try await Self.inNewFile { path in
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let text = """
                {"log": {"version": "1.2", "entries": [{"startedDateTime": "2026-11-21T04:35:47+01:00",
                "request": {"method": "GET", "url": "https://api.example.com/users?token=s3cret12"},
                "response": {"status": 200, "content": {"text": "s3cret12"}}}]}}
                """
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            try await use(Recorder(file: path, mode: .update, over: stub())) { api async throws in
                #expect(try await api.get("users", query: ["token": "another"]).text() == "[redacted]")
                _ = try await api.get("users")
            }
            let written = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!written.contains("s3cret12") && written.contains("token=[redacted]"))
        }
    }

    @Test func `a file that cannot be written fails the call`() async throws {
        try await use(Recorder(file: "/dev/null/users.har", mode: .record, over: stub())) { api async throws in
            let error = await #expect(throws: CallError.self) { _ = try await api.get("users") }
            #expect(error?.kind == .file && error?.reason.contains("/dev/null/users.har") == true)
        }
        try await use(Recorder(file: "/nowhere/users.har", mode: .replay)) { api async throws in
            let error = await #expect(throws: CallError.self) { _ = try await api.get("users") }
            #expect(error?.kind == .file && error?.advice?.contains("mode: .record") == true)
        }
    }

    @Test func `200 calls at once are all recorded and replayed`() async throws {
        try await Self.inNewFile { path in
            let stub = StubTransport {
                $0.on("/n/*").respond { Response(status: .ok, body: Bytes($0.uri?.path ?? "")) }
            }
            for transport in [stub, StubTransport()] {
                try await use(Recorder(file: path, over: transport)) { api async throws in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<200 {
                            group.addTask {
                                let text = try await api.get("n/\(number)").text()
                                #expect(text == "/n/\(number)")
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
    }
}
