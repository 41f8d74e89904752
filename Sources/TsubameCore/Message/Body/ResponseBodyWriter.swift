// ResponseBodyWriter: supplies the body of a response piece by piece, for a transport that is told of arriving bytes.

internal import Synchronization

extension ResponseBody {
    /// Makes a body that arrives in pieces, and the writer that supplies them.
    ///
    /// ```swift
    /// let (body, writer) = ResponseBody.makeStream(
    ///     onPause: { task.suspend() }, onResume: { task.resume() }, onCancel: { task.cancel() })
    /// ```
    /// - Parameters:
    ///   - onPause: called when the reader is behind: 12 KiB at first, and 256 KiB once it has read as much. A transport
    ///     must then stop to read from its connection, so that a slow reader does not make it hold the whole body.
    ///   - onResume: called when the reader has caught up. The calls of `onPause` and `onResume` alternate, and none
    ///     overlaps another.
    ///   - onCancel: called at most once, if the reader gives the body up before its end.
    ///
    /// The closures may be called from any thread and must not block. They are released when the body ends.
    public static func makeStream(
        onPause: @escaping @Sendable () -> Void, onResume: @escaping @Sendable () -> Void,
        onCancel: @escaping @Sendable () -> Void
    ) -> (body: ResponseBody, writer: ResponseBodyWriter) {
        let callbacks = WriterCallbacks(onPause: onPause, onResume: onResume, onCancel: onCancel)
        let window = BodyWindow(callbacks)
        return (ResponseBody(BodyPull(window)), ResponseBodyWriter(window, callbacks))
    }
}

/// Supplies the pieces of a body that ``ResponseBody/makeStream(onPause:onResume:onCancel:)`` made.
///
/// One thread at a time may use the writer. A writer that is released before ``finish()`` fails the body with
/// ``CallError/Kind/incompleteResponse``.
public final class ResponseBodyWriter: Sendable {
    private let window: BodyWindow
    private let callbacks: WriterCallbacks

    fileprivate init(_ window: BodyWindow, _ callbacks: WriterCallbacks) {
        self.window = window
        self.callbacks = callbacks
    }

    deinit {
        fail(
            CallError(
                .incompleteResponse, "the transport stopped before the end of the body", phase: .receivingBody))
    }

    /// Adds a piece to the body. Empty pieces and pieces after the end are dropped.
    public func write(_ piece: Bytes) {
        if !piece.isEmpty, window.append(piece) { callbacks.follow(window) }
    }

    /// Ends the body. Only the first end counts.
    public func finish() {
        callbacks.release()
        window.end(.success(()))
    }

    /// Ends the body with an error. The reader still gets the pieces before it. Only the first end counts.
    public func fail(_ error: CallError) {
        callbacks.release()
        window.end(.failure(error))
    }
}

/// Tells a transport to pause and to resume. The window says which of both holds, since its reader and its writer run on
/// different threads.
private final class WriterCallbacks: BodyProducer {
    private struct State: Sendable {
        var onPause: (@Sendable () -> Void)?
        var onResume: (@Sendable () -> Void)?
        var onCancel: (@Sendable () -> Void)?
        var isPaused = false
        /// Whether a thread is calling a closure. It looks at the window again afterwards.
        var isTelling = false
    }

    private let state: Mutex<State>

    init(
        onPause: @escaping @Sendable () -> Void, onResume: @escaping @Sendable () -> Void,
        onCancel: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(onPause: onPause, onResume: onResume, onCancel: onCancel))
    }

    /// Calls the closures until the transport is told what the window says.
    func follow(_ window: BodyWindow) {
        var isFirst = true
        while true {
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                if isFirst, state.isTelling { return nil }
                let isPaused = window.isPaused
                guard isPaused != state.isPaused, let tell = isPaused ? state.onPause : state.onResume else {
                    state.isTelling = false
                    return nil
                }
                state.isPaused = isPaused
                state.isTelling = true
                return tell
            }
            guard let next else { return }
            isFirst = false
            next()
        }
    }

    /// The closures may hold the connection, which holds the writer. So they go after the lock.
    /// - Returns: `onCancel`, the first time.
    @discardableResult
    func release() -> (@Sendable () -> Void)? {
        let (onPause, onResume, onCancel) = state.withLock { state in
            defer { (state.onPause, state.onResume, state.onCancel) = (nil, nil, nil) }
            return (state.onPause, state.onResume, state.onCancel)
        }
        withExtendedLifetime((onPause, onResume)) {}
        return onCancel
    }

    func resumeReading(of window: BodyWindow) { follow(window) }

    func readerGaveUp(_ window: BodyWindow) {
        let onCancel = release()
        window.end(.failure(.givenUp))
        onCancel?()
    }
}
