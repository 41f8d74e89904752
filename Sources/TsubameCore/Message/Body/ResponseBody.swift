// ResponseBody: the body of a response, complete in memory or still arriving.

internal import Synchronization

/// The body of a response: an asynchronous sequence of ``Bytes``.
///
/// ```swift
/// try await client.stream(request) { response in
///     for try await chunk in response.body { … }
/// }
/// ```
/// The client reads only a small window ahead of the reader, so a slow reader slows the server down. A body that is
/// still arriving can be read once, by one reader. A body that is complete in memory can be read again.
public struct ResponseBody: Sendable {
    package enum Content: Sendable {
        case whole(Bytes)
        case stream(any BodySource)
    }

    package var content: Content

    /// A body that is complete in memory, for example one that an interceptor makes.
    public init(_ bytes: Bytes = Bytes()) { content = .whole(bytes) }

    package init(_ source: any BodySource) { content = .stream(source) }

    /// The whole body if it is in memory, nil otherwise.
    public var bytes: Bytes? {
        if case .whole(let bytes) = content { bytes } else { nil }
    }

    /// The number of bytes if the body is complete in memory, nil otherwise.
    package var count: Int? {
        if case .whole(let bytes) = content { bytes.count } else { nil }
    }

    /// Whether reading the body takes work besides waiting, such as decompression.
    package var isTransformed: Bool {
        if case .stream(let source) = content { source.received !== source } else { false }
    }

    /// Puts a transform, such as a decoder, between the connection and the reader. The transform runs where the body is
    /// read. It runs on an event loop only if the reader does.
    public mutating func transform(by transform: any BodyTransform) { self.transform(by: transform, for: nil) }

    /// - Parameter call: the call whose deadline and cancellation end the transform. nil for the call of a body that is
    ///   still arriving, which knows its own.
    package mutating func transform(by transform: any BodyTransform, for call: Call?) {
        let source: any BodySource =
            switch content {
            case .whole(let bytes): WholeSource(bytes)
            case .stream(let source): source
            }
        content = .stream(TransformedSource(source, transform, call ?? source.call))
    }

    /// Runs `action` once, when the body has been read to its end, has failed, or was given up. The argument is nil at
    /// the end, and the error otherwise. The action runs where that happens.
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

    /// Gives the rest of the body up. The connection is closed unless the body had ended.
    package func discard() {
        if case .stream(let source) = content { source.cancel() }
    }

    /// Reads the rest of the body without decoding it, so that the connection can be used again. A rest of more than
    /// `limit` bytes is given up.
    package func drain(upTo limit: Int) async {
        guard case .stream(let source) = content else { return }
        let received = source.received
        var rest = limit
        do throws(CallError) {
            while rest >= 0, let piece = try await received.next() { rest -= piece.count }
        } catch {
            // The failure has ended the exchange, and the bytes of this body are not needed.
        }
        source.cancel()
    }

    /// The beginning of the body, for the text of an error. The rest is given up.
    package func excerpt(upTo limit: Int) async -> Bytes {
        guard case .stream(let source) = content else { return bytes?.slice(0..<limit) ?? Bytes() }
        var gathered = GatheredBytes()
        do throws(CallError) {
            while gathered.count < limit, let piece = try await source.next() {
                gathered.append(piece.slice(0..<(limit - gathered.count)))
            }
        } catch {
            // The excerpt is made of the bytes that arrived before the failure.
        }
        source.cancel()
        return gathered.joined()
    }

    /// Collects the whole body in memory. A body that is still arriving can be collected once.
    /// - Parameter limit: the most bytes that the body may have; 64 MiB by default.
    /// - Throws: ``CallError/Kind/limitExceeded`` if the body has more than `limit` bytes, and every error of reading.
    public func collect(upTo limit: Int = 64 << 20) async throws(CallError) -> Bytes {
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

extension ResponseBody: AsyncSequence {
    /// Returns the pieces of a body, each when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let body: ResponseBody
        private var whole: Bytes?

        init(_ body: ResponseBody) {
            self.body = body
            whole = body.bytes
        }

        /// The next piece, never an empty one; nil at the end.
        /// - Throws: the ``CallError`` that ended the body early, or ``CallError/Kind/misuse`` while another reader
        ///   reads the body.
        public mutating func next() async throws(CallError) -> Bytes? {
            if let bytes = whole {
                whole = nil
                if bytes.count > 0 { return bytes }
            }
            return try await body.next()
        }
    }

    /// An iterator that starts at the beginning of a body in memory. For a body that is still arriving, it starts where
    /// the last reader stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// The source of a body's pieces, which one reader at a time pulls.
package protocol BodySource: AnyObject, Sendable {
    /// The next piece, never empty; nil at the end and from then on.
    func next() async throws(CallError) -> Bytes?
    /// Ends the exchange now, unless the body had ended. It can be called at any time and from any thread.
    func cancel()
    /// The source before any transform.
    var received: any BodySource { get }
    /// The call that the body belongs to, if the source knows it.
    var call: Call? { get }
    /// Names the executor of the call that reads the body, for a source with a task of its own. A call that blocks its
    /// thread must not need another one.
    func prefer(_ executor: (any TaskExecutor)?)
}

extension BodySource {
    package var received: any BodySource { self }
    package var call: Call? { nil }
    package func prefer(_ executor: (any TaskExecutor)?) {}
}

/// Transforms the bytes of a body, for one reader at a time.
/// ```swift
/// struct Counting: MessageHook {
///     func didReceive(_ response: inout Response) { response.body.transform(by: Counter()) }
/// }
/// ```
public protocol BodyTransform: AnyObject, Sendable {
    /// Takes a piece of input. The library calls this only after ``pull()`` has returned nil.
    func push(_ input: Bytes)
    /// The next piece of output, of bounded size; nil if the transform needs more input.
    func pull() throws(CallError) -> Bytes?
    /// The library calls this at the end of the input. It throws if the input was cut off.
    func finish() throws(CallError)
}

/// The source of a body that is complete in memory.
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
    /// The error of reading a body that was given up before its end.
    package static var givenUp: CallError {
        CallError(.cancelled, "the body was given up before it was read", phase: .receivingBody)
    }
}
