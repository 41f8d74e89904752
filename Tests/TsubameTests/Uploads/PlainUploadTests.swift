// PlainUploadTests: uploads that the server cannot resume, and uploads without the resume option.

import Dispatch
import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct PlainUploadTests {
    private static let content = [UInt8](repeating: 7, count: 100_000)

    @Test func `unless it is to be resumed, an upload says nothing of it`() async throws {
        try await serving(.start { _ in .ok("there") }) { server, client in
            let told = Log<UploadProgress>()
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content))) { told.add($0) }
            #expect(response.statusCode == 200 && server.requests[0].body == Self.content)
            #expect(!server.requests[0].headText.lowercased().contains("upload-"))
            #expect(told.all.last?.sent == 100_000 && told.all.last?.total == 100_000)
        }
    }

    @Test func `a server without support is asked once, or as often as any other`() async throws {
        let server = try await ScriptedServer.start { _ in [.close] }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            for (method, count) in [(HTTPRequest.Method.post, 1), (.put, 4)] {
                let before = server.requests.count
                let error = try await failure {
                    try await client.upload(Request(method, "a", body: .bytes(Self.content)), resume: true)
                }
                #expect([.emptyReply, .connectionLost].contains(error.kind), "\(error)")
                let sent = server.requests.dropFirst(before)
                #expect(
                    sent.count == count && sent.allSatisfy { $0.method == method.rawValue && $0.body == Self.content })
            }
        }
    }

    @Test(arguments: ["7", "9", "", "?1", "8, 8"]) func `an offer of another version of the draft is none`(
        version: String
    )
        async throws
    {
        let server = try await ScriptedServer.start { _ in
            [UploadScript.interim("Location: /u/1\r\n", version: version)] + .status(.badGateway)
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 502 && server.requests.count == 1)
        }
    }

    @Test func `a stream is sent once, and why is told`() async throws {
        let server = try await ScriptedServer.start { _ in [UploadScript.offer()] + .status(.badGateway) }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let body = RequestBody.bytes(Self.content).chunked()
            let response = try await client.upload(Request(.post, "a", body: body), resume: true)
            #expect(response.statusCode == 502 && server.requests.count == 1)
            #expect(server.requests[0]["upload-complete"] == nil && server.requests[0].isChunked)
            #expect(events.decisions.contains { $0.contains("a stream") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `what a hook makes of the body is not mixed with it`() async throws {
        struct Compressing: MessageHook {
            func willSend(_ request: inout Request) { request.body = request.body.compressed() }
        }
        let server = try await ScriptedServer.start { _ in [UploadScript.offer(), .close] }
        try await serving(server) {
            $0.retry = .prompt
            $0.interceptors += [Compressing()]
        } _: { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            _ = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(server.requests.count == 1)
            #expect(events.decisions.contains { $0.contains("an interceptor has changed the body") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a file that is not there is told before anything is sent`() async throws {
        try await withFolder { folder in
            try await serving(.start { _ in .ok() }) { server, client in
                for isResumed in [true, false] {
                    let error = try await failure {
                        try await client.upload(folder.appending(path: "none"), to: "a", resume: isResumed)
                    }
                    #expect(error.kind == .requestBody && server.requests.isEmpty)
                }
            }
        }
    }

    @Test func `every way to wait uploads`() async throws {
        let server = try await ScriptedServer.start { request in
            request.method == "HEAD"
                ? UploadScript.has("5")
                : request.method == "PATCH" ? UploadScript.done : [UploadScript.offer()] + .status(.badGateway)
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let request = Request(.post, "a", body: .bytes(Self.content))
            let told = Log<UploadProgress>()
            let queue = DispatchQueue(label: "uploads")
            let started = await withCheckedContinuation { continuation in
                client.start(
                    uploading: request, resume: true, on: .queue(queue), progress: { told.add($0) },
                    then: { continuation.resume(returning: $0) })
            }
            #expect((try? started.get())?.statusCode == 200 && told.all.last?.resumptions == 1)
            let onMain = await withCheckedContinuation { continuation in
                client.start(uploading: request, resume: true) { continuation.resume(returning: $0) }
            }
            #expect((try? onMain.get())?.statusCode == 200)
            let blocking = try await onThread { try client.blocking.upload(request, resume: true) }
            #expect(blocking.statusCode == 200)
            #expect(server.requests.count == 9)
            let missing = await withCheckedContinuation { continuation in
                client.start(
                    uploading: Request(.post, "a", body: .file("/none")), resume: true, on: .queue(queue)
                ) {
                    continuation.resume(returning: $0)
                }
            }
            #expect(throws: CallError.self) { try missing.get() }
        }
    }
}
