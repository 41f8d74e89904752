// Blocking: the calls that wait on the current thread.

import Synchronization
public import TsubameCore
import TsubamePlatform
import TsubameSockets

extension Client {
    /// Calls that wait on the current thread.
    ///
    /// ```swift
    /// let response = try api.blocking.send(request)
    /// ```
    /// Interceptors run on the waiting thread. So does the network's work for plain HTTP/1.1, while other connections use the
    /// threads of the event loops. A blocking call therefore cannot starve. The total timeout of `send` and
    /// `stream` is 60 s unless one is set.
    /// Inside a task, cancelling the task cancels the call.
    public var blocking: BlockingClient { BlockingClient(client: self) }
}

/// The client whose calls wait on the current thread. See ``Client/blocking``.
public struct BlockingClient: Sendable {
    private static let defaultTotal = Duration.seconds(60)

    let client: Client

    /// Sends the request and waits for the whole response.
    /// - Throws: ``CallError``. Its kind is `misuse` on the thread of an event loop, which would wait for itself.
    @available(*, noasync, message: "use `try await client.send(request)`")
    public func send(_ request: Request) throws(CallError) -> Response {
        let (client, request) = client.resolved(request)
        return try wait(request) { executor async throws(CallError) in
            try await client.send(client.makeCall(request, defaultTotal: Self.defaultTotal, executor: executor))
        }
    }

    /// Sends the endpoint's request, waits, and decodes on this thread.
    /// - Throws: ``CallError``, as `send` of a request does, or the error of decoding.
    @available(*, noasync, message: "use `try await client.send(endpoint)`")
    public func send<E: Endpoint>(_ endpoint: E) throws(CallError) -> E.Value {
        try endpoint.value(of: send(endpoint.request))
    }

    /// Sends the request and waits for the head. The closure then reads the body piece by piece, and waits for each
    /// piece on this thread.
    /// - Throws: ``CallError``, as `send` of a request does, or the error of the closure.
    @available(*, noasync, message: "use `try await client.stream(request)`")
    public func stream<T: Sendable>(
        _ request: Request, _ body: @escaping @Sendable (Response, _ next: () throws(CallError) -> Bytes?) throws -> T
    ) throws -> T {
        let (client, request) = client.resolved(request)
        let result: Result<T, any Error> = try wait(request) { executor async throws(CallError) in
            let call = client.makeCall(
                request, wantsStream: true, defaultTotal: Self.defaultTotal, executor: executor)
            return try await client.perform(call) { response throws(CallError) in
                call.enterClosure()
                return try await executor.leave { Self.read(response, request, executor, body) }.get()
            }
        }
        return try result.get()
    }

    /// Runs the closure on the waiting thread, between two waits.
    private static func read<T: Sendable>(
        _ response: Response, _ request: Request, _ executor: ThreadExecutor,
        _ body: (Response, _ next: () throws(CallError) -> Bytes?) throws -> T
    ) -> Result<Result<T, any Error>, CallError> {
        defer { response.body.discard() }
        var whole = response.body.bytes
        do {
            return .success(
                .success(
                    try body(response) { () throws(CallError) in
                        if let bytes = whole, bytes.count > 0 {
                            whole = Bytes()
                            return bytes
                        }
                        return try wait(request, on: executor) { _ async throws(CallError) in
                            try await response.body.next()
                        }
                    }))
        } catch let error as CallError {
            return .failure(error)
        } catch {
            return .success(.failure(error))
        }
    }

    /// Runs an asynchronous operation on this thread until it ends.
    func wait<T: Sendable>(
        _ request: Request, _ operation: @escaping @Sendable (ThreadExecutor) async throws(CallError) -> T
    ) throws(CallError) -> T {
        guard !Engine.isOnLoop else {
            throw CallError(
                .misuse, "a blocking call on an event loop's thread would wait for itself", phase: .preparing,
                advice: "use the async way there", request: request)
        }
        let executor = ThreadExecutor(client.chain.engine?.takeCallerLoop() ?? .ofJobs())
        defer { executor.stop() }
        return try Self.wait(request, on: executor, isWhole: true, operation)
    }

    /// - Parameters:
    ///   - executor: it belongs to this thread.
    ///   - isWhole: whether the operation is the whole call, which then ends with the waiting task.
    private static func wait<T: Sendable>(
        _ request: Request, on executor: ThreadExecutor, isWhole: Bool = false,
        _ operation: @escaping @Sendable (ThreadExecutor) async throws(CallError) -> T
    ) throws(CallError) -> T {
        let outcome = OutcomeBox<T>()
        let task = Task(executorPreference: executor) {
            do throws(CallError) {
                outcome.set(.success(try await operation(executor)))
            } catch {
                outcome.set(.failure(error))
            }
        }
        withUnsafeCurrentTask { waiting in
            // A synchronous function gets no notice that its task was cancelled, so it has to look.
            let look = waiting.map { waiting in { waiting.isCancelled ? task.cancel() : () } }
            executor.run(until: { outcome.isSet }, lookingUp: isWhole ? look : nil)
        }
        guard let result = outcome.value else {
            task.cancel()
            throw CallError(.cancelled, "the waiting thread gave up", request: request)
        }
        return try result.get()
    }
}

private final class OutcomeBox<T: Sendable>: Sendable {
    private let box = Mutex<Result<T, CallError>?>(nil)

    var value: Result<T, CallError>? { box.withLock { $0 } }
    var isSet: Bool { box.withLock { $0 != nil } }

    func set(_ value: Result<T, CallError>) { box.withLock { $0 = value } }
}
