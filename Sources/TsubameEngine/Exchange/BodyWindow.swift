// BodyWindow: a response's body between the loop that receives it and the one reader that pulls it.

import DequeModule
import NIOCore
import Synchronization
import TsubameCore

/// A bounded queue of received pieces. The loop stops reading the socket while it is full; pulling is what makes it go
/// on, so back-pressure is the pull itself.
final class BodyWindow: Sendable {
    /// Reading pauses above this many unread bytes.
    fileprivate static let highWater = 256 << 10
    /// The same while nobody knows yet how fast the reader is. The system widens its own window by what is taken from
    /// it: whoever takes much for a reader that then stops makes room there for megabytes.
    fileprivate static let firstHighWater = 64 << 10

    fileprivate struct State: Sendable {
        var pieces = Deque<Bytes>()
        var pulledBytes = 0
        var bufferedBytes = 0
        var isPaused = false
        var isReading = false
        var end: Result<Void, CallError>?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let exchange: Exchange
    var call: Call { exchange.call }

    /// - Parameter isCollected: the reader is known to take all that comes.
    init(_ exchange: Exchange, initial pieces: [Bytes], isCollected: Bool) {
        self.exchange = exchange
        state.withLock { state in
            if isCollected { state.pulledBytes = Self.highWater }
            state.pieces = Deque(pieces)
            state.bufferedBytes = pieces.reduce(0) { $0 + $1.cost }
        }
    }

    // On the loop.

    /// Whether the loop shall pause reading.
    func append(_ piece: Bytes) -> Bool {
        let (waiter, pause) = state.withLock { state in
            state.pieces.append(piece)
            state.bufferedBytes += piece.cost
            let pause = state.bufferedBytes >= state.highWater && state.end == nil
            if pause { state.isPaused = true }
            defer { state.waiter = nil }
            return (state.waiter, pause)
        }
        waiter?.resume()
        return pause
    }

    func end(_ result: Result<Void, CallError>) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.end = result
            state.isPaused = false
            // A cancelled body gives nothing more; otherwise what was received is read before the error is.
            if case .failure(let error) = result, error.kind == .cancelled { state.pieces.removeAll() }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    // On the reader's side.

    func next() async throws(CallError) -> Bytes? {
        while true {
            let step = state.withLock { state in state.take() }
            switch step {
            case .piece(let piece, let resumesReading):
                if resumesReading { exchange.resumeReading() }
                return piece
            case .end: return nil
            case .failed(let error): throw error
            case .busy:
                throw CallError(.misuse, "the body is being read by someone else", phase: .receivingBody)
            case .wait:
                // A pull by a task that is already cancelled ends the exchange at once, as a later one would.
                await withTaskCancellationHandler {
                    await withUnsafeContinuation { continuation in
                        let isReady = state.withLock { state in
                            if !state.pieces.isEmpty || state.end != nil { return true }
                            state.waiter = continuation
                            return false
                        }
                        if isReady { continuation.resume() }
                    }
                } onCancel: {
                    exchange.cancel()
                }
                state.withLock { $0.isReading = false }
            }
        }
    }

    func cancel() {
        let isOver = state.withLock { state in
            let isOver = state.end != nil
            // What is not read was not given: it must not look like the end of a whole body.
            if !state.pieces.isEmpty { state.end = .failure(.givenUp) }
            state.pieces.removeAll()
            return isOver
        }
        if !isOver { exchange.cancel() }
    }
}

/// The reader's end of a window: dropped unread, it ends the exchange, so that no connection is held by a response that
/// nobody looks at.
final class BodyPull: BodySource {
    private let window: BodyWindow

    init(_ window: BodyWindow) { self.window = window }

    deinit { window.cancel() }

    func next() async throws(CallError) -> Bytes? { try await window.next() }

    func cancel() { window.cancel() }

    var call: Call? { window.call }
}

extension Bytes {
    /// What it takes to keep it: many small pieces are more than their bytes.
    fileprivate var cost: Int { count + 128 }
}

extension BodyWindow {
    fileprivate enum Step {
        case piece(Bytes, resumesReading: Bool)
        case end
        case failed(CallError)
        case wait
        case busy
    }
}

extension BodyWindow.State {
    fileprivate var highWater: Int {
        pulledBytes < BodyWindow.highWater ? BodyWindow.firstHighWater : BodyWindow.highWater
    }

    fileprivate mutating func take() -> BodyWindow.Step {
        if isReading { return .busy }
        if let piece = pieces.popFirst() {
            bufferedBytes -= piece.cost
            if pulledBytes < BodyWindow.highWater { pulledBytes += piece.count }
            let resumes = isPaused && bufferedBytes < highWater / 2
            if resumes { isPaused = false }
            return .piece(piece, resumesReading: resumes)
        }
        switch end {
        case .failure(let error): return .failed(error)
        case .success: return .end
        case nil: break
        }
        isReading = true
        return .wait
    }
}
