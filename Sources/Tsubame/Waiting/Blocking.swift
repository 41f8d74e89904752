// Blocking: the calls that wait on the current thread.

import Dispatch
import Synchronization
public import TsubameCore
import TsubameEngine
import TsubamePlatform

extension Client {
    /// Calls that wait on the current thread.
    ///
    /// ```swift
    /// let response = try api.blocking.send(request)
    /// ```
    /// A blocking call needs only its own thread and the threads of the event loops, so it cannot starve: the
    /// interceptors run on the waiting thread. The total timeout is 60 s unless one is set. Inside a task,
    /// cancelling the task cancels the call.
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
        return try Self.wait(request) { executor async throws(CallError) in
            let call = client.makeCall(request, defaultTotal: Self.defaultTotal, executor: executor)
            return try await client.perform(call) { response throws(CallError) in try await client.collected(response) }
        }
    }

    /// Sends the endpoint's request, waits, and decodes on this thread.
    @available(*, noasync, message: "use `try await client.send(endpoint)`")
    public func send<E: Endpoint>(_ endpoint: E) throws(CallError) -> E.Value {
        try endpoint.value(of: send(endpoint.request))
    }

    /// Sends the request and waits for the head. The closure then reads the body piece by piece, and waits for each
    /// piece on this thread.
    @available(*, noasync, message: "use `try await client.stream(request)`")
    public func stream<T: Sendable>(
        _ request: Request, _ body: @escaping @Sendable (Response, _ next: () throws(CallError) -> Bytes?) throws -> T
    ) throws -> T {
        let (client, request) = client.resolved(request)
        let result: Result<T, any Error> = try Self.wait(request) { executor async throws(CallError) in
            let call = client.makeCall(
                request, wantsStream: true, defaultTotal: Self.defaultTotal, executor: executor)
            return try await client.perform(call) { response throws(CallError) in
                try Self.read(response, request, executor, body)
            }
        }
        return try result.get()
    }

    /// Runs on the waiting thread. Each call of `next` runs jobs on that thread in turn.
    private static func read<T: Sendable>(
        _ response: Response, _ request: Request, _ executor: ThreadExecutor,
        _ body: (Response, _ next: () throws(CallError) -> Bytes?) throws -> T
    ) throws(CallError) -> Result<T, any Error> {
        defer { response.body.discard() }
        var whole = response.body.bytes
        do {
            return .success(
                try body(response) { () throws(CallError) in
                    if let bytes = whole, bytes.count > 0 {
                        whole = Bytes()
                        return bytes
                    }
                    return try wait(request, on: executor) { _ async throws(CallError) in
                        try await response.body.next()
                    }
                })
        } catch let error as CallError {
            throw error
        } catch {
            return .failure(error)
        }
    }

    /// Runs an asynchronous operation on this thread until it ends.
    /// - Parameter outer: the executor of the operation that this one is part of. Its jobs, such as the sending of
    ///   a body, go on.
    static func wait<T: Sendable>(
        _ request: Request, on outer: ThreadExecutor? = nil,
        _ operation: @escaping @Sendable (ThreadExecutor) async throws(CallError) -> T
    ) throws(CallError) -> T {
        guard !Engine.isOnLoop else {
            throw CallError(
                .misuse, "a blocking call on an event loop's thread would wait for itself", phase: .preparing,
                advice: "use the async way there", request: request)
        }
        let executor = outer ?? ThreadExecutor()
        let outcome = OutcomeBox<T>()
        let task = Task(executorPreference: executor) {
            do throws(CallError) {
                outcome.set(.success(try await operation(executor)))
            } catch {
                outcome.set(.failure(error))
            }
            executor.wake()
        }
        withUnsafeCurrentTask { waiting in
            // A synchronous function gets no notice that its task was cancelled, so it has to look.
            executor.run(
                until: { outcome.isSet },
                lookingUp: outer == nil ? waiting.map { waiting in { waiting.isCancelled ? task.cancel() : () } } : nil)
        }
        if outer == nil { executor.stop() }
        guard let result = outcome.value else {
            task.cancel()
            throw CallError(.cancelled, "the waiting thread gave up", request: request)
        }
        return try result.get()
    }
}

/// Runs the jobs of one blocking call on the thread that waits for it.
final class ThreadExecutor: TaskExecutor {
    private struct Queue: Sendable {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    /// In nanoseconds.
    private static let lookInterval: MonotonicTime = 20_000_000

    /// The function of the outermost wait. Only the waiting thread uses it.
    private nonisolated(unsafe) var look: (() -> Void)?
    private let queue = Mutex(Queue())
    private let ready = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isStopped = queue.withLock { queue in
            if !queue.isStopped { queue.jobs.append(job) }
            return queue.isStopped
        }
        if isStopped {
            // The waiting thread has gone on. Jobs that are left, such as a cancelled sender's, end elsewhere.
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        } else {
            ready.signal()
        }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Runs jobs on this thread until `isDone`. A job may call this function again.
    /// - Parameter given: called every 20 ms between two jobs, here and in nested calls.
    func run(until isDone: () -> Bool, lookingUp given: (() -> Void)?) {
        let before = look
        look = given ?? before
        defer { look = before }
        var lookedAt: MonotonicTime = 0
        while !isDone() {
            if let look, MonotonicClock.now &- lookedAt >= Self.lookInterval {
                look()
                lookedAt = MonotonicClock.now
            }
            if let job = queue.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if look == nil {
                ready.wait()
            } else {
                _ = ready.wait(timeout: .now() + .nanoseconds(Int(Self.lookInterval)))
            }
        }
    }

    /// Makes the waiting thread check `isDone` again.
    func wake() { ready.signal() }

    /// Lets this thread go on. Jobs that are left run elsewhere.
    func stop() {
        let rest = queue.withLock { queue in
            queue.isStopped = true
            defer { queue.jobs = [] }
            return queue.jobs
        }
        for job in rest {
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

private final class OutcomeBox<T: Sendable>: Sendable {
    private let box = Mutex<Result<T, CallError>?>(nil)

    var value: Result<T, CallError>? { box.withLock { $0 } }
    var isSet: Bool { box.withLock { $0 != nil } }

    func set(_ value: Result<T, CallError>) { box.withLock { $0 = value } }
}
