// Client+WarmUp: opens connections before the first calls need them.

public import TsubameCore

extension Client {
    /// Opens connections in advance, so that the first calls do not wait for name resolution, TCP and TLS.
    ///
    /// ```swift
    /// try await api.warmUp()
    /// ```
    /// - Parameters:
    ///   - url: a URL of the origin to connect to. The default is the client's own origin.
    ///   - connections: how many connections there are afterwards, including those in use. They stay open as long as
    ///     other idle connections do.
    /// - Throws: ``CallError`` if one of the connections cannot be opened within `timeouts.connect`,
    ///   `timeouts.tls` and `timeouts.total`. The others stay open. Its kind is `unsupported` with a transport of your own, and `invalidRequest` if
    ///   there is neither a URL nor a base URL.
    @concurrent
    public func warmUp(url: String? = nil, connections: Int = 1) async throws(CallError) {
        guard let engine = chain.engine else {
            throw CallError(.unsupported, "the client's own transport cannot open connections in advance")
        }
        let request = try prepare(url.map { Request(.head, url: $0) } ?? Request(.head, ""))
        guard let uri = request.uri else { return }
        let there = try await engine.connections(to: uri)
        let calls = (there..<Swift.max(connections, there)).map { _ in
            Call(
                request, CallOptions(timeouts: configuration.timeouts, limits: configuration.limits),
                observers: ObserverList())
        }
        let failures = await withTaskGroup(of: CallError?.self) { group in
            for call in calls { group.addTask { await self.connect(engine, uri, call) } }
            return await group.reduce(into: [CallError]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
        if let first = failures.first { throw first }
    }

    private func connect(_ engine: Engine, _ uri: TargetURI, _ call: Call) async -> CallError? {
        do throws(CallError) {
            try await lifecycle.run(
                call, request: { call.request },
                lastEvent: { .finished(Response(status: .noContent, request: call.request)) }
            ) { () async throws(CallError) in try await engine.warmUp(uri, call: call) }
            return nil
        } catch {
            return error
        }
    }
}
