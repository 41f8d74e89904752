// BarrenCodingTests: content codings that take long to decode and yield almost nothing.

import Dispatch
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct BarrenCodingTests {
    /// Work for about a minute: 20,000 times 900 KB of empty gzip members and one byte.
    ///
    /// It is a few KB on the wire, because each layer repeats a member that holds many members of the next layer.
    private static let slow: (coding: String, body: [UInt8]) = {
        let empty = Coded.gzip([])
        let unit = repeatElement(empty, count: 900_000 / empty.count).flatMap { $0 } + Coded.gzip("x")
        let inner = repeatElement(compressed(unit), count: 100).flatMap { $0 }
        return (
            "gzip, gzip, gzip, gzip, gzip",
            compressed(repeatElement(compressed(compressed(inner)), count: 200).flatMap { $0 })
        )
    }()

    private static func compressed(_ content: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        _ = DeflateEncoder(.gzip)?.encode(Bytes(content), isLast: true, into: &output)
        return output
    }

    private static func reply(_ coding: String, _ body: [UInt8]) -> Reply {
        .ok(body, headers: [.contentEncoding: coding])
    }

    /// The ways to read a body.
    enum Reading: String, CaseIterable, Sendable {
        case get, stream, blocking, streamOnLoop

        func read(_ client: Client) async throws {
            switch self {
            case .get: _ = try await client.get("x")
            case .stream: try await Self.stream(client)
            case .streamOnLoop:
                try await Task(executorPreference: client.executor) { try await Self.stream(client) }.value
            case .blocking:
                _ = try await onThread { () throws(CallError) in try client.blocking.send(Request(.get, "x")) }
            }
        }

        private static func stream(_ client: Client) async throws {
            try await client.stream(Request(.get, "x")) { response in for try await _ in response.body {} }
        }
    }

    @Test(arguments: Reading.allCases)
    func `FAULT 1, BAD-INPUT 38: the total time ends a decoding that hardly gives a byte`(_ reading: Reading)
        async throws
    {
        let (coding, body) = Self.slow
        try await serving(.start { _ in Self.reply(coding, body) }, { $0.timeouts.total = .seconds(3) }) {
            _, client in
            let error = await callError { try await reading.read(client) }
            #expect(error?.kind == .timeout && error?.timeout == .total, "\(String(describing: error))")
            #expect(error?.phase == .receivingBody)
        }
    }

    @Test func `FAULT 1: a cancelled call ends such a decoding`() async throws {
        let (coding, body) = Self.slow
        try await serving(.start { _ in Self.reply(coding, body) }) { _, client in
            let (begun, ended) = (Gate(), Gate())
            let kind = Mutex<CallError.Kind?>(nil)
            let subscription = client.observe { if case .headReceived = $0.kind { begun.open() } }
            let call = client.start(Request(.get, "x"), on: .queue(.global())) { result in
                if case .failure(let error) = result { kind.withLock { $0 = error.kind } }
                ended.open()
            }
            try await begun.wait()
            call.cancel()
            try await ended.wait()
            #expect(kind.withLock { $0 } == .cancelled)
            subscription.cancel()
        }
    }

    @Test(arguments: [Reading.get, .stream, .blocking, .streamOnLoop])
    func `FAULT 1: a cancelled task ends such a decoding`(_ reading: Reading) async throws {
        let (coding, body) = Self.slow
        try await serving(.start { _ in Self.reply(coding, body) }) { _, client in
            guard reading != .blocking else { return try await Self.cancelBlocking(client) }
            let begun = Gate()
            let subscription = client.observe { if case .headReceived = $0.kind { begun.open() } }
            let task = Task {
                try await withTaskCancellationHandler {
                    try await reading.read(client)
                } onCancel: {
                    // The task on the loop is a separate task, so closing the client ends it.
                    if reading == .streamOnLoop { Task { await client.close() } }
                }
            }
            try await begun.wait()
            task.cancel()
            let error = await callError { try await task.value }
            #expect(error?.kind == .cancelled, "\(String(describing: error))")
            subscription.cancel()
        }
    }

    private static func cancelBlocking(_ client: Client) async throws {
        let begun = Gate()
        let subscription = client.observe { if case .headReceived = $0.kind { begun.open() } }
        // A blocking call checks itself whether its task was cancelled.
        func send() throws(CallError) { _ = try client.blocking.send(Request(.get, "x")) }
        let task = Task { try send() }
        try await begun.wait()
        task.cancel()
        let error = await callError { try await task.value }
        #expect(error?.kind == .cancelled, "\(String(describing: error))")
        subscription.cancel()
    }

    @Test func `FAULT 1: other calls of the same loop are served while a body is decoded there`() async throws {
        let (coding, body) = Self.slow
        let server = try await ScriptedServer.start { $0.path == "/slow" ? Self.reply(coding, body) : .ok("quick") }
        try await serving(server) { _, client in
            let isDecoding = Gate()
            let task = Task(executorPreference: client.executor) {
                try await withThrowingTaskGroup(of: String?.self) { group in
                    group.addTask {
                        try await client.stream(Request(.get, "slow")) { response in
                            isDecoding.open()
                            for try await _ in response.body {}
                        }
                        return nil
                    }
                    try await isDecoding.wait()
                    for index in 0..<20 {
                        group.addTask { try await client.get("\(index)").text() }
                    }
                    var answers: [String] = []
                    for _ in 0..<20 {
                        answers.append(try await group.next().flatMap { $0 } ?? "the slow body has ended")
                    }
                    group.cancelAll()
                    return answers
                }
            }
            let answers = try await task.value
            #expect(answers.allSatisfy { $0 == "quick" })
        }
    }

    /// Contents without a byte, made long by other codings.
    private static let barren: [(String, [UInt8])] = {
        let zeros = [UInt8](repeating: 0, count: 4 << 20)
        let emptyMembers = repeatElement(Coded.gzip([]), count: 100_000).flatMap { $0 }
        // Magic number and length; each frame skips four bytes.
        let skippable = repeatElement([0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 0, 0, 0, 0] as [UInt8], count: 200_000)
            .flatMap { $0 }
        func under(_ layers: Int, _ content: [UInt8]) -> [UInt8] {
            (0..<layers).reduce(content) { content, _ in compressed(content) }
        }
        var samples = [
            ("gzip, gzip, gzip, gzip, gzip", under(4, Coded.gzip([]) + zeros)),
            ("gzip, gzip", under(1, emptyMembers)), ("deflate, gzip", under(1, Coded.zlib([]) + zeros)),
        ]
        if ReceivedCoding(named: "zstd") != nil {
            samples.append(("zstd, gzip, gzip, gzip, gzip", under(4, skippable)))
        }
        return samples
    }()

    @Test func `FAULT 1, BAD-INPUT 38: a megabyte that decodes to nothing is an error`() async throws {
        for (coding, body) in Self.barren {
            try await serving(.start { _ in Self.reply(coding, body) }) { _, client in
                for reading in Reading.allCases {
                    let error = await callError { try await reading.read(client) }
                    #expect(error?.kind == .contentCoding, "\(coding), \(reading)")
                }
            }
        }
    }
}
