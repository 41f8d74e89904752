// ResumedUploadTests: uploads that resume after an interruption.

import Foundation
import HTTPTypes
import Synchronization
import Testing
@testable import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ResumedUploadTests {
    private static let file = ServedFile(count: 300_000)
    private static let content = file.content

    /// Runs `body` with a server that interrupts the first request, reports its offset, and takes the rest.
    private func interrupted(
        at offsets: [Int], _ configure: (inout Configuration) -> Void = { $0.retry = .prompt },
        _ body: (ScriptedServer, Client, SeenOffers) async throws -> Void
    ) async throws {
        let seen = SeenOffers(offsets.count)
        let server = try await ScriptedServer.start { request in
            switch request.method {
            case "HEAD": UploadScript.has("\(offsets[min(request.index / 2, offsets.count - 1)])")
            default: UploadScript.done
            }
        } onHead: { request in
            let turn = (request.index + 1) / 2
            guard request.method != "HEAD", turn < offsets.count else { return nil }
            return UploadScript.broken(
                turn == 0 ? UploadScript.offer() : UploadScript.interim("Upload-Offset: \(offsets[turn])\r\n"),
                seen[turn])
        }
        try await serving(server, configure) { server, client in
            let observation = client.observe { seen.take($0) }
            try await body(server, client, seen)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `without an interruption it is one request that says what it is`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.bin")
            try Data(Self.content).write(to: file)
            try await serving(.start { _ in [UploadScript.offer()] + UploadScript.done }) { server, client in
                let told = Log<UploadProgress>()
                let response = try await client.upload(file, to: "videos", resume: true) { told.add($0) }
                let text = try await response.text()
                #expect(text == "done" && server.requests.count == 1)
                let request = server.requests[0]
                #expect(request.method == "POST" && request.target == "/videos" && request.body == Self.content)
                #expect(request["upload-complete"] == "?1" && request["upload-length"] == "300000")
                #expect(request["upload-draft-interop-version"] == "8" && request["upload-offset"] == nil)
                #expect(request["content-length"] == "300000" && !request.isChunked)
                let last = try #require(told.all.last)
                #expect(last.sent == 300_000 && last.fraction == 1 && last.resumptions == 0)
                #expect("\(last)" == "300000 of 300000 bytes (100%)")
            }
        }
    }

    @Test func `it goes on behind what the server has, and the answer to that is the answer`() async throws {
        try await interrupted(at: [120_000]) { server, client, _ in
            let told = Log<UploadProgress>()
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let response = try await client.upload(
                Request(.put, "a?b=c", body: .bytes(Self.content, contentType: "video/mp4")), resume: true
            ) { told.add($0) }
            let text = try await response.text()
            #expect(text == "done")
            let requests = server.requests
            try #require(requests.map { "\($0.method) \($0.target)" } == ["PUT /a?b=c", "HEAD /u/1", "PATCH /u/1"])
            #expect(requests[2]["upload-offset"] == "120000" && requests[2]["upload-complete"] == "?1")
            #expect(requests[2]["content-type"] == "application/partial-upload")
            #expect(requests[2]["content-length"] == "180000" && requests[2].body == Array(Self.content[120_000...]))
            #expect(requests.allSatisfy { $0["upload-draft-interop-version"] == "8" })
            #expect(requests[1]["upload-complete"] == nil && requests[1]["content-type"] == nil)
            let last = try #require(told.all.last)
            #expect(last.sent == 300_000 && last.acknowledged == 120_000 && last.resumptions == 1)
            #expect("\(last)" == "300000 of 300000 bytes (100%), resumed once")
            #expect(told.all.contains { $0.sent == 120_000 && $0.resumptions == 1 })
            #expect(events.resendings.count == 1 && events.ends.count == 1)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `several interruptions, and every byte arrives once`() async throws {
        try await interrupted(at: [0, 100_000, 299_999]) { server, client, _ in
            let told = Log<UploadProgress>()
            let request = Request(.post, "a", body: .bytes(Self.content))
            let response = try await client.upload(request, resume: true) { told.add($0) }
            #expect(response.statusCode == 200 && told.all.last?.resumptions == 3)
            let requests = server.requests
            try #require(requests.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
            #expect(requests[6].body == [Self.content[299_999]])
            #expect(requests.compactMap { $0["upload-offset"] } == ["0", "100000", "299999"])
        }
    }

    @Test func `a file is read from where it goes on`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a")
            try Data(Self.content).write(to: file)
            try await interrupted(at: [200_001]) { server, client, _ in
                let response = try await client.upload(file, to: "a", method: .put, resume: true)
                #expect(response.statusCode == 200)
                let rest = try await server.request(2)
                #expect(rest.body == Array(Self.content[200_001...]))
            }
        }
    }

    @Test func `everything may be there already, and only its end has still to be said`() async throws {
        try await interrupted(at: [300_000]) { server, client, _ in
            _ = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            let last = try await server.request(2)
            #expect(last.method == "PATCH" && last["upload-complete"] == "?1" && last["content-length"] == "0")
        }
    }

    @Test func `where only the answer was lost, the one that says so is given`() async throws {
        let seen = SeenOffers()
        let server = try await ScriptedServer.start { request in
            request.method == "HEAD"
                ? UploadScript.has("300000", complete: true, "X-Id: 7\r\n") : [.wait(for: seen[0]), .close]
        } onHead: {
            $0.method == "POST" ? [UploadScript.offer(), .wholeRequest, .close] : nil
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 204 && response.headers[.init("X-Id") ?? .via] == "7")
            #expect(server.requests.map(\.method) == ["POST", "HEAD"])
            #expect(events.decisions.contains { $0.contains("the upload is complete") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [500, 502, 503, 504, 429]) func `a status that may pass is no end`(status: Int) async throws {
        let server = try await ScriptedServer.start { request in
            switch request.method {
            case "POST": [UploadScript.offer()] + .status(HTTPResponse.Status(code: status))
            case "HEAD": UploadScript.has("7")
            default: UploadScript.done
            }
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 200 && server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
        }
    }

    @Test(arguments: [true, false]) func `a failure of what was uploaded as a whole is the answer`(isSaid: Bool)
        async throws
    {
        let server = try await ScriptedServer.start { request in
            guard request.method == "POST" else { return UploadScript.has("300000", complete: true) }
            let fields: HTTPFields = isSaid ? [.init("Upload-Complete") ?? .via: "?1"] : [:]
            return [UploadScript.offer()] + .status(.internalServerError, "no", headers: fields)
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            let text = try await response.text(acceptingAll: true)
            #expect(response.statusCode == 500 && text == "no")
            #expect(server.requests.count == (isSaid ? 1 : 2))
        }
    }

    @Test func `no more is sent at once than the server takes`() async throws {
        let seen = SeenOffers()
        let server = try await ScriptedServer.start { request in
            if request.method == "HEAD" { return UploadScript.has("0") }
            return request["upload-complete"] == "?1"
                ? UploadScript.done
                : UploadScript.has(
                    "\((Int(request["upload-offset"] ?? "") ?? 0) + request.bodyByteCount)")
        } onHead: { request in
            request.method == "POST"
                ? UploadScript.broken(
                    UploadScript.offer("/u/1", "Upload-Limit: max-append-size=130000;x, y=(1 2)\r\n"), seen[0])
                : nil
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let observation = client.observe { seen.take($0) }
            let told = Log<UploadProgress>()
            _ = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true) { told.add($0) }
            #expect(told.all.last?.resumptions == 1)
            let parts = server.requests.dropFirst(2)
            #expect(parts.map(\.bodyByteCount) == [130_000, 130_000, 40_000])
            #expect(parts.map { $0["upload-complete"] } == ["?0", "?0", "?1"])
            #expect(parts.flatMap(\.body) == Self.content)
            withExtendedLifetime(observation) {}
        }
    }

    // MARK: Retries

    @Test func `a part is never repeated as it was, whatever the policy repeats`() async throws {
        let server = try await ScriptedServer.start { request in
            switch (request.method, request.index) {
            case ("POST", _): [UploadScript.offer()] + .status(.badGateway)
            case ("HEAD", _): UploadScript.has("\(request.index * 1000)")
            case (_, 2): .status(.serviceUnavailable)
            default: UploadScript.done
            }
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.retry.allowsAllMethods = true
            $0.retry.addsIdempotencyKeys = true
        } _: { server, client in
            _ = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            try #require(server.requests.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "PATCH"])
            #expect(server.requests.map { $0["idempotency-key"] != nil } == [true, false, false, false, false])
            #expect(server.requests[4]["upload-offset"] == "3000")
        }
    }

    @Test func `the policy's rule is asked, and has the last word`() async throws {
        func requests(_ rule: @escaping @Sendable (RetryPolicy.Outcome) -> RetryPolicy.Decision) async throws -> Int {
            let server = try await ScriptedServer.start { request in
                switch (request.method, request.index) {
                case ("POST", _): [UploadScript.offer()] + .status(.badGateway)
                case ("HEAD", _): UploadScript.has("7")
                case (_, 2): .status(.conflict)
                case (_, 4): .status(HTTPResponse.Status(code: 507))
                default: UploadScript.done
                }
            }
            let count = Log<Int>()
            try await serving(server) {
                $0.retry = .prompt
                $0.retry.rule = rule
            } _: { server, client in
                _ = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
                count.add(server.requests.count)
            }
            return try #require(count.all.first)
        }
        let (refused, usual, all) = try await (
            requests { _ in .giveUp }, requests { _ in .standard }, requests { _ in .retry(after: .zero) }
        )
        #expect(refused == 1 && usual == 5 && all == 7)
    }

    @Test func `a lost connection is mended only where the policy mends those`() async throws {
        try await interrupted(at: [7]) {
            $0.retry = .prompt
            $0.retry.retriesConnectionFailures = false
        } _: { server, client, _ in
            _ = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `parts that come further do not count against the limit of exchanges`() async throws {
        let seen = SeenOffers()
        let server = try await ScriptedServer.start { request in
            if request.method == "HEAD" { return UploadScript.has("0") }
            return request["upload-complete"] == "?1"
                ? UploadScript.done
                : UploadScript.has("\((Int(request["upload-offset"] ?? "") ?? 0) + request.bodyByteCount)")
        } onHead: { request in
            request.method == "POST"
                ? UploadScript.broken(
                    UploadScript.offer("/u/1", "Upload-Limit: max-append-size=5000\r\n"), seen[0]) : nil
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.limits.exchanges = 4
        } _: { server, client in
            let observation = client.observe { seen.take($0) }
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 200 && server.requests.count == 62)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `what comes no further does, and is then given up`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.method {
            case "POST": [UploadScript.offer()] + .status(.badGateway)
            case "HEAD": UploadScript.has("7")
            default: .status(.serviceUnavailable)
            }
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.retry.retries = 100
            $0.retry.extraLoad = 100
            $0.limits.exchanges = 4
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .limitExceeded, "\(error)")
            let last = try await server.request(4)
            #expect(last.method == "DELETE" && last.target == "/u/1")
        }
    }

    @Test func `a 200 that does not confirm all bytes fails the upload`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.method {
            case "POST": [UploadScript.offer()] + .close
            case "HEAD": UploadScript.has("7")
            default: .ok("not a word of the upload")
            }
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.retry.retries = 2
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .incompleteResponse, "\(error)")
            let reason =
                "the server does not confirm that it has more than 7 of \(Self.content.count) bytes of the upload"
            #expect(error.reason == reason, "\(error)")
        }
    }

    @Test func `the waits are the policy's, or what the server asks for`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { request in
            switch (request.method, request.index) {
            case ("POST", _): [UploadScript.offer()] + .status(.badGateway)
            case ("HEAD", 1): .status(.serviceUnavailable, headers: [.retryAfter: "3"])
            case ("HEAD", _): UploadScript.has("0")
            default: UploadScript.done
            }
        }
        try await serving(server) {
            $0.retry = .standard
            $0.retry.random = { 1 }
            $0.clock = clock
        } _: { server, client in
            let call = Task { try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true) }
            for milliseconds in [200, 3000] {
                try await clock.waitForSleepers(1)
                clock.advance(by: .milliseconds(milliseconds - 1))
                #expect(clock.sleepers == 1)
                clock.advance(by: .milliseconds(1))
            }
            let response = try await call.value
            #expect(response.statusCode == 200 && server.requests.count == 4)
        }
    }

    @Test(arguments: [0, 2]) func `the policy says how often, and then the last failure is told`(retries: Int)
        async throws
    {
        let server = try await ScriptedServer.start { request in
            request.method == "POST"
                ? [UploadScript.offer()] + .status(.badGateway, "gone") : .status(.serviceUnavailable)
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.retry.retries = retries
        } _: { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 502 && server.requests.count == 1 + retries)
        }
    }

    @Test func `a long upload on a bad line goes on as long as it comes further`() async throws {
        let content = [UInt8](repeating: 7, count: 12 << 20)
        let server = try await ScriptedServer.start(keepingBodyBytes: 0) { request in
            switch request.method {
            case "POST": [UploadScript.offer()] + .status(.badGateway)
            case "HEAD": UploadScript.has("\((request.index + 1) / 2 * (1 << 20))")
            default: request.index < 22 ? .status(.badGateway) : UploadScript.done
            }
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.retry.retries = 1
        } _: { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(content)), resume: true)
            #expect(response.statusCode == 200 && server.requests.count == 23)
        }
    }
}

extension Response {
    /// The text, for any status.
    fileprivate func text(acceptingAll: Bool) async throws -> String {
        String(decoding: try #require(bytes), as: UTF8.self)
    }
}
