// ValuePump: the task behind a sequence that opens its connections itself.

import Synchronization
import TsubameCore

/// Runs `produce` in a task of its own, from the first value that is asked for until the pump is released. Nothing is
/// made in advance: the producer waits until the next value is wanted.
final class ValuePump<Value: Sendable>: Sendable {
    typealias Target = Handoff<Value, CallError>

    private let handoff = Target()
    private let task: Mutex<Task<Void, Never>?>
    private let request: Request
    private let produce: @Sendable (Target) async -> Void

    /// - Parameters:
    ///   - request: the request that an error of a cancelled task names.
    ///   - produce: gives the values, and then the end.
    init(_ request: Request, _ produce: @escaping @Sendable (Target) async -> Void) {
        self.request = request
        self.produce = produce
        task = Mutex(nil)
    }

    deinit {
        handoff.close()
        task.withLock { $0?.cancel() }
    }

    func next() async throws(CallError) -> Value? {
        task.withLock { task in
            if task == nil { task = Task { [handoff, produce] in await produce(handoff) } }
        }
        let value = await withTaskCancellationHandler {
            await Self.result { () async throws(CallError) in try await handoff.take() }
        } onCancel: {
            handoff.close()
            task.withLock { $0?.cancel() }
        }
        if Task.isCancelled {
            throw CallError(.cancelled, "the task was cancelled", phase: .receivingBody, request: request)
        }
        return try value.get()
    }

    private static func result(
        _ body: () async throws(CallError) -> Value?
    ) async -> Result<Value?, CallError> {
        do throws(CallError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
