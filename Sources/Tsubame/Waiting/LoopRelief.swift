// LoopRelief: runs work that is too long for an event loop outside of it.

import TsubameCore

/// Tasks on `client.executor` share their event loop with all of its connections. Decoding or decompressing more
/// than a little runs on the shared pool, and the task comes back afterwards.
enum LoopRelief {
    /// Work on so many bytes takes about as long as a few requests.
    private static let bytes = 16 << 10

    /// Decodes a collected body.
    static func run<T: Sendable>(
        for response: Response, _ work: () throws(CallError) -> T
    ) async throws(CallError) -> T {
        guard response.bytes.count > bytes, Engine.isOnLoop else { return try work() }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in try work() }
    }

    /// Collects a body.
    static func collect(_ body: ResponseBody, upTo limit: Int) async throws(CallError) -> Bytes {
        guard body.isTransformed, Engine.isOnLoop else { return try await body.collect(upTo: limit) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in
            try await body.collect(upTo: limit)
        }
    }
}
