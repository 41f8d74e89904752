// DownloadRetryTests: downloads and event streams ask the client's retry policy, and the chain leaves them to it.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct DownloadRetryTests {
    private let file = ServedFile(count: 100_000)

    /// Downloads with a policy that has the given rule and no delays.
    private func download(
        from server: ScriptedServer,
        _ rule: (@Sendable (RetryPolicy.Outcome) -> RetryPolicy.Decision)? = nil,
        _ check: (Result<DownloadedFile, CallError>, ScriptedServer, Log<CallEvent>) throws -> Void
    ) async throws {
        try await withFolder { folder in
            try await serving(server) {
                $0.retry = .standard { ($0.retries, $0.delay, $0.rule) = (2, .zero, rule) }
            } _: { server, client in
                let events = Log<CallEvent>()
                let observation = client.observe { events.add($0) }
                defer { observation.cancel() }
                var result: Result<DownloadedFile, CallError>
                do throws(CallError) {
                    result = .success(try await client.download("a", to: folder, resume: true))
                } catch {
                    result = .failure(error)
                }
                if case .success(let got) = result { #expect(got.url.bytes == file.content) }
                try check(result, server, events)
                #expect(events.ends.count == 1)
            }
        }
    }

    @Test func `a server that is gone is asked as often as the policy says`() async throws {
        let server = try await ScriptedServer.start { _ in .close }
        try await download(from: server) { result, server, events in
            let error = try #require(result.failure)
            #expect(error.kind == .emptyReply && error.attempts == 3 && server.requests.count == 3)
            #expect(
                events.resendings
                    == ["an empty answer after 0 bytes, retry 1 of 2", "an empty answer after 0 bytes, retry 2 of 2"])
        }
    }

    @Test func `a body without a length ends where an earlier response has said`() async throws {
        let file = file
        let server = try await ScriptedServer.start { request in
            switch request.index {
            case 0: return file.answer(request, sending: 90_000)
            case 1:
                // A server that knows neither ranges nor the length, and breaks off.
                let head = "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nConnection: close\r\n\r\n"
                return [.bytes(head), .content(Array(file.content.prefix(80_000))), .close]
            default: return file.answer(request)
            }
        }
        try await download(from: server) { result, server, _ in
            let got = try result.get()
            #expect(got.count == 100_000)
            #expect(server.requests.map { $0["range"] } == [nil, "bytes=90000-", "bytes=90000-"])
        }
    }

    @Test(arguments: ["-5", "+5", "5 ", "x"])
    func `BAD-INPUT 1: a length that is no number is none, from any transport`(_ length: String) async throws {
        let stub = StubTransport { $0.on("*").respond(headers: [.contentLength: length], text: "hello") }
        let client = Client("https://a.example", transport: stub)
        try await withFolder { folder in
            let got = try await client.download("a", to: folder)
            #expect(got.url.bytes == Array("hello".utf8) && got.count == 5)
        }
    }

    @Test func `bytes that are of no use are no progress`() async throws {
        let file = ServedFile(count: 6 << 20)
        let server = try await ScriptedServer.start { request in
            switch request.index {
            case 0: file.answer(request, sending: 2 << 20)
            case 1: .status(.rangeNotSatisfiable)
            default: .status(.serviceUnavailable)
            }
        }
        try await download(from: server) { result, server, _ in
            #expect(result.failure?.kind == .status)
            // One retry follows the break, and one the first 503.
            #expect(server.requests.count == 4, "\(server.requests.count)")
        }
    }

    @Test(arguments: [true, false])
    func `exchanges that bring much do not count against the limit`(isSliced: Bool) async throws {
        var file = ServedFile(count: 6 << 20)
        let part = 5 << 18
        if isSliced { file.longestRange = part }
        let server = try await ScriptedServer.start { [file] request in
            file.answer(request, sending: isSliced && request["range"] != nil ? nil : part)
        }
        try await withFolder { folder in
            try await serving(
                server,
                {
                    $0.limits.exchanges = 2
                    $0.retry = .standard { ($0.retries, $0.delay) = (1, .zero) }
                }
            ) { [file] server, client in
                let got = try await client.download("a", to: folder, resume: true)
                #expect(got.url.bytes == file.content && server.requests.count == 5)
            }
        }
    }

    @Test func `a status of the policy is retried, and the bytes stay`() async throws {
        let file = file
        let server = try await ScriptedServer.start { request in
            switch request.index {
            case 0: file.answer(request, sending: 30_000)
            case 1: .status(.serviceUnavailable, headers: [.retryAfter: "0"])
            default: file.answer(request)
            }
        }
        try await download(from: server) { result, server, _ in
            let got = try result.get()
            #expect(got.count == 100_000)
            #expect(server.requests.map { $0["range"] } == [nil, "bytes=30000-", "bytes=30000-"])
        }
    }

    @Test func `a wait that the server asks for and the policy does not allow ends the download`() async throws {
        let server = try await ScriptedServer.start { _ in .status(.serviceUnavailable, headers: [.retryAfter: "121"]) }
        try await download(from: server) { result, server, _ in
            let error = try #require(result.failure)
            #expect(error.kind == .status && server.requests.count == 1)
            #expect("\(error)".contains("the server asks to wait 121 s"), "\(error)")
        }
    }

    @Test func `the rule ends a download that another connection could go on with`() async throws {
        let file = file
        let asked = Log<String>()
        let server = try await ScriptedServer.start { file.answer($0, sending: 30_000) }
        try await download(from: server) { outcome in
            asked.add("\(outcome.error?.kind.rawValue ?? "none") \(outcome.retries)")
            return outcome.retries == 1 ? .giveUp : .standard
        } _: { result, server, _ in
            #expect(result.failure?.kind == .incompleteResponse && server.requests.count == 2)
            #expect(asked.all == ["incompleteResponse 0", "incompleteResponse 1"])
        }
    }

    @Test func `the rule goes on after a status that the policy does not name`() async throws {
        let file = file
        let server = try await ScriptedServer.start { request in
            request.index == 0 ? .status(.conflict) : file.answer(request)
        }
        try await download(from: server) { outcome in
            outcome.response?.status == .conflict && outcome.error == nil ? .retry(after: .zero) : .standard
        } _: { result, server, _ in
            let got = try result.get()
            #expect(got.count == 100_000 && server.requests.count == 2)
        }
    }

    @Test func `the rule is asked about a piece`() async throws {
        let file = ServedFile(count: 1_000_000)
        let (asked, gate) = (Log<Int>(), Gate())
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                let reply = file.answer(request)
                switch request["range"] {
                // The first response brings no byte of the piece before the piece is given up.
                case nil: return Reply([reply.steps[0], .wait(for: gate)] + reply.steps.dropFirst())
                case "bytes=500000-749999": return file.answer(request, sending: 100_000)
                default: return reply
                }
            }
            try await serving(server) {
                $0.retry = .standard {
                    $0.rule = { outcome in
                        asked.add(outcome.retries)
                        gate.open()
                        return .giveUp
                    }
                }
            } _: { server, client in
                let policy = DownloadPolicy.standard { ($0.connections, $0.minimumPiece) = (4, 100_000) }
                let got = try await client.download("a", to: folder, resume: true, policy: policy)
                #expect(got.url.bytes == file.content && asked.all.count >= 1)
                let ranges = server.requests.compactMap { $0["range"] }.filter { $0.hasSuffix("749999") }
                // The download itself asks for what the piece left out, or the first response brings it.
                #expect(ranges.first == "bytes=500000-749999" && ranges.count <= 2)
            }
        }
    }

    @Test(arguments: [false, true]) func `the rule ends a stream of events`(isOfRequest: Bool) async throws {
        let server = try await ScriptedServer.start { _ in
            .chunked(["retry: 0\ndata: x\n\n"], headers: [.contentType: "text/event-stream"])
        }
        let asked = Log<Int>()
        let rule: @Sendable (inout Configuration) -> Void = {
            $0.retry = .standard {
                $0.rule = { outcome in
                    asked.add(outcome.response?.statusCode ?? 0)
                    return outcome.retries == 2 ? .giveUp : .standard
                }
            }
        }
        try await serving(server) {
            if !isOfRequest { rule(&$0) }
        } _: { server, client in
            var count = 0
            var request = Request(.get, "feed")
            if isOfRequest { request.options(rule) }
            for try await _ in client.events(request) { count += 1 }
            #expect(count == 3 && server.requests.count == 3)
            // The chain asks about each response, and the stream about each end.
            #expect(asked.all == [200, 200, 200, 200, 200, 200])
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
