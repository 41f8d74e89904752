// LoopRelief: work that is too much for an event loop leaves it.

import TsubameCore
import TsubameEngine

/// Tasks on `client.executor` share their loop with every connection there. What decodes or decompresses more than a
/// little is done on the shared pool, and the task comes back.
enum LoopRelief {
    /// About as long as a few requests take.
    private static let bytes = 16 << 10

    /// Decodes a collected body.
    static func run<T: Sendable>(
        for response: Response, _ work: () throws(CallError) -> T
    ) async throws(CallError) -> T {
        guard response.bytes.count > bytes, Engine.isOnLoop else { return try work() }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in try work() }
    }

    /// Collects a body.
    static func collect(_ body: ReceivedBody, upTo limit: Int) async throws(CallError) -> Bytes {
        guard body.isTransformed, Engine.isOnLoop else { return try await body.collect(upTo: limit) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in
            try await body.collect(upTo: limit)
        }
    }
}
