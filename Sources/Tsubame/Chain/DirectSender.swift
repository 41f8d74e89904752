// DirectSender: sends requests in which no step of a chain takes part, without a run of the chain.

import TsubameCore

/// Sends single exchanges by the engine, for programs that measure a server. The calls have deadlines and can be cancelled.
/// Such calls have no observers, and do not count among the running calls of the client.
package final class DirectSender: Sendable {
    /// A request as it leaves the chain. Each call of it shares what the request refers to.
    package final class Prepared: Sendable {
        fileprivate let request: Request

        fileprivate init(_ request: Request) { self.request = request }
    }

    private let client: Client
    private let chain: InterceptorChain
    private let engine: Engine

    /// - Returns: nil for a client that has interceptors, observers, a log or a cache, or another transport than the engine.
    package init?(_ client: Client) {
        let chain = client.chain
        guard let engine = chain.engine, chain.segments.count == 1, !client.isObserved else { return nil }
        (self.client, self.chain, self.engine) = (client, chain, engine)
    }

    /// The request as it would leave the chain; nil if a step would change it, or decide about its response.
    /// - Throws: ``CallError/Kind/invalidRequest``.
    package func prepared(_ request: Request) throws(CallError) -> Prepared? {
        if request.hasOverrides || request.body.isDeferred { return nil }
        let prepared = try client.prepare(request)
        return chain.segments[0].steps.allSatisfy { $0.stance(toward: prepared) == .absent } ? Prepared(prepared) : nil
    }

    package func makeCall(_ prepared: Prepared) -> Call { client.makeCall(prepared.request) }

    /// Does the exchange of a call, and collects the body.
    /// - Throws: ``CallError``, but never because of a status.
    package func send(_ call: Call) async throws(CallError) -> Response {
        // A call that has not ended keeps its exchange, which keeps the call.
        do throws(CallError) {
            let response = try await client.collected(
                try await engine.send(call.request, call: call, files: chain.support))
            call.finish(.finished(response))
            return response
        } catch {
            call.finish(.failed(error))
            throw error
        }
    }
}
