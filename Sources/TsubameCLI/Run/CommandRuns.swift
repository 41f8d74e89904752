// CommandRuns: runs the requests of one command, several at once.

import Dispatch
import Synchronization
import Tsubame
import TsubamePlatform

/// Runs whose plans agree share one client. They reuse its connections, and its limits apply to all of them together.
struct CommandRuns: Sendable {
    /// The largest number of downloads at once.
    private static let parallelRuns = 4

    let runs: [RequestRun]
    /// The archive of all calls, which is written in any case.
    var archive: CallArchive?
    /// Gets each client before it sends anything.
    var watch: @Sendable (Client) -> Void = { _ in }

    /// One request needs one event loop, even on many cores. This has to be called before other threads exist that read the
    /// environment.
    static func limitThreads() { setenv("NIO_SINGLETON_GROUP_LOOP_COUNT", "1", 0) }

    /// Runs all requests, several at once, and writes the archive. Sessions and the archive are also written if the process
    /// is interrupted, or if its output is closed.
    /// - Returns: the first status that is not ok, in the order of the requests.
    func run() throws -> ExitStatus {
        guard archive != nil || runs.contains(where: \.plan.hasSession) else { return runAll() }
        return try EndSignals.saving { [runs, archive] in
            for run in runs { Self.saying { try run.plan.keep() } }
            Self.saying { try archive?.write() }
        } _: {
            let status = runAll()
            try EndSignals.uninterrupted { try archive?.write() }
            return status
        }
    }

    private static func saying(_ save: () throws -> Void) {
        do { try save() } catch { Diagnostics.say(error) }
    }

    private func runAll() -> ExitStatus {
        guard runs.count > 1 else { return runs.first.map(alone) ?? .ok }
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
            archive?.watch(client)
            watch(client)
            made.append((run.plan, client))
            return client
        }
        let router = CallRouter(tagged)
        let bodies = runs.map(\.printer.bodyBytes).max() ?? 0
        let observations = made.map { $0.client.observe(bodies: bodies) { router.take($0) } }
        defer { observations.forEach { $0.cancel() } }
        return Self.atOnce(Array(zip(tagged, clients)))
    }

    /// A single run takes every event, so it needs no router.
    private func alone(_ run: RequestRun) -> ExitStatus {
        let client = run.client(ofRuns: 1)
        archive?.watch(client)
        watch(client)
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
