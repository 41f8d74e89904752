// FaultCalls: calls of mixed kinds through connections that break, and what is promised about them.
#if TestServer

import Foundation
import HTTPTypes
import Tsubame
import TsubameTesting

/// A run of many calls, a given number of them at once.
struct FaultRun {
    let calls: Int
    let atOnce = 48
    let seed: UInt64
    let chance: Double
    /// The deadline of each call. It is short, since every connection that was dropped costs it.
    static let deadline = Duration.milliseconds(1_500)
    /// How much later than its deadline a call may end, in milliseconds (the 99.9th percentile).
    private static let tolerance = 50.0

    enum Kind: String, CaseIterable {
        case get, query, keyed, post, upload, download, stream
    }

    /// The outcomes of the calls.
    private struct Tally: Sendable {
        var ended = 0
        var right: [Kind: Int] = [:]
        var failed: [String: Int] = [:]
        var wrong: [String] = []
        var lateness: [Double] = []
        var memory: [Int] = []
    }

    func run(_ verdict: Verdict) async throws {
        let (server, ports) = try ServerProcess.start(
            ["fault-server", "\(chance)", "\(seed)"], as: FaultServerPorts.self)
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let tally = Shared(Tally())
        // The count before the first client, but with the event loops that all clients share.
        try await warmUp(ports.direct)
        let descriptors = ProcessState.descriptors
        let clients = [
            client("http://127.0.0.1:\(ports.plain)"), client("https://127.0.0.1:\(ports.secure)"),
            client("https://127.0.0.1:\(ports.http2)"),
        ]
        let begin = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            let next = Shared(0)
            for _ in 0..<atOnce {
                group.addTask {
                    while true {
                        let id = next.next()
                        guard id < calls else { return }
                        await call(id, clients, folder, tally)
                    }
                }
            }
        }
        let seconds = (ContinuousClock.now - begin).milliseconds / 1e3
        for client in clients { await verdict.promiseRest(client) }
        let report = try await report(ports.direct)
        state(tally.value, report, seconds, verdict)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        verdict.promise("no file is left of \(left.count): \(left.prefix(3))", left.isEmpty)
        let now = ProcessState.descriptors
        verdict.promise("descriptors: \(descriptors) before, \(now) after", now <= descriptors)
    }

    private func client(_ base: String) -> Client {
        Client(base) {
            $0.timeouts.total = Self.deadline
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
            $0.connection.proxy = .none
            $0.retry = .standard {
                $0.delay = .milliseconds(20)
                $0.extraLoad = .infinity
            }
        }
    }

    private func warmUp(_ port: Int) async throws {
        let client = Client("http://127.0.0.1:\(port)") { $0.connection.proxy = .none }
        _ = try await client.get("report")
        await client.close()
        // A timer of the dispatch library is made when the first task sleeps.
        try await Task.sleep(for: .milliseconds(1))
    }

    private func report(_ port: Int) async throws -> FaultServerReport {
        let client = Client("http://127.0.0.1:\(port)") { $0.connection.proxy = .none }
        let report = try await client.get("report").json(FaultServerReport.self)
        await client.close()
        return report
    }

    // MARK: One call

    private func call(_ id: Int, _ clients: [Client], _ folder: URL, _ tally: Shared<Tally>) async {
        var random = SplitMix64(state: seed &+ UInt64(id))
        let kind = Kind.allCases.randomElement(using: &random) ?? .get
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        let count = Int.random(in: 0...(Bool.random(using: &random) ? 2_000 : 60_000), using: &random)
        let cancelsAfter = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 0..<20, using: &random) : nil
        let begin = ContinuousClock.now
        let task = Task { () throws -> Bool in try await perform(kind, id, count, client, folder) }
        if let cancelsAfter {
            try? await Task.sleep(for: .milliseconds(cancelsAfter))
            task.cancel()
        }
        let result = await task.result
        let late = (ContinuousClock.now - begin - Self.deadline).milliseconds
        tally.change { tally in
            tally.ended += 1
            tally.lateness.append(max(late, 0))
            // Samples over the whole run, so that growth shows.
            if tally.ended % max(calls / 100, 1) == 0 { tally.memory.append(ProcessState.memory) }
            switch result {
            case .success(true): tally.right[kind, default: 0] += 1
            case .success(false): tally.wrong.append("\(kind) \(id), \(count) bytes")
            case .failure(let error as CallError):
                tally.failed[error.kind.rawValue, default: 0] += 1
            case .failure(let error): tally.wrong.append("\(kind) \(id): an error without a type: \(error)")
            }
        }
    }

    /// Whether the received bytes are the right ones.
    private func perform(_ kind: Kind, _ id: Int, _ count: Int, _ client: Client, _ folder: URL) async throws -> Bool {
        let path = "\(kind)/\(id)/\(count)"
        switch kind {
        case .get:
            let response = try await client.get(path: path)
            return response.bytes.elementsEqual(Content.bytes(id: id, count: count))
        case .stream:
            let bytes = try await client.stream(path: path) { response in
                var bytes: [UInt8] = []
                for try await piece in response.body { bytes += piece }
                return bytes
            }
            return bytes == Content.bytes(id: id, count: count)
        case .download:
            let target = folder.appending(path: "\(id)")
            let file = try await client.download(path: path, to: target)
            defer { try? FileManager.default.removeItem(at: file.url) }
            return try Data(contentsOf: file.url).elementsEqual(Content.bytes(id: id, count: count))
        case .query, .keyed, .post:
            let method: HTTPRequest.Method = kind == .query ? .init("QUERY") ?? .post : .post
            var request = Request(method, path: path)
            request.body = .bytes(Content.bytes(id: id, count: count), contentType: "application/octet-stream")
            if kind == .keyed { request.headers["Idempotency-Key"] = "\(id)" }
            return isAnswer(to: id, try await client.send(request))
        case .upload:
            var request = Request(.post, path: path)
            let bytes = Content.bytes(id: id, count: count)
            let pieces = AsyncStream<[UInt8]> { stream in
                for start in Swift.stride(from: 0, to: count, by: 4_096) {
                    stream.yield(Array(bytes[start..<min(start + 4_096, count)]))
                }
                stream.finish()
            }
            request.body = .stream(once: pieces)
            return isAnswer(to: id, try await client.send(request))
        }
    }

    private func isAnswer(to id: Int, _ response: Response) -> Bool {
        response.bytes.elementsEqual(Content.bytes(id: id &+ 1, count: 1_000))
    }

    // MARK: Promises

    private func state(_ tally: Tally, _ report: FaultServerReport, _ seconds: Double, _ verdict: Verdict) {
        let right = tally.right.values.reduce(0, +)
        let faults = report.faults.values.reduce(0, +)
        verdict.say(
            "\(calls) calls in \(String(format: "%.1f", seconds)) s, seed \(seed): \(right) right, "
                + "\(tally.failed.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        )
        verdict.say("right by kind: \(Kind.allCases.map { "\($0) \(tally.right[$0] ?? 0)" }.joined(separator: ", "))")
        verdict.say(
            "\(faults) faults: \(report.faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        )
        verdict.promise("every call has ended: \(tally.ended)", tally.ended == calls)
        verdict.promise("no wrong answer: \(tally.wrong.prefix(3))", tally.wrong.isEmpty)
        verdict.promise(
            "no wrong request body at the server: \(report.wrongBodies.prefix(3))", report.wrongBodies.isEmpty)
        verdict.promise("nothing is sent twice that must not be: \(report.repeated.prefix(3))", report.repeated.isEmpty)
        verdict.promise("at least as many faults as 5 % of the calls: \(faults)", faults * 20 >= calls)
        verdict.promiseInFull("most calls succeed: \(right)", right * 10 >= calls * 7)
        verdict.promise("half of the calls succeed: \(right)", right * 2 >= calls)
        let late = tally.lateness.percentile(0.999)
        verdict.promiseInFull(
            String(format: "p99.9 after the deadline: %.1f ms (worst %.1f ms)", late, tally.lateness.max() ?? 0),
            late <= Self.tolerance)
        verdict.promiseFlat(tally.memory)
    }
}
#endif
