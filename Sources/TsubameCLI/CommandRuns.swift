// CommandRuns: the requests of one command.
#if Tool
import Dispatch
import Synchronization
import Tsubame
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Those whose plans agree have one client: connections are used again, and limits are of all of them together.
struct CommandRuns: Sendable {
    /// So many downloads at once.
    private static let parallelRuns = 4

    let runs: [RequestRun]

    /// Runs all of them, several at once.
    /// - Returns: the first status that is not ok, in their order.
    func run() -> ExitStatus {
        // One request needs one event loop, however many cores there are. Before there are threads that read variables.
        setenv("NIO_SINGLETON_GROUP_LOOP_COUNT", "1", 0)
        guard runs.count > 1 else { return runs.first.map(Self.alone) ?? .ok }
        let tagged = runs.enumerated().map { index, run in
            var run = run
            run.request.tags[CallRouter.tag] = index
            run.isOneOfSeveral = true
            return run
        }
        var made: [(plan: CallPlan, client: Client)] = []
        let clients = tagged.map { run in
            if let known = made.first(where: { $0.plan.agrees(with: run.plan) }) { return known.client }
            let client = run.client(ofRuns: runs.count)
            made.append((run.plan, client))
            return client
        }
        let router = CallRouter(tagged)
        let bodies = runs.map(\.printer.bodyBytes).max() ?? 0
        let observations = made.map { $0.client.observe(bodies: bodies) { router.take($0) } }
        defer { observations.forEach { $0.cancel() } }
        return Self.atOnce(Array(zip(tagged, clients)))
    }

    /// Its events need no way to be found.
    private static func alone(_ run: RequestRun) -> ExitStatus {
        let client = run.client(ofRuns: 1)
        let observation = client.observe(bodies: run.printer.bodyBytes) { run.take($0) }
        defer { observation.cancel() }
        return run.run(by: client)
    }

    private static func atOnce(_ runs: [(RequestRun, Client)]) -> ExitStatus {
        let ends = Mutex([ExitStatus](repeating: .ok, count: runs.count))
        let (group, places) = (DispatchGroup(), DispatchSemaphore(value: parallelRuns))
        let queue = DispatchQueue(label: "tsubame.downloads", attributes: .concurrent)
        for (index, (run, client)) in runs.enumerated() {
            places.wait()
            queue.async(group: group) {
                let status = run.run(by: client)
                ends.withLock { $0[index] = status }
                places.signal()
            }
        }
        group.wait()
        return ends.withLock { $0.first { $0 != .ok } ?? .ok }
    }
}

#endif
