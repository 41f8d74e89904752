// ResponseBodyWriter: supplies the body of a response piece by piece, for a transport that is told of arriving bytes.

internal import Synchronization

extension ResponseBody {
    /// Makes a body that arrives in pieces, and the writer that supplies them.
    ///
    /// ```swift
    /// let (body, writer) = ResponseBody.makeStream(onResume: { task.resume() }, onCancel: { task.cancel() })
    /// if !writer.write(piece) { task.suspend() }
    /// ```
    /// - Parameters:
    ///   - onResume: called when there is room again after ``ResponseBodyWriter/write(_:)`` returned false.
    ///   - onCancel: called if the reader gives the body up before its end. Pieces that are written later are dropped.
    ///
    /// Both closures may be called from any thread and must not block.
    public static func makeStream(
        onResume: @escaping @Sendable () -> Void = {}, onCancel: @escaping @Sendable () -> Void = {}
    ) -> (body: ResponseBody, writer: ResponseBodyWriter) {
        let window = BodyWindow(WriterCallbacks(onResume: onResume, onCancel: onCancel))
        return (ResponseBody(BodyPull(window)), ResponseBodyWriter(window))
    }
}

/// Supplies the pieces of a body that ``ResponseBody/makeStream(onResume:onCancel:)`` made.
///
/// One thread at a time may use the writer. A writer that is released before ``finish()`` fails the body with
/// ``CallError/Kind/incompleteResponse``.
public final class ResponseBodyWriter: Sendable {
    private let window: BodyWindow

    init(_ window: BodyWindow) { self.window = window }

    deinit {
        window.end(
            .failure(
                CallError(
                    .incompleteResponse, "the transport stopped before the end of the body", phase: .receivingBody)))
    }

    /// Adds a piece to the body. An empty piece is ignored. The piece is kept in any case, but a transport must pause
    /// when this returns false, so that a slow reader does not make it hold the whole body.
    /// - Returns: whether there is room for more: 64 KiB at first, and 256 KiB once the reader has taken as much.
    public func write(_ piece: Bytes) -> Bool { piece.isEmpty || !window.append(piece) }

    /// Ends the body. Only the first end counts.
    public func finish() { window.end(.success(())) }

    /// Ends the body with an error. The reader still gets the pieces before it. Only the first end counts.
    public func fail(_ error: CallError) { window.end(.failure(error)) }
}

private final class WriterCallbacks: BodyProducer {
    private let onResume: @Sendable () -> Void
    private let onCancel: @Sendable () -> Void

    init(onResume: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void) {
        self.onResume = onResume
        self.onCancel = onCancel
    }

    func resumeReading() { onResume() }

    func readerGaveUp(_ window: BodyWindow) {
        window.end(.failure(.givenUp))
        onCancel()
    }
}
