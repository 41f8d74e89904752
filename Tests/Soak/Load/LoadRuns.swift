// LoadRuns: many calls at once, many in a row, many clients, and many slow readers. None of them may make memory grow.
#if TestServer

import Foundation
import Tsubame
import TsubameTesting

/// Runs under load. Each starts a server process of its own.
struct LoadRuns {
    let verdict: Verdict
    private let server: ServerProcess
    let ports: LoadServerPorts

    init(_ verdict: Verdict) throws {
        self.verdict = verdict
        (server, ports) = try ServerProcess.start(["load-server"], as: LoadServerPorts.self)
    }

    func end() { server.stop() }

    func client(_ base: String) -> Client {
        Client(base) {
            $0.timeouts.total = .seconds(60)
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
            $0.connection.proxy = .none
            $0.connection.connectionsPerOrigin = 2_000
        }
    }

    // MARK: Many at once

    /// Half of the calls go over HTTP/1.1, half over HTTP/2; their bodies have up to 100,000 bytes.
    func atOnce(_ count: Int, seconds: Int) async throws {
        let client = client(ports.bases[0])
        let bases = ports.bases
        let end = ContinuousClock.now + .seconds(seconds)
        let done = Shared(0)
        let wrong = Shared<[String]>([])
        let sampler = Task { () -> [Int] in
            var memory: [Int] = []
            while ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(200))
                memory.append(ProcessState.memory)
            }
            return memory
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<count {
                group.addTask {
                    var random = SplitMix64(state: UInt64(worker))
                    while ContinuousClock.now < end {
                        let id = done.next()
                        // Most responses are short, as in practice.
                        let size = Int.random(in: 0...(id % 16 == 0 ? 100_000 : 2_000), using: &random)
                        let problem = await Self.fetch(client, bases[worker % 2], id, size)
                        if let problem { wrong.change { $0.append(problem) } }
                    }
                }
            }
        }
        let total = done.value
        verdict.say("\(count) calls at once for \(seconds) s: \(total) calls, \(total / max(seconds, 1)) a second")
        let problems = wrong.value
        verdict.promise("every call gets its own bytes: \(problems.prefix(3))", problems.isEmpty)
        verdict.promiseFlat(try await sampler.value)
        await verdict.promiseRest(client)
    }

    /// The fault of the response to one request; nil if it is right.
    private static func fetch(_ client: Client, _ base: String, _ id: Int, _ size: Int) async -> String? {
        do {
            let response = try await client.get(url: "\(base)/\(id)/\(size)")
            let isRight = response.bytes.elementsEqual(Content.bytes(id: id, count: size))
            return isRight ? nil : "\(id): \(response.bytes.count) wrong bytes in place of \(size)"
        } catch {
            return "\(id): \(error)"
        }
    }

    // MARK: Many in a row

    func inARow(_ count: Int) async throws {
        for base in ports.bases {
            let client = client(base)
            var (memory, problems, connections): ([Int], [String], Int) = ([], [], 0)
            for id in 0..<count {
                if let problem = await Self.fetch(client, base, id, id % 1_000) { problems.append(problem) }
                if id % max(count / 100, 1) == 0 {
                    memory.append(ProcessState.memory)
                    connections = max(connections, await client.statistics().sockets)
                }
            }
            verdict.say("\(count) calls in a row to \(base.prefix { $0 != ":" })")
            verdict.promise("every call gets its own bytes: \(problems.prefix(3))", problems.isEmpty)
            verdict.promise("one connection is enough: \(connections)", connections == 1)
            verdict.promiseFlat(memory)
            await verdict.promiseRest(client)
        }
    }

    // MARK: Many clients

    /// Clients that are made, used for one call, and released without being closed.
    func clients(_ count: Int) async throws {
        // The event loops are made once, and the timer of the dispatch library when the first task sleeps.
        _ = await Self.fetch(client(ports.bases[0]), ports.bases[0], 0, 0)
        try await Task.sleep(for: .milliseconds(1))
        let (descriptors, threads) = (ProcessState.descriptors, ProcessState.threads)
        var (memory, problems): ([Int], [String]) = ([], [])
        for id in 0..<count {
            let base = ports.bases[id % 2]
            if let problem = await Self.fetch(client(base), base, id, 100) { problems.append(problem) }
            if id % max(count / 100, 1) == 0 { memory.append(ProcessState.memory) }
        }
        verdict.say("\(count) clients made and released")
        verdict.promise("every call gets its own bytes: \(problems.prefix(3))", problems.isEmpty)
        verdict.promiseFlat(memory)
        // A released client closes its connections on their event loops, a moment later.
        let end = ContinuousClock.now + .seconds(10)
        while ProcessState.descriptors > descriptors, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        let (now, threadsNow) = (ProcessState.descriptors, ProcessState.threads)
        verdict.promise("descriptors: \(descriptors) before, \(now) after", now <= descriptors)
        verdict.promise("threads: \(threads) before, \(threadsNow) after", threadsNow <= threads + 4)
    }

    // MARK: Slow readers

    /// Readers of bodies without an end, each of which takes a piece now and then.
    func slowReaders(_ count: Int, seconds: Int) async throws {
        let client = client(ports.bases[0])
        let bases = ports.bases
        let end = ContinuousClock.now + .seconds(seconds)
        let read = Shared(0)
        let failed = Shared<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            for reader in 0..<count {
                group.addTask {
                    do {
                        try await client.stream(url: "\(bases[reader % 2])/endless") { response in
                            for try await piece in response.body {
                                let count = piece.count
                                read.change { $0 += count }
                                if ContinuousClock.now >= end { break }
                                try await Task.sleep(for: .milliseconds(500))
                            }
                        }
                    } catch {
                        let text = "\(error)"
                        failed.change { $0.append(text) }
                    }
                }
            }
        }
        let failures = failed.value
        verdict.say("\(count) slow readers for \(seconds) s: \(mebibytes(read.value)) read")
        verdict.promise("every reader gets on: \(failures.prefix(3))", failures.isEmpty)
        let peak = ProcessState.peakMemory
        verdict.promiseInFull("memory never exceeds 100 MiB: \(mebibytes(peak))", peak < 100 << 20)
        await verdict.promiseRest(client)
    }
}
#endif
