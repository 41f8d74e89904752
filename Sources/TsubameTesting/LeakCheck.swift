// LeakCheck: a client of which a test must leave nothing behind.

public import Tsubame

/// What a test left behind: a call that still runs, a connection that is still in use, an exchange that still waits.
public struct Leak: Error, Sendable, CustomStringConvertible {
    /// What is still there, and how much of it.
    public let description: String
}

/// Sees that a client has come to rest.
public enum LeakCheck {
    /// Waits until no call of `client` (and of its views) runs, no connection is leased or being made, and no exchange
    /// waits for one. Idle connections are no leak.
    /// - Parameters:
    ///   - client: the one that must have come to rest.
    ///   - time: how long; what a call has just given up is gone within a few turns of an event loop.
    /// - Throws: ``Leak`` saying what is still there.
    public static func verify(_ client: Client, within time: Duration = .seconds(10)) async throws(Leak) {
        try await wait(for: client, toHaveNoIdle: false, within: time)
    }

    /// The same after the client was closed: then not even an idle connection may be left.
    public static func verifyClosed(_ client: Client, within time: Duration = .seconds(10)) async throws(Leak) {
        try await wait(for: client, toHaveNoIdle: true, within: time)
    }

    private static func wait(
        for client: Client, toHaveNoIdle: Bool, within time: Duration
    ) async throws(Leak) {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: time)
        while true {
            // A client does not tell when it has come to rest, so it is asked. Asking hops to every event loop and back:
            // each turn waits until the loops have done what was due before it.
            let statistics = await client.statistics()
            let calls = client.runningCalls
            let isAtRest =
                calls == 0 && statistics.leased == 0 && statistics.waiting == 0 && statistics.dialing == 0
                && !(toHaveNoIdle && statistics.idle > 0)
            if isAtRest { return }
            guard clock.now < end else {
                throw Leak(
                    description: "left open: \(calls) calls, connections: \(statistics.leased) leased, "
                        + "\(statistics.dialing) being made, \(statistics.idle) idle; "
                        + "\(statistics.waiting) exchanges wait")
            }
            await Task.yield()
        }
    }
}

/// Runs `body` with a client, sees that it leaves nothing open, and closes the client. It goes through no proxy that the
/// environment names.
///
/// ```swift
/// try await withClient(server.url, { $0.cookies = .memory }) { client in
///     let response = try await client.get("a")
///     #expect(response.status == .ok)
/// }
/// ```
/// - Throws: what `body` throws; ``Leak`` if calls or connections are still in use when `body` has returned, or if a
///   connection outlives the closed client.
public func withClient<R>(
    _ base: String? = nil, _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (Client) async throws -> R
) async throws -> R {
    let client = Client(base) {
        // A test is to be the same wherever it runs, and what fails in it to fail at once.
        $0.proxy = .none
        $0.retry = .off
        configure(&$0)
    }
    let result: R
    do {
        result = try await body(client)
    } catch {
        await client.close()
        throw error
    }
    do {
        try await LeakCheck.verify(client)
    } catch {
        await client.close()
        throw error
    }
    await client.close()
    try await LeakCheck.verifyClosed(client)
    return result
}
