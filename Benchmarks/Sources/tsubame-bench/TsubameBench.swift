// TsubameBench: `tsubame-bench MODE URL N C` runs one workload and prints one line. MODE is get, bare (without a
// client's default features), cached, loop, block, down, up, close, idle, beside (loop beside the endless download of /g1),
// lines, jsonLines or events. With the prefix h2- the client speaks HTTP/2 with prior knowledge.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Tsubame

@main
enum TsubameBench {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var mode = arguments.count == 4 ? arguments.removeFirst() : "get"
        guard arguments.count == 3, let count = Int(arguments[1]), let concurrency = Int(arguments[2]), count > 0,
            concurrency > 0
        else {
            print(
                "usage: tsubame-bench [h2-][get|bare|cached|loop|block|down|up|close|idle|beside|lines|jsonLines|events] URL N C"
            )
            exit(2)
        }
        let isHTTP2 = mode.hasPrefix("h2-")
        if isHTTP2 { mode.removeFirst(3) }
        let workload = Workload(mode: mode, isHTTP2: isHTTP2, url: arguments[0], count: count, concurrency: concurrency)
        // The main thread sleeps while tasks do the work. An async main would end in dispatch_main, which valgrind does
        // not survive.
        Task.detached {
            do {
                try await workload.run()
                exit(0)
            } catch {
                print("failed: \(error)")
                exit(1)
            }
        }
        while true { pause() }
    }
}

struct Workload: Sendable {
    let mode: String
    let isHTTP2: Bool
    let url: String
    let count: Int
    let concurrency: Int

    func run() async throws {
        let client = Client { configuration in
            configuration.connection.tls.verification = .dangerouslyOff
            if isHTTP2 { configuration.connection.httpVersion = .http2 }
            configuration.connection.connectionsPerOrigin = max(mode == "idle" ? count : concurrency, 256)
            if mode == "bare" {
                configuration.redirects = .off
                configuration.hsts = .off
                configuration.retry = .off
                configuration.decoding = .off
            }
            if mode == "cached" { configuration.cache = .memory() }
            if mode == "idle" {
                // The system accepts some thousands of connections at a time; the others retry seconds later.
                configuration.timeouts.connect = .seconds(120)
                configuration.timeouts.head = .seconds(120)
            }
        }
        let url = url
        switch mode {
        case "get", "bare", "cached", "close":
            try await drive("tsubame", nil) {
                let response = try await client.get(url: url)
                guard response.bytes.count == 1024 else { throw Wrong.answer }
            }
        case "loop":
            try await drive("tsubame-loop", client.executor) {
                let response = try await client.get(url: url)
                guard response.bytes.count == 1024 else { throw Wrong.answer }
            }
        case "beside":
            let endless = Request(.get, url: url.replacing("/small", with: "/g1"))
            let download = Task(executorPreference: client.executor) {
                while !Task.isCancelled {
                    try await client.stream(endless) { response in
                        for try await _ in response.body {}
                    }
                }
            }
            defer { download.cancel() }
            try await drive("tsubame-beside", client.executor) {
                let response = try await client.get(url: url)
                guard response.bytes.count == 1024 else { throw Wrong.answer }
            }
        case "block":
            try block(client)
        case "down":
            try await drive("tsubame", nil, bytes: 1 << 30) {
                let bytes = try await client.stream(Request(.get, url: url)) { response in
                    var bytes = 0
                    for try await chunk in response.body { bytes += chunk.count }
                    return bytes
                }
                guard bytes == 1 << 30 else { throw Wrong.answer }
            }
        case "up":
            let length = 256 << 20
            try await drive("tsubame", nil, bytes: length) {
                let body = RequestBody.stream(length: Int64(length)) { Zeros(left: length) }
                let text = try await client.post(url: url, body: body).text()
                guard text == "\(length)\n" else { throw Wrong.answer }
            }
        case "idle":
            try await idle(client)
        default:
            try await readSlowly(client)
        }
    }

    private func drive(
        _ tag: String, _ executor: (any TaskExecutor)?, bytes: Int = 1024,
        _ one: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
    ) async throws {
        @Sendable func round(_ count: Int, _ latencies: [Latencies]) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<concurrency {
                    let share = count / concurrency + (worker < count % concurrency ? 1 : 0)
                    let latency = latencies[worker]
                    group.addTask(executorPreference: executor) {
                        for _ in 0..<share {
                            let start = nanoseconds()
                            try await one()
                            latency.add(nanoseconds() - start)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        func latencies(_ count: Int) -> [Latencies] {
            (0..<concurrency).map { _ in Latencies(count / concurrency + 1) }
        }
        if count >= 100 { try await round(count / 10, latencies(count / 10)) }
        let measured = latencies(count)
        let measurement = Measurement(tag, count: count, bytes: bytes * count)
        try await round(count, measured)
        measurement.report(measured)
    }

    /// As many connections as requests, all idle at the end. The server answers when it has all requests.
    private func idle(_ client: Client) async throws {
        _ = try await client.get(url: url + "/1").text()
        let before = residentKiB()
        let measurement = Measurement("tsubame", count: count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await client.get(url: "\(url)/\(count)").accepted() }
            }
            try await group.waitForAll()
        }
        measurement.report([], middle: Double(residentKiB() - before) / Double(count))
        // The connections stay idle until they have been measured.
        withExtendedLifetime(client) {}
    }

    private func block(_ client: Client) throws {
        let request = Request(.get, url: url)
        func round(_ count: Int, _ latency: Latencies) throws {
            for _ in 0..<count {
                let start = nanoseconds()
                guard try client.blocking.send(request).bytes.count == 1024 else { throw Wrong.answer }
                latency.add(nanoseconds() - start)
            }
        }
        try round(max(count / 10, 1), Latencies(0))
        let latency = Latencies(count)
        let measurement = Measurement("tsubame-block", count: count, bytes: 1024 * count)
        try round(count, latency)
        measurement.report([latency])
    }
}

enum Wrong: Error { case answer, mode }

/// Zero bytes in pieces of 64 KiB.
struct Zeros: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var left: Int
    private static let piece = Bytes(repeatElement(0, count: 65_536))

    mutating func next() async -> Bytes? {
        guard left > 0 else { return nil }
        left -= Self.piece.count
        return Self.piece
    }

    func makeAsyncIterator() -> Zeros { self }
}
