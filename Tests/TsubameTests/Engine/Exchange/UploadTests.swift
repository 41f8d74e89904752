// UploadTests: bodies of requests go out complete, once, and with the declared length.

import Dispatch
import Foundation
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

/// A kind of body source.
enum Source: String, Sendable, CaseIterable {
    case bytes, file, stream, streamOfKnownLength

    /// A body of these bytes; a file is written at `path`.
    func body(_ content: [UInt8], path: String) throws -> RequestBody {
        switch self {
        case .bytes: return .bytes(content)
        case .file:
            try Data(content).write(to: URL(fileURLWithPath: path))
            return .file(path)
        case .stream: return .stream { Slices(content) }
        case .streamOfKnownLength: return .stream(length: Int64(content.count)) { Slices(content) }
        }
    }
}

/// Bytes in pieces, then perhaps an error.
struct Slices: AsyncSequence, Sendable {
    typealias Element = Bytes

    struct Broken: Error {}

    let content: [UInt8]
    let breaks: Bool

    let pieceBytes: Int

    init(_ content: [UInt8], breaks: Bool = false, pieceBytes: Int = 10_000) {
        self.content = content
        self.breaks = breaks
        self.pieceBytes = pieceBytes
    }

    struct Iterator: AsyncIteratorProtocol {
        let slices: Slices
        var position = 0

        mutating func next() async throws -> Bytes? {
            guard position < slices.content.count else {
                if slices.breaks { throw Broken() }
                return nil
            }
            let end = Swift.min(position + slices.pieceBytes, slices.content.count)
            defer { position = end }
            return Bytes(slices.content[position..<end])
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(slices: self) }
}

struct UploadCase: Sendable, CustomTestStringConvertible {
    let source: Source
    let size: Int
    let way: Way

    var testDescription: String { "\(way.rawValue): \(size) bytes by \(source.rawValue)" }

    static let all: [UploadCase] = Source.allCases.flatMap { source in
        [0, 1, 32 << 10, (32 << 10) + 1, 64 << 10, 300_000].flatMap { size in
            Way.allCases.map { UploadCase(source: source, size: size, way: $0) }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct UploadTests {
    private static func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    private func withFile<R>(_ body: (String) async throws -> R) async throws -> R {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    @Test(arguments: UploadCase.all)
    func `a body arrives whole and once, and its connection is used again`(_ row: UploadCase) async throws {
        let content = Self.content(row.size)
        try await withFile { path in
            let body = try row.source.body(content, path: path)
            try await serving(try await ScriptedServer.start()) { server, client in
                for index in 0..<2 {
                    let response = try await row.way.send(
                        Request(.post, url: server.url, body: body), by: client)
                    #expect(response.status == .ok)
                    let request = try await server.request(index)
                    #expect(request.body == content)
                    #expect(request.problem == nil)
                    let isChunked = row.source == .stream
                    #expect(request.values("content-length") == (isChunked ? [] : ["\(row.size)"]))
                    #expect(request.values("transfer-encoding") == (isChunked ? ["chunked"] : []))
                }
                #expect(server.requests.count == 2)
                #expect(server.acceptedConnections == 1)
            }
        }
    }

    @Test(arguments: [nil, Int64(50_000)], [1, 7, 4_096, 300_000])
    func `pieces of any size arrive in their order, each a chunk of its own`(length: Int64?, pieceBytes: Int)
        async throws
    {
        let content = Self.content(50_000)
        try await serving(try await ScriptedServer.start()) { server, client in
            let body = RequestBody.stream(length: length) { Slices(content, pieceBytes: pieceBytes) }
            let response = try await client.post("x", body: body)
            #expect(response.status == .ok)
            let request = try await server.request(0)
            #expect(request.body == content && request.problem == nil)
        }
    }

    @Test(arguments: [0, 2, 3, 9_999, 10_001, 20_000, 24_999, 25_001, 40_000])
    func `BAD-INPUT 19: a declared length that is not the body's fails the call, and no server takes it for whole`(
        declared: Int
    ) async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            let body = RequestBody.stream(length: Int64(declared)) { Slices(Self.content(25_000)) }
            let error = try await failure {
                try await client.send(Request(.post, url: server.url, body: body))
            }
            #expect(error.kind == .requestBody, "\(error)")
            #expect(error.phase == .sendingBody)
            #expect(error.reason.contains("\(declared)"))
            try await server.waitUntil(openConnections: 0)
            #expect(server.requests.allSatisfy { !$0.isComplete })
        }
    }

    @Test(arguments: [nil, Int64(50_000)])
    func `a stream that throws ends the call with what it threw, and no server takes the rest for whole`(
        length: Int64?
    ) async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            let body = RequestBody.stream(length: length) { Slices(Self.content(25_000), breaks: true) }
            let error = try await failure { try await client.send(Request(.post, url: server.url, body: body)) }
            #expect(error.kind == .requestBody)
            #expect(error.underlying is Slices.Broken)
            try await server.waitUntil(openConnections: 0)
            #expect(server.requests.allSatisfy { !$0.isComplete })
        }
    }

    @Test(arguments: ["/nowhere/at/all", "/"])
    func `a file that cannot be read fails the call before anything is sent`(path: String) async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            let error = try await failure {
                try await client.send(Request(.post, url: server.url, body: .file(path)))
            }
            #expect(error.kind == .requestBody)
            #expect(error.reason.contains(path))
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `an answer that comes before the body's end ends the sending, and the connection with it`() async throws
    {
        let server = try await ScriptedServer.start(onHead: { _ in
            Reply.status(.contentTooLarge, "enough")
        })
        try await serving(server) { server, client in
            let response = try await client.send(Request(.post, url: server.url, body: .endless()))
            #expect(response.status == .contentTooLarge)
            #expect(response.bytes == Bytes("enough"))
            try await server.waitUntil(openConnections: 0)
            #expect(try await client.get(url: server.url).statusCode == 413)
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `a response in front of a reset is read, though the body cannot be sent any more`() async throws {
        let server = try await ScriptedServer.start(onHead: { _ in
            Reply([.stopReading] + Reply.status(.contentTooLarge, "enough").steps + [.reset])
        })
        try await serving(server) { server, client in
            for _ in 0..<20 {
                let response = try await client.send(Request(.post, url: server.url, body: .endless()))
                #expect(response.status == .contentTooLarge)
            }
        }
    }

    @Test func `what a server does not read is not pulled from the stream`() async throws {
        let end = Gate()
        let server = try await ScriptedServer.start(onHead: { _ in
            [.stopReading, .wait(for: end), .resumeReading, .close]
        })
        try await serving(server) { server, client in
            let pulled = Mutex(0)
            var request = Request(
                .post, url: server.url, body: .endless { count in pulled.withLock { $0 = count } })
            request.timeouts.idle = .milliseconds(300)
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.timeout == .idle)
            #expect(pulled.withLock { $0 } < 8 << 20)
            end.open()
        }
    }

    @Test func `progress of an upload is told up to the whole`() async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let content = Self.content(300_000)
            _ = try await client.send(Request(.put, url: server.url, body: .bytes(content)))
            #expect(log.sent.last == TransferProgress(bytes: 300_000, total: 300_000))
            _ = try await client.send(Request(.put, url: server.url, body: .stream { Slices(content) }))
            #expect(log.sent.last == TransferProgress(bytes: 300_000, total: 300_000))
            withExtendedLifetime(observation) {}
        }
    }

    #if os(Linux)
    /// Apart from `DispatchQueue.global()`, all of whose threads BlockedPoolTests block.
    private static let timers = DispatchQueue(label: "tsubame.tests.uploads")

    @Test func `a peer that takes little at a time, but steadily, is not idle`() async throws {
        // The server reads a little every 100 ms, much less than the system frees at once; after 8.5 s it reads all.
        func pause(_ milliseconds: Int) -> [Reply.Step] {
            let gate = Gate()
            let begin = Reply.Step.generated { _ in
                Self.timers.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { gate.open() }
                return nil
            }
            return [begin, .wait(for: gate)]
        }
        let sips = (1...85).flatMap { _ in pause(100) + [.readOnce] }
        let server = try await ScriptedServer.start(onHead: { _ in
            Reply(
                [.stopReading] + sips
                    + [.resumeReading, .wholeRequest, .bytes(Reply.head(.ok, [.contentLength: "0"]))])
        })
        try await serving(server) { server, client in
            var request = Request(.post, url: server.url, body: .bytes(Self.content(48 << 20)))
            request.timeouts.idle = .seconds(8)
            let response = try await client.send(request)
            let received = try await server.request(0)
            #expect(response.statusCode == 200 && received.bodyByteCount == 48 << 20)
        }
    }
    #endif

    @Test func `the error of an upload that breaks says how much had been sent`() async throws {
        let hasMoved = Gate()
        let server = try await ScriptedServer.start(onHead: { _ in [.stopReading, .wait(for: hasMoved), .reset] })
        try await serving(server) { server, client in
            let observation = client.observe { event in
                if case .sending(let progress) = event.kind, progress.bytes > 0 { hasMoved.open() }
            }
            defer { observation.cancel() }
            let request = Request(.post, url: server.url, body: .bytes(Self.content(24 << 20)))
            let error = try await failure { try await client.send(request) }
            #expect(error.phase == .sendingBody)
            let text = "\(error)"
            let sent = text.firstMatch(of: #/(\d+) of 25165824 bytes of the body sent/#).flatMap { Int($0.1) }
            #expect(try #require(sent, "\(text)") > 0)
        }
    }
}
