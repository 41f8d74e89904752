// UploadRecordTests: uploads that a later process continues.

import Foundation
import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct UploadRecordTests {
    private static let content = ServedFile(count: 300_000).content

    /// An upload that breaks off after the server has named `/u/1`, and then another one by a new client.
    /// - Parameters:
    ///   - answer: the answers to the second run.
    ///   - change: what happens to the folder between the two; `a.bin` is the file, and the only other file the record.
    /// - Returns: the methods, targets and offsets of the second run, its decisions and the records that are left.
    private func run(
        path: String = "/videos?signature=2", continues: Bool = true, retry: RetryPolicy = .off,
        answer: @escaping @Sendable (ReceivedRequest) -> Reply = { request in
            request.method == "HEAD" ? UploadScript.has("120000") : UploadScript.done
        },
        change: (URL, URL) throws -> Void = { _, _ in },
        _ check: (Result<Response, CallError>, [ReceivedRequest], [String], _ records: [String]) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let (file, records) = (folder.appending(path: "a.bin"), folder.appending(path: "records"))
            try FileManager.default.createDirectory(at: records, withIntermediateDirectories: false)
            try Data(Self.content).write(to: file)
            let seen = SeenOffers()
            let server = try await ScriptedServer.start(answer) { request in
                request.index == 0 ? UploadScript.broken(UploadScript.offer(), seen[0]) : nil
            }
            try await server.use { server in
                try await withClient(server.url, { $0.retry = .off }) { client in
                    let observation = client.observe { seen.take($0) }
                    let error = try await failure {
                        try await upload(file, "/videos?signature=1", records, continues: false, by: client)
                    }
                    #expect([.connectionLost, .incompleteResponse].contains(error.kind), "\(error)")
                    #expect(records.names.count == 1 && records.names[0].hasSuffix(".json"))
                    withExtendedLifetime(observation) {}
                }
                try change(file, records.appending(path: records.names[0]))
                let events = EventLog()
                let result: Result<Response, CallError> = try await withClient(server.url, { $0.retry = retry }) {
                    client in
                    let observation = events.observe(client)
                    defer { withExtendedLifetime(observation) {} }
                    do throws(CallError) {
                        return .success(try await upload(file, path, records, continues: continues, by: client))
                    } catch {
                        return .failure(error)
                    }
                }
                try await server.waitUntil(openConnections: 0)
                try await check(result, Array(server.requests.dropFirst()), events.decisions, records.names)
            }
        }
    }

    private func upload(
        _ file: URL, _ path: String, _ records: URL, continues: Bool, by client: Client
    ) async throws(CallError) -> Response {
        let run = try UploadRun(
            client, Request(.post, path: path, body: .file(file.path)), resume: true,
            records: UploadRecords(folder: records.path, continues: continues), nil)
        return try await run.perform(run.makeCall())
    }

    @Test func `the server is asked how much it has, and gets the rest`() async throws {
        try await run { result, requests, decisions, records in
            let response = try result.get()
            #expect(response.status == .ok)
            try #require(requests.map { "\($0.method) \($0.target)" } == ["HEAD /u/1", "PATCH /u/1"])
            #expect(requests[1]["upload-offset"] == "120000" && requests[1]["upload-complete"] == "?1")
            #expect(requests[1].body == Array(Self.content[120_000...]))
            #expect(decisions == ["the upload continues after 120000 of 300000 bytes"] && records.isEmpty)
        }
    }

    @Test func `without being asked to, no run continues another`() async throws {
        try await run(continues: false, answer: { _ in [UploadScript.offer("/u/2")] + UploadScript.done }) {
            result, requests, _, records in
            let response = try result.get()
            #expect(response.status == .ok)
            #expect(requests.map { "\($0.method) \($0.target)" } == ["POST /videos?signature=2"])
            #expect(requests[0].body == Self.content && records.isEmpty)
        }
    }

    @Test func `a server that has all bytes gets none again`() async throws {
        try await run(answer: { _ in UploadScript.has("300000", complete: true) }) { result, requests, _, records in
            let response = try result.get()
            #expect(response.statusCode == 204)
            #expect(requests.map(\.method) == ["HEAD"] && records.isEmpty)
        }
    }

    @Test func `a server that no longer has the upload gets all of it`() async throws {
        try await run(answer: { request in
            request.method == "HEAD" ? .status(.notFound) : [UploadScript.offer("/u/2")] + UploadScript.done
        }) { result, requests, decisions, records in
            let response = try result.get()
            #expect(response.status == .ok)
            #expect(requests.map { "\($0.method) \($0.target)" } == ["HEAD /u/1", "POST /videos?signature=2"])
            #expect(requests[1].body == Self.content && records.isEmpty)
            #expect(
                decisions == [
                    "the upload begins at its beginning: the server no longer has the earlier one, it answered 404 Not Found"
                ])
        }
    }

    enum Change: CaseIterable, Sendable {
        case file, damaged, missing, link, otherOrigin, otherScheme, otherPath

        func apply(_ file: URL, _ record: URL) throws {
            func replace(_ resource: String) throws {
                var object = try #require(
                    JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any])
                object["resource"] = resource
                try JSONSerialization.data(withJSONObject: object).write(to: record)
            }
            switch self {
            case .file: try Data(UploadRecordTests.content.reversed()).write(to: file)
            case .damaged: try Data("{\"resource\":".utf8).write(to: record)
            case .missing: try FileManager.default.removeItem(at: record)
            case .link:
                let other = record.deletingLastPathComponent().deletingLastPathComponent().appending(path: "other")
                try FileManager.default.moveItem(at: record, to: other)
                try FileManager.default.createSymbolicLink(at: record, withDestinationURL: other)
            case .otherOrigin: try replace("http://other.example/u/1")
            case .otherScheme: try replace("file:///u/1")
            case .otherPath: break
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `a record that does not belong to this upload is not used`(change: Change) async throws {
        try await run(
            path: change == .otherPath ? "/films" : "/videos", answer: { _ in UploadScript.done },
            change: { try change.apply($0, $1) }
        ) { result, requests, decisions, records in
            let response = try result.get()
            #expect(response.status == .ok)
            #expect(requests.map(\.method) == ["POST"], "\(change)")
            #expect(decisions.count == 1 && decisions[0].hasPrefix("the upload begins at its beginning: "))
            // The record of the other path stays.
            #expect(records.count == (change == .otherPath ? 1 : 0))
        }
    }

    @Test(arguments: ["300001", "-1", "x"])
    func `a server that has more than there is ends the upload, and one that does not say leaves it`(
        offset: String
    ) async throws {
        try await run(answer: { request in
            request.method == "HEAD" ? UploadScript.has(offset) : .status(.noContent)
        }) { result, requests, _, records in
            let error: CallError? = if case .failure(let error) = result { error } else { nil }
            #expect(error?.kind == .invalidResponse, "\(result)")
            #expect(!requests.contains { $0.method == "PATCH" })
            // An answer without an offset may be that of a proxy or of a page for a login.
            #expect(records.count == (offset == "300001" ? 0 : 1))
            #expect(requests.contains { $0.method == "DELETE" } == (offset == "300001"))
        }
    }

    @Test func `a server that does not know the caller is not sent the file again`() async throws {
        try await run(answer: { _ in .status(.forbidden) }) { result, requests, _, records in
            let response = try result.get()
            #expect(response.statusCode == 403 && requests.map(\.method) == ["HEAD"] && records.count == 1)
        }
    }

    @Test func `the limits that the server names then are kept`() async throws {
        try await run(answer: { request in
            switch request.method {
            case "HEAD": UploadScript.has("120000", "Upload-Limit: max-append-size=100000\r\n")
            case "PATCH" where request["upload-complete"] == "?0":
                [.bytes("HTTP/1.1 204 No Content\r\nUpload-Complete: ?0\r\nUpload-Offset: 220000\r\n\r\n")]
            default: UploadScript.done
            }
        }) { result, requests, _, records in
            let response = try result.get()
            #expect(response.status == .ok && records.isEmpty)
            #expect(requests.map { $0["content-length"] } == [nil, "100000", "80000"])
        }
    }

    @Test func `an upload that the server calls unfinished is no success`() async throws {
        try await run(answer: { request in
            request.method == "HEAD"
                ? UploadScript.has("120000")
                : [
                    .bytes(
                        "HTTP/1.1 200 OK\r\nUpload-Complete: ?0\r\nUpload-Offset: 200000\r\nContent-Length: 0\r\n\r\n")
                ]
        }) { result, _, _, records in
            let error: CallError? = if case .failure(let error) = result { error } else { nil }
            #expect(error?.kind == .incompleteResponse, "\(result)")
            #expect(error?.reason.contains("only 200000 of 300000 bytes") == true && records.count == 1)
        }
        // The same without an upload resource.
        try await serving(
            .start { _ in
                [.bytes("HTTP/1.1 201 Created\r\nUpload-Complete: ?0\r\nUpload-Offset: 5\r\nContent-Length: 0\r\n\r\n")]
            }
        ) { _, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .incompleteResponse, "\(error)")
        }
    }

    @Test func `a last response that is too long does not delete the upload`() async throws {
        let server = try await ScriptedServer.start { _ in
            [
                UploadScript.offer(),
                .bytes("HTTP/1.1 200 OK\r\nUpload-Complete: ?1\r\nContent-Length: 100000\r\n\r\n"),
                .content([UInt8](repeating: 1, count: 100_000)),
            ]
        }
        try await serving(server, { $0.limits.bufferedBody = 1000 }) { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .limitExceeded, "\(error)")
            await client.close()
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }

    @Test func `a server that is busy is asked again, or by a later run`() async throws {
        try await run(answer: { _ in .status(.serviceUnavailable) }) { result, requests, _, records in
            let response = try result.get()
            #expect(response.statusCode == 503 && requests.map(\.method) == ["HEAD"])
            #expect(records.count == 1)
        }
        try await run(
            retry: .prompt,
            answer: { request in
                switch (request.method, request.index) {
                case ("HEAD", 1): .status(.serviceUnavailable)
                case ("HEAD", _): UploadScript.has("300000", complete: true)
                default: .status(.badRequest)
                }
            }
        ) { result, requests, _, records in
            // The answer is that of the server that has all bytes, and not the 503 before it.
            let response = try result.get()
            #expect(response.statusCode == 204 && requests.map(\.method) == ["HEAD", "HEAD"])
            #expect(records.isEmpty)
        }
    }
}
