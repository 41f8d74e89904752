// Connections before they are wanted.

public import TsubameCore

extension Client {
    /// Makes connections, so that the first calls need not wait for name, TCP and TLS.
    ///
    /// ```swift
    /// try await api.warmUp()
    /// ```
    /// - Parameters:
    ///   - url: whose origin is meant; the client's own unless given.
    ///   - connections: as many there are to be, those in use included. They stay as long as idle connections do.
    /// - Throws: ``CallError``, if one of them cannot be made within `timeouts.connect` and `timeouts.tls`; those that
    ///   were made stay.
    @concurrent
    public func warmUp(url: String? = nil, connections: Int = 1) async throws(CallError) {
        guard let engine = corridor.engine else {
            throw CallError(.unsupported, "the client has a transport of its own, without connections to make")
        }
        let request = try prepare(url.map { Request(.head, url: $0) } ?? Request(.head, ""))
        guard let uri = request.uri else { return }
        let there = try await engine.connections(to: uri)
        let calls = (there..<Swift.max(connections, there)).map { _ in
            Call(
                request, timeouts: configuration.timeouts, limits: configuration.limits, wantsStream: false,
                observers: ObserverList())
        }
        let failures = await withTaskCancellationHandler {
            await withTaskGroup(of: CallError?.self) { group in
                for call in calls { group.addTask { await self.connect(engine, uri, call) } }
                return await group.reduce(into: [CallError]()) { failures, failure in
                    if let failure { failures.append(failure) }
                }
            }
        } onCancel: {
            for call in calls { call.cancel() }
        }
        if let first = failures.first { throw first }
    }

    private func connect(_ engine: Engine, _ uri: TargetURI, _ call: Call) async -> CallError? {
        guard activity.begin(call) else {
            return CallError(.cancelled, "the client is closed", advice: "make a new one", request: call.original)
        }
        defer {
            activity.end(call)
            call.finish(.cancelled)
        }
        do throws(CallError) {
            try await engine.warmUp(uri, call: call)
            return nil
        } catch {
            return error
        }
    }
}
