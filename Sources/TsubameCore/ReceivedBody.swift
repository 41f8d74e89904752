// ReceivedBody: the body of a response, whole or still coming.

internal import Synchronization

/// The body of a response: an asynchronous sequence of ``Bytes``.
///
/// ```swift
/// try await client.stream(request) { response in
///     for try await chunk in response.body { … }
/// }
/// ```
/// Nothing is read ahead of the reader beyond a small window: a slow reader slows the server down. It can be read once,
/// by one reader; a body that is whole in memory can be read again.
public struct ReceivedBody: Sendable {
    package enum Content: Sendable {
        case whole(Bytes)
        case stream(any BodySource)
    }

    package var content: Content

    /// A body that is whole in memory, as an interceptor makes one.
    public init(_ bytes: Bytes = Bytes()) { content = .whole(bytes) }

    package init(_ source: any BodySource) { content = .stream(source) }

    /// The whole body, if it is in memory.
    public var bytes: Bytes? {
        if case .whole(let bytes) = content { bytes } else { nil }
    }

    /// How many bytes are in memory, if it is whole.
    package var count: Int? {
        if case .whole(let bytes) = content { bytes.count } else { nil }
    }

    /// Whether reading it takes work beside waiting, such as decompression.
    package var isTransformed: Bool {
        if case .stream(let source) = content { source.received !== source } else { false }
    }

    /// Puts a transform, such as a decoder, between the connection and the reader. It runs where the body is read, never
    /// on an event loop, unless the reader does.
    public mutating func transform(by transform: any BodyTransform) { self.transform(by: transform, for: nil) }

    /// - Parameter call: the call whose deadline and cancellation end the transform; a body that is still coming knows
    ///   its own.
    package mutating func transform(by transform: any BodyTransform, for call: Call?) {
        let source: any BodySource =
            switch content {
            case .whole(let bytes): WholeSource(bytes)
            case .stream(let source): source
            }
        content = .stream(TransformedSource(source, transform, call ?? source.call))
    }

    /// Has `action` done once the body has been read to its end (nil), has failed, or was given up (the error says so):
    /// once, where that happens.
    public mutating func atEnd(_ action: @escaping @Sendable (CallError?) -> Void) {
        switch content {
        case .whole(let bytes): content = .stream(EndingSource(WholeSource(bytes), action))
        case .stream(let source): content = .stream(EndingSource(source, action))
        }
    }

    /// The next piece; nil at the end.
    package func next() async throws(CallError) -> Bytes? {
        switch content {
        case .whole: nil
        case .stream(let source): try await source.next()
        }
    }

    /// Gives the rest up: its connection is closed unless the body had ended.
    package func discard() {
        if case .stream(let source) = content { source.cancel() }
    }

    /// Reads the rest as it comes, without undoing its codings, so that its connection can be used again; beyond `limit`
    /// bytes it is given up.
    package func drain(upTo limit: Int) async {
        guard case .stream(let source) = content else { return }
        let received = source.received
        var rest = limit
        do throws(CallError) {
            while rest >= 0, let piece = try await received.next() { rest -= piece.count }
        } catch {
            // Whatever went wrong has ended the exchange; this body is not wanted anyway.
        }
        source.cancel()
    }

    /// The beginning, for the text of an error; the rest is given up.
    package func excerpt(upTo limit: Int) async -> Bytes {
        guard case .stream(let source) = content else { return bytes?.slice(0..<limit) ?? Bytes() }
        var gathered = GatheredBytes()
        do throws(CallError) {
            while gathered.count < limit, let piece = try await source.next() {
                gathered.append(piece.slice(0..<(limit - gathered.count)))
            }
        } catch {
            // What came is what there is to show.
        }
        source.cancel()
        return gathered.joined()
    }

    /// All of it in memory.
    /// - Throws: ``CallError/Kind/limitExceeded`` beyond `limit` bytes, and whatever reading throws.
    package func collect(upTo limit: Int) async throws(CallError) -> Bytes {
        switch content {
        case .whole(let bytes):
            guard bytes.count <= limit else { throw Self.tooLarge(limit) }
            return bytes
        case .stream(let source):
            var gathered = GatheredBytes()
            while let piece = try await source.next() {
                guard piece.count <= limit - gathered.count else {
                    source.cancel()
                    throw Self.tooLarge(limit)
                }
                gathered.append(piece)
            }
            return gathered.joined()
        }
    }

    private static func tooLarge(_ limit: Int) -> CallError {
        CallError(
            .limitExceeded, "the body is longer than \(limit) bytes (limits.bufferedBody)", phase: .receivingBody,
            advice: "raise limits.bufferedBody, or read it with stream or download")
    }
}

extension ReceivedBody: AsyncSequence {
    /// Gives the pieces, each when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let body: ReceivedBody
        private var whole: Bytes?

        init(_ body: ReceivedBody) {
            self.body = body
            whole = body.bytes
        }

        /// The next piece, never an empty one; nil at the end.
        /// - Throws: ``CallError``: what ended the body before its end, or ``CallError/Kind/misuse`` if someone else is
        ///   reading it.
        public mutating func next() async throws(CallError) -> Bytes? {
            if let bytes = whole {
                whole = nil
                if bytes.count > 0 { return bytes }
            }
            return try await body.next()
        }
    }

    /// Begins at the beginning of a body in memory, and where the last reader was of a streamed one.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Where the pieces of a body are pulled from, by one reader at a time.
package protocol BodySource: AnyObject, Sendable {
    /// The next piece, never empty; nil at the end, and ever after.
    func next() async throws(CallError) -> Bytes?
    /// Ends the exchange now unless the body had ended. Can be called at any time, from anywhere.
    func cancel()
    /// The source before any transform.
    var received: any BodySource { get }
    /// The call that the body belongs to, if the source knows it.
    var call: Call? { get }
}

extension BodySource {
    package var received: any BodySource { self }
    package var call: Call? { nil }
}

/// Turns the bytes of a body into others. Used by one reader at a time.
///
/// ```swift
/// struct Counting: Hook {
///     func didReceive(_ response: inout Response) { response.body.transform(by: Counter()) }
/// }
/// ```
public protocol BodyTransform: AnyObject, Sendable {
    /// Takes over a piece of input; called only when ``pull()`` has answered nil.
    func push(_ input: Bytes)
    /// The next piece of output of bounded size; nil when more input is needed.
    func pull() throws(CallError) -> Bytes?
    /// Called at the end of the input: throws if it was cut off.
    func finish() throws(CallError)
}

/// A body in memory, as a source.
package final class WholeSource: BodySource {
    private let bytes: Mutex<Bytes?>

    package init(_ bytes: Bytes) { self.bytes = Mutex(bytes.count > 0 ? bytes : nil) }

    package func next() async throws(CallError) -> Bytes? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
    }

    package func cancel() {}
}

extension CallError {
    /// What reading a body gives that was given up before its end.
    package static var givenUp: CallError {
        CallError(.cancelled, "the body was given up before it was read", phase: .receivingBody)
    }
}
