// LendingTests: the reader of a large plain body receives it where it runs, and never another socket's bytes.

import Dispatch
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubamePlatform
import TsubameTesting

/// A body in which each byte tells its position, and none is 255.
private enum Pattern {
    static let period = 65_521
    static let piece: [UInt8] = (0..<period).map { UInt8($0 % 251) }
    private static let six = piece + piece + piece + piece + piece + piece

    /// Whether these bytes stand at this position of the body.
    static func holds(_ bytes: Bytes, at position: Int) -> Bool {
        var position = position
        var rest = bytes
        while rest.count > 0 {
            let part = rest.slice(0..<min(rest.count, 4 * period))
            let isSame = part.withUnsafeBytes { part in
                six.withUnsafeBytes { six in
                    guard let base = six.baseAddress, let bytes = part.baseAddress else { return part.isEmpty }
                    return memcmp(base + position % period, bytes, part.count) == 0
                }
            }
            guard isSame else { return false }
            position += part.count
            rest = rest.slice(part.count..<rest.count)
        }
        return true
    }
}

@Suite(.timeLimit(.minutes(3))) struct LendingTests {
    private static let mebibyte = 1 << 20

    @Test(arguments: [false, true])
    func `a large body comes whole and in order, and its connection serves again`(_ isChunked: Bool) async throws {
        let count = 24 * Self.mebibyte
        let server = try await ScriptedServer.start { request in
            if request.target != "/large" { return .ok("small") }
            if !isChunked { return .stream(count, of: Pattern.piece) }
            // Chunks of several sizes, so that reads end within their lines.
            var pieces: [[UInt8]] = []
            var sent = 0
            while sent < count {
                let size = min([1, 17, 4_096, 65_521, 300_000][pieces.count % 5], count - sent)
                let start = sent % Pattern.period
                let bytes = (0..<(size / Pattern.period + 2)).flatMap { _ in Pattern.piece }[start..<(start + size)]
                pieces.append(Array("\(String(size, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
                sent += size
            }
            return [
                .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .pieces(pieces),
                .bytes("0\r\nX-Sum: yes\r\n\r\n"),
            ]
        }
        try await serving(server) { server, client in
            for _ in 0..<2 {
                let (received, sum) = try await client.stream(url: server.url + "/large") { response in
                    var position = 0
                    for try await piece in response.body {
                        #expect(Pattern.holds(piece, at: position))
                        position += piece.count
                    }
                    return (position, response.trailers?[HTTPField.Name("X-Sum")!])
                }
                #expect(received == count)
                #expect(sum == (isChunked ? "yes" : nil))
                #expect(try await client.get("small").text() == "small")
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `a body that is cut off or at fault gives all that came before, and the error`() async throws {
        let count = 4 * Self.mebibyte
        let beginning: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n"),
            .repeating(Pattern.piece, count: count), .bytes("\r\n"),
        ]
        let server = try await ScriptedServer.start { request in
            request.target == "/fault" ? beginning.then(.bytes("zz\r\n"), .stall) : beginning.then(.close)
        }
        try await serving(server) { server, client in
            for (path, kind) in [("/cut", CallError.Kind.incompleteResponse), ("/fault", .invalidResponse)] {
                let log = Log<Int>()
                let error = try await failure {
                    try await client.stream(url: server.url + path) { response in
                        var position = 0
                        for try await piece in response.body {
                            #expect(Pattern.holds(piece, at: position))
                            position += piece.count
                            log.add(piece.count)
                        }
                    }
                }
                #expect(error.kind == kind, "\(error)")
                #expect(log.all.reduce(0, +) == count)
            }
        }
    }

    /// How the reading of a body ends before the body does.
    enum End: CaseIterable, Sendable { case task, deadline, drop, close }

    @Test(arguments: End.allCases)
    func `a body that ends within a read never gives another socket's bytes`(_ end: End) async throws {
        let server = try await ScriptedServer.start { _ in .stream(nil, of: Pattern.piece) }
        // Its sockets take the numbers of those that are closed.
        let other = try await ScriptedServer.start { _ in
            .stream(256 << 10, of: [UInt8](repeating: 255, count: 64 << 10))
        }
        try await serving(other) { other, strangers in
            let isDone = Atomic(false)
            let stranger = Task {
                while !isDone.load(ordering: .relaxed) {
                    var request = Request(.get, url: other.url)
                    request.headers[.connection] = "close"
                    _ = try await strangers.send(request)
                }
            }
            defer { isDone.store(true, ordering: .relaxed) }
            try await server.use { server in
                for round in 0..<60 {
                    try await read(from: server, until: end, after: (round % 8) * 256 << 10)
                }
                try await server.waitUntil(openConnections: 0)
            }
            isDone.store(true, ordering: .relaxed)
            try await stranger.value
        }
    }

    /// Reads so many bytes, and then ends the reading from another thread, while it goes on.
    private func read(from server: ScriptedServer, until end: End, after count: Int) async throws {
        try await withClient(server.url) { client in
            var request = Request(.get, url: server.url)
            if end == .deadline { request.timeouts.total = .milliseconds(5 + count >> 16) }
            let (isReached, sent) = (Gate(), request)
            let reading = Task {
                try await client.stream(sent) { response in
                    var position = 0
                    for try await piece in response.body {
                        #expect(Pattern.holds(piece, at: position))
                        position += piece.count
                        if position >= count { isReached.open() }
                        if end == .drop, position >= count { return }
                    }
                }
            }
            if end != .deadline { try await isReached.wait() }
            switch end {
            case .task: reading.cancel()
            case .close: await client.close()
            case .deadline, .drop: break
            }
            let result = await reading.result
            if end == .drop {
                try result.get()
            } else {
                #expect(throws: CallError.self) { try result.get() }
            }
            try await LeakCheck.verify(client)
        }
    }
}
