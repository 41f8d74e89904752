// BodyWindow: a response's body between the producer that receives it and the one reader that pulls it.

internal import Synchronization
internal import TsubamePlatform

/// Receives the pieces of a body and appends them to a ``BodyWindow``.
package protocol BodyProducer: AnyObject, Sendable {
    /// The reader has made room after ``BodyWindow/append(_:)`` had returned true. Called from any thread.
    func resumeReading(of window: BodyWindow)
    /// The reader wants no more. The producer must end the window, now or soon. Called from any thread.
    func readerGaveUp(_ window: BodyWindow)
}

/// A bounded queue of received pieces. The producer pauses while the queue is full. The reader makes room by pulling,
/// so a slow reader slows the producer down.
package final class BodyWindow: Sendable {
    fileprivate struct State: Sendable {
        var pieces = PieceQueue()
        var readAhead = ReadAhead()
        var isReading = false
        var end: Result<Void, CallError>?
        var waiter: UnsafeContinuation<Void, Never>?
        /// By which the reader receives the body when the queue is empty.
        var loan: (any BodyLoan)?
        /// The pieces that the reader has received in a row without a pause of its task.
        var lentPieces = 0
    }

    /// After so many pieces in a row that it has received by itself, a reader lets other tasks run: some milliseconds.
    fileprivate static let lentPiecesInARow = 16

    private let state = Mutex(State())
    private let producer: any BodyProducer
    let call: Call?

    /// - Parameters:
    ///   - producer: the sender of the pieces, which is told when the reader has made room or has given up.
    ///   - call: the call that the body belongs to, if the producer knows it.
    ///   - pieces: the pieces that have arrived.
    ///   - isShared: whether the memory of these pieces may hold pieces of other bodies. The window copies such pieces
    ///     unless the reader keeps up.
    ///   - isCollected: whether the reader is known to take all that comes.
    package init(
        _ producer: any BodyProducer, call: Call? = nil, initial pieces: [Bytes] = [], isShared: Bool = false,
        isCollected: Bool = false
    ) {
        self.producer = producer
        self.call = call
        state.withLock { state in
            if isCollected { state.readAhead.trust() }
            for piece in pieces { state.receive(piece, isShared: isShared) }
            state.readAhead.pauseIfFull(at: MonotonicClock.now)
        }
    }

    // MARK: The producer's side

    /// Adds a piece.
    /// - Parameter isShared: whether the memory of the piece may hold pieces of other bodies.
    /// - Returns: whether the producer shall pause until ``BodyProducer/resumeReading(of:)``.
    package func append(_ piece: Bytes, isShared: Bool = false) -> Bool {
        let (waiter, pause) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, Bool) in
            // The body has no piece after its end.
            if state.end != nil { return (nil, false) }
            state.receive(piece, isShared: isShared)
            defer { state.waiter = nil }
            return (state.waiter, state.readAhead.pauseIfFull(at: MonotonicClock.now))
        }
        waiter?.resume()
        return pause
    }

    /// Whether the reader was slow before the producer went on.
    package var isReaderSlow: Bool { state.withLock { $0.readAhead.isSlow } }

    /// Whether the producer shall pause.
    package var isPaused: Bool { state.withLock { $0.readAhead.isPaused } }

    /// Lends the connection of a producer that has paused to a reader that has kept up. The producer receives nothing until it
    /// is given back, even if the reader has made room since.
    /// - Returns: false if the body has ended, or the reader is slow.
    package func lend(_ loan: any BodyLoan) -> Bool {
        let (isLent, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard state.end == nil, state.readAhead.keepsUp, !state.readAhead.isSlow else { return (false, nil) }
            state.loan = loan
            defer { state.waiter = nil }
            return (true, state.waiter)
        }
        waiter?.resume()
        return isLent
    }

    /// Ends the body. Only the first end counts.
    package func end(_ result: Result<Void, CallError>) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.end = result
            state.loan = nil
            state.readAhead.endPause()
            // The reader of a cancelled body gets nothing more. Otherwise it gets what was received before the error.
            if case .failure(let error) = result, error.kind == .cancelled { state.pieces.removeAll() }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    // MARK: The reader's side

    func next() async throws(CallError) -> Bytes? {
        while true {
            let step = state.withLock { state in state.take() }
            switch step {
            case .piece(let piece, let resumesReading):
                if resumesReading { producer.resumeReading(of: self) }
                return piece
            case .end: return nil
            case .failed(let error): throw error
            case .busy:
                throw CallError(.misuse, "the body is being read by someone else", phase: .receivingBody)
            case .lent(let loan):
                if Task.isCancelled {
                    state.withLock { $0.isReading = false }
                    producer.readerGaveUp(self)
                    continue
                }
                let (piece, isOver) = loan.read()
                let yields = state.withLock { state in state.received(by: loan, isOver: isOver) }
                if isOver { loan.giveBack() }
                if yields { await Task.yield() }
                if let piece { return piece }
            case .wait:
                // A pull by a task that is already cancelled ends the exchange at once, as a later one would.
                await withTaskCancellationHandler {
                    await withUnsafeContinuation { continuation in
                        let isReady = state.withLock { state in
                            if !state.pieces.isEmpty || state.end != nil || state.loan != nil { return true }
                            state.waiter = continuation
                            return false
                        }
                        if isReady { continuation.resume() }
                    }
                } onCancel: {
                    producer.readerGaveUp(self)
                }
                state.withLock { $0.isReading = false }
            }
        }
    }

    func cancel() {
        let isOver = state.withLock { state in
            let isOver = state.end != nil
            // The end of a body with unread pieces must not look like the end of a whole body.
            if !state.pieces.isEmpty { state.end = .failure(.givenUp) }
            state.pieces.removeAll()
            return isOver
        }
        if !isOver { producer.readerGaveUp(self) }
    }
}

/// The reader's end of a window. If it is released unread, the producer ends, so that an unread response holds
/// no connection.
package final class BodyPull: BodySource {
    private let window: BodyWindow

    package init(_ window: BodyWindow) { self.window = window }

    deinit { window.cancel() }

    package func next() async throws(CallError) -> Bytes? { try await window.next() }

    package func cancel() { window.cancel() }

    package var call: Call? { window.call }
}

extension BodyWindow {
    fileprivate enum Step {
        case piece(Bytes, resumesReading: Bool)
        case end
        case failed(CallError)
        case lent(any BodyLoan)
        case wait
        case busy
    }
}

extension BodyWindow.State {
    fileprivate mutating func receive(_ piece: Bytes, isShared: Bool) {
        // A piece that waits long must not keep a buffer that holds pieces of other bodies.
        let copies = isShared && !readAhead.keepsUp
        // Over HTTP/2, the peer may use its window in spite of a pause, and in pieces of a byte.
        let isMerged = pieces.append(piece, copies: copies, merges: readAhead.isPaused)
        readAhead.received(piece.count, isMerged: isMerged)
    }

    fileprivate mutating func take() -> BodyWindow.Step {
        if isReading { return .busy }
        if let piece = pieces.popFirst() {
            let hasRoom = readAhead.taken(piece.count, at: MonotonicClock.now)
            return .piece(piece, resumesReading: hasRoom && loan == nil)
        }
        switch end {
        case .failure(let error): return .failed(error)
        case .success: return .end
        case nil: break
        }
        isReading = true
        return loan.map { .lent($0) } ?? .wait
    }

    /// The reader has received by itself.
    /// - Returns: whether its task is to pause.
    fileprivate mutating func received(by loan: any BodyLoan, isOver: Bool) -> Bool {
        isReading = false
        if isOver, self.loan === loan { self.loan = nil }
        lentPieces += 1
        guard lentPieces >= BodyWindow.lentPiecesInARow else { return false }
        lentPieces = 0
        return true
    }
}

/// Pieces in order, taken from the front without moving the rest each time.
private struct PieceQueue {
    /// Smaller pieces are merged.
    private static let smallBytes = 4 << 10
    private static let mergedBytes = 16 << 10

    private var pieces: [Bytes] = []
    private var first = 0
    /// The last piece, made of small ones.
    private var merged: [UInt8] = []

    var isEmpty: Bool { first == pieces.count && merged.isEmpty }

    /// - Parameters:
    ///   - copies: whether the piece must not keep its memory.
    ///   - merges: whether a small piece becomes a part of the one before it.
    /// - Returns: whether it became one.
    mutating func append(_ piece: Bytes, copies: Bool, merges: Bool) -> Bool {
        if merges, piece.count < Self.smallBytes {
            if merged.count + piece.count > Self.mergedBytes { endMerging() }
            defer { piece.withUnsafeBytes { merged.append(contentsOf: $0) } }
            return !merged.isEmpty
        }
        endMerging()
        pieces.append(copies ? piece.copied() : piece)
        return false
    }

    private mutating func endMerging() {
        guard !merged.isEmpty else { return }
        pieces.append(Bytes(merged))
        merged = []
    }

    mutating func popFirst() -> Bytes? {
        if first == pieces.count { endMerging() }
        guard first < pieces.count else { return nil }
        let piece = pieces[first]
        // The window must not keep memory that the reader has taken.
        pieces[first] = Bytes()
        first += 1
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64, first * 2 >= pieces.count {
            pieces.removeFirst(first)
            first = 0
        }
        return piece
    }

    mutating func removeAll() {
        pieces.removeAll(keepingCapacity: true)
        first = 0
        merged = []
    }
}
