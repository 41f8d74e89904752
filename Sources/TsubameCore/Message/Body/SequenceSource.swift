// SequenceSource: the body of a response as an asynchronous sequence supplies it.

internal import Synchronization

extension ResponseBody {
    /// A body whose pieces come from an asynchronous sequence. The sequence is iterated once, from the first time that
    /// the body is read, and at most 12 to 256 KiB ahead of the reader.
    ///
    /// An error that is no ``CallError`` ends the body with ``CallError/Kind/incompleteResponse``. If the reader gives the
    /// body up, the task that iterates the sequence is cancelled and not awaited.
    public init<S: AsyncSequence & Sendable>(pieces: S) where S.Element == Bytes {
        self.init(SequenceSource(SequencePump(pieces)))
    }
}

private final class SequenceSource: BodySource {
    private let pump: any Pump
    private let window: BodyWindow
    private let executor = Mutex<(any TaskExecutor)?>(nil)

    init(_ pump: some Pump) {
        self.pump = pump
        window = BodyWindow(pump)
    }

    deinit { window.cancel() }

    func next() async throws(CallError) -> Bytes? {
        pump.start(window, on: executor.withLock { $0 })
        return try await window.next()
    }

    func cancel() { window.cancel() }

    func prefer(_ executor: (any TaskExecutor)?) { self.executor.withLock { $0 = executor } }
}

private protocol Pump: BodyProducer {
    /// Begins to fill the window. Only the first call counts.
    /// - Parameter executor: where the sequence is iterated; nil for the concurrency pool.
    func start(_ window: BodyWindow, on executor: (any TaskExecutor)?)
}

/// Iterates a sequence in a task of its own, so that a sequence that ignores cancellation cannot hold up the reader.
private final class SequencePump<S: AsyncSequence & Sendable>: Pump where S.Element == Bytes {
    private enum State: Sendable {
        case idle
        case running(Task<Void, Never>)
        /// The task waits for room.
        case waiting(Task<Void, Never>, UnsafeContinuation<Void, Never>)
        case over
    }

    private let sequence: S
    private let state = Mutex(State.idle)

    init(_ sequence: S) { self.sequence = sequence }

    func start(_ window: BodyWindow, on executor: (any TaskExecutor)?) {
        state.withLock { state in
            guard case .idle = state else { return }
            state = .running(Task(executorPreference: executor) { await self.run(window) })
        }
    }

    private func run(_ window: BodyWindow) async {
        do {
            for try await piece in sequence where !piece.isEmpty {
                if window.append(piece) { await waitForRoom(in: window) }
                if Task.isCancelled { break }
            }
            window.end(Task.isCancelled ? .failure(.givenUp) : .success(()))
        } catch {
            let failure =
                error as? CallError
                ?? CallError(
                    .incompleteResponse, "the transport could not supply the body: \(error)", phase: .receivingBody,
                    underlying: error)
            window.end(.failure(failure))
        }
        state.withLock { $0 = .over }
    }

    private func waitForRoom(in window: BodyWindow) async {
        await withUnsafeContinuation { continuation in
            let waits = state.withLock { state in
                guard case .running(let task) = state, window.isPaused else { return false }
                state = .waiting(task, continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    func resumeReading(of window: BodyWindow) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard case .waiting(let task, let waiter) = state else { return nil }
            state = .running(task)
            return waiter
        }
        waiter?.resume()
    }

    func readerGaveUp(_ window: BodyWindow) {
        let (task, waiter) = state.withLock { state -> (Task<Void, Never>?, UnsafeContinuation<Void, Never>?) in
            defer { state = .over }
            switch state {
            case .running(let task): return (task, nil)
            case .waiting(let task, let waiter): return (task, waiter)
            case .idle, .over: return (nil, nil)
            }
        }
        window.end(.failure(.givenUp))
        task?.cancel()
        waiter?.resume()
    }
}
