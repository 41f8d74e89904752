// QuietDeadlines: how late a call ends after its deadline, while nothing else runs.
#if TestServer

import Foundation
import Tsubame
import TsubameTesting

extension LoadRuns {
    /// How much later than its deadline a call may end on a quiet loop, in milliseconds (the 99.9th percentile).
    private static var tolerance: Double { 10 }

    /// One way in which a call ends by a deadline.
    private struct Stall {
        let limit: Timeouts.Name
        let client: Client
        let url: String
    }

    /// Calls that end by each of the deadlines, one after the other, over HTTP/1.1 and HTTP/2.
    func deadlines(_ count: Int) async throws {
        let backlog = try FullBacklog()
        // A retry would begin its own wait.
        let clients = ports.bases.map { client($0).with { $0.retry = .off } }
        let single = clients[0].with { $0.connection.connectionsPerOrigin = 1 }
        // The one connection that the calls of this client wait for.
        let holder = Task { _ = try await single.get("silent") }
        while await single.statistics().leased == 0 { try await Task.sleep(for: .milliseconds(1)) }
        var stalls = [
            Stall(limit: .connect, client: clients[0], url: backlog.url),
            Stall(limit: .tls, client: clients[0], url: "https://127.0.0.1:\(ports.silent)"),
            Stall(limit: .pool, client: single, url: "\(ports.bases[0])/silent"),
        ]
        for (client, base) in zip(clients, ports.bases) {
            stalls += [
                Stall(limit: .head, client: client, url: "\(base)/silent"),
                Stall(limit: .idle, client: client, url: "\(base)/half"),
                Stall(limit: .total, client: client, url: "\(base)/silent"),
                Stall(limit: .total, client: client, url: "\(base)/half"),
            ]
        }
        var random = SplitMix64(state: 7)
        var (lateness, wrong): ([Double], [String]) = ([], [])
        for number in 0..<count {
            let stall = stalls[number % stalls.count]
            let time = Double.random(in: 5...30, using: &random)
            let (late, problem) = await Self.end(stall, after: .milliseconds(time))
            lateness.append(late)
            if let problem { wrong.append(problem) }
        }
        holder.cancel()
        _ = await holder.result
        let late = lateness.percentile(0.999)
        verdict.say("\(count) calls that end by a deadline, one after the other")
        verdict.promise("each error names the deadline, and none comes early: \(wrong.prefix(3))", wrong.isEmpty)
        verdict.promiseInFull(
            String(
                format: "p99.9 after the deadline: %.1f ms (median %.1f ms, worst %.1f ms)", late,
                lateness.percentile(0.5), lateness.max() ?? 0),
            late <= Self.tolerance)
        for client in clients + [single] { await verdict.promiseRest(client) }
        withExtendedLifetime(backlog) {}
    }

    /// - Returns: how late the call ended, in milliseconds, and what was wrong with its end.
    private static func end(_ stall: Stall, after time: Duration) async -> (late: Double, problem: String?) {
        var request = Request(.get, url: stall.url)
        switch stall.limit {
        case .connect: request.timeouts.connect = time
        case .tls: request.timeouts.tls = time
        case .pool: request.timeouts.pool = time
        case .head: request.timeouts.head = time
        case .idle: request.timeouts.idle = time
        case .total: request.timeouts.total = time
        }
        let begin = ContinuousClock.now
        var end: CallError?
        do throws(CallError) {
            _ = try await stall.client.send(request)
        } catch {
            end = error
        }
        let late = (ContinuousClock.now - begin - time).milliseconds
        let isRight = end?.kind == .timeout && end?.timeout == stall.limit && late >= -1
        let problem = "\(stall.limit) of \(stall.url): \(end.map { "\($0)" } ?? "a response"), \(late) ms"
        return (late, isRight ? nil : problem)
    }
}
#endif
