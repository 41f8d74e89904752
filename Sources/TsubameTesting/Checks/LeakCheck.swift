// LeakCheck: verifies that a test leaves nothing open in a client.

public import Tsubame

/// An error that lists what a test left open: a running call, a connection in use, a waiting exchange, a socket.
public struct Leak: Error, Sendable, CustomStringConvertible {
    /// A list of the calls, connections, exchanges and sockets that are still open.
    public let description: String
}

/// Verifies that a client has come to rest, or that a folder has no open file. Calls, connections and sockets are counted for
/// one client, and files for one folder. So tests can run in parallel; all descriptors of a process would change under them.
public enum LeakCheck {
    /// Waits until no call of `client` (and of its views) runs, no connection is leased or being made, and no exchange
    /// waits for a connection. Every open socket must belong to an idle connection, which is no leak.
    ///
    /// The connections of a transport of your own are not counted; those of a ``Recorder`` above the built-in engine are.
    /// - Parameters:
    ///   - client: the client that must have come to rest.
    ///   - time: the longest wait. After a call ends, its connection is released within a few turns of an event loop.
    /// - Throws: ``Leak``, which lists what is still open.
    public static func verify(_ client: Client, within time: Duration = .seconds(10)) async throws(Leak) {
        try await wait(for: client, toHaveNoIdle: false, within: time)
    }

    /// The same for a closed client, which must not hold even an idle connection.
    public static func verifyClosed(_ client: Client, within time: Duration = .seconds(10)) async throws(Leak) {
        try await wait(for: client, toHaveNoIdle: true, within: time)
    }

    private static func wait(
        for client: Client, toHaveNoIdle: Bool, within time: Duration
    ) async throws(Leak) {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: time)
        while true {
            // A client does not report when it comes to rest, so this asks it again and again. Each question visits
            // every event loop, which first does its due work.
            let statistics = await client.statistics()
            let calls = client.runningCallCount
            let isAtRest =
                calls == 0 && statistics.leased == 0 && statistics.waiting == 0 && statistics.connecting == 0
                && statistics.sockets == (toHaveNoIdle ? 0 : statistics.idle)
                && !(toHaveNoIdle && statistics.idle > 0)
            if isAtRest { return }
            guard clock.now < end else {
                throw Leak(
                    description: "left open: \(calls) calls, connections: \(statistics.leased) leased, "
                        + "\(statistics.connecting) being made, \(statistics.idle) idle, "
                        + "\(statistics.sockets) sockets; \(statistics.waiting) exchanges wait")
            }
            await Task.yield()
        }
    }
}

/// Runs `body` with a client, verifies that `body` leaves nothing open, and closes the client. The client retries
/// nothing, and ignores the proxies that the environment names.
///
/// ```swift
/// try await withClient(server.url, { $0.cookies = .memory }) { client in
///     let response = try await client.get("a")
///     #expect(response.status == .ok)
/// }
/// ```
/// - Parameters:
///   - base: the client's base URL.
///   - transport: the transport beneath the client, such as a ``StubTransport``; nil for the built-in engine.
///   - configure: changes the client's configuration.
///   - body: uses the client.
/// - Throws: any error of `body`. ``Leak`` if calls or connections are still in use when `body` has returned, or if a
///   connection outlives the closed client. The connections of a transport of your own are not counted.
@discardableResult
public func withClient<R>(
    _ base: String? = nil, transport: (any Transport)? = nil,
    _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (Client) async throws -> R
) async throws -> R {
    let client = Client(base, transport: transport) {
        // A test should behave the same on every machine, and a failure in it should show at once.
        $0.connection.proxy = .none
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
