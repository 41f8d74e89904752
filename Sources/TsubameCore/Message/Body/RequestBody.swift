// RequestBody: the body of a request, which is nothing, bytes, a file or a stream.

public import HTTPTypes
internal import Synchronization

/// The body of a request: nothing, bytes, a file or a stream. It has a content type and, if it is known, a length.
///
/// A content type with a control character makes the request invalid: every way to send it throws
/// ``CallError/Kind/invalidRequest``.
///
/// A body can be sent again unless it is a one-shot stream. This matters after a redirect with 307 or 308, or after a
/// lost connection.
public struct RequestBody: Sendable {
    /// The source of the bytes.
    package enum Content: Sendable {
        case bytes(Bytes)
        /// The path of a file, read from disk while it is sent.
        case file(path: String)
        /// Makes a new reader each time the body is sent; a one-shot body makes only one.
        case stream(open: @Sendable () -> any BodyReader, isOneShot: Bool)
        /// The content depends on the client that sends it. `make` takes the client's rules, or nil for the standard
        /// ones, and returns the content.
        case deferred(make: @Sendable ((any ValueRules)?) -> RequestBody, isOneShot: Bool)
        /// The content could not be made. The error is thrown when the request is sent.
        case failed(CallError)
    }

    private final class Storage: Sendable {
        let content: Content
        let contentType: String?
        let contentCoding: String?
        let length: Int64?
        let trailers: (@Sendable () -> HTTPFields)?
        /// Only for a one-shot stream.
        let once: TakenOnce?

        init(
            content: Content, contentType: String?, contentCoding: String?, length: Int64?,
            trailers: (@Sendable () -> HTTPFields)?, once: TakenOnce?
        ) {
            self.once = once
            self.contentCoding = contentCoding
            self.content = content
            self.contentType = contentType
            self.length = length
            self.trailers = trailers
        }
    }

    private let storage: Storage?

    private init(_ storage: Storage?) { self.storage = storage }

    package init(_ content: Content, contentType: String?, length: Int64?) {
        self.init(content, contentType: contentType, length: length, trailers: nil, once: nil)
    }

    private init(
        _ content: Content, contentType: String?, contentCoding: String? = nil, length: Int64?,
        trailers: (@Sendable () -> HTTPFields)?, once: TakenOnce?
    ) {
        var (content, contentType) = (content, contentType)
        if contentType?.holdsControlCharacter == true {
            // A field would turn some control characters into spaces, and so send a type that the caller did not mean.
            content = .failed(CallError(.invalidRequest, "the body's content type holds a control character"))
            contentType = nil
        }
        storage = Storage(
            content: content, contentType: contentType, contentCoding: contentCoding, length: length,
            trailers: trailers, once: once)
    }

    /// No body. The request has no Content-Type, and no Content-Length unless its method expects a body.
    public static let empty = RequestBody(nil)

    /// These bytes. Zero bytes are a body too, and are sent with `Content-Length: 0`.
    public static func bytes(_ bytes: Bytes, contentType: String? = nil) -> RequestBody {
        RequestBody(.bytes(bytes), contentType: contentType, length: Int64(bytes.count))
    }

    /// A copy of these bytes.
    public static func bytes(_ bytes: some Collection<UInt8>, contentType: String? = nil) -> RequestBody {
        .bytes(Bytes(bytes), contentType: contentType)
    }

    /// The file at `path`, which is read from disk while it is sent, and never held whole in memory. Its length is
    /// taken when sending starts. If the length changes meanwhile, the call fails with ``CallError/Kind/requestBody``.
    public static func file(_ path: String, contentType: String? = nil) -> RequestBody {
        RequestBody(.file(path: path), contentType: contentType, length: nil)
    }

    /// A stream that can be opened again each time the body is sent.
    /// - Parameters:
    ///   - length: the number of bytes, if it is known; otherwise the body is sent chunked. If the stream has more or
    ///     fewer bytes than that, the call fails with ``CallError/Kind/requestBody`` and its connection is closed.
    ///   - contentType: the media type of the bytes.
    ///   - open: makes the sequence, each time the body is sent.
    public static func stream<S: AsyncSequence & Sendable>(
        length: Int64? = nil, contentType: String? = nil, _ open: @escaping @Sendable () -> S
    ) -> RequestBody where S.Element == Bytes {
        RequestBody(
            .stream(open: { SequenceReader(open()) }, isOneShot: false), contentType: contentType, length: length)
    }

    /// A stream that can be read only once. A call that would have to send it again returns the response that it has.
    /// If the request is sent a second time, that call fails with ``CallError/Kind/requestBody``.
    public static func stream<S: AsyncSequence & Sendable>(
        once sequence: S, length: Int64? = nil, contentType: String? = nil
    ) -> RequestBody where S.Element == Bytes {
        let once = TakenOnce()
        return RequestBody(
            .stream(open: { OnceReader(sequence, once) }, isOneShot: true), contentType: contentType, length: length,
            trailers: nil, once: once)
    }

    /// A stream of any pieces of bytes, such as `Data`, `[UInt8]` or the readable bytes of a buffer, that can be opened
    /// again each time the body is sent. Each piece is copied once; a stream of ``Bytes`` is not.
    public static func stream<S: AsyncSequence & Sendable>(
        length: Int64? = nil, contentType: String? = nil, _ open: @escaping @Sendable () -> S
    ) -> RequestBody where S.Element: Collection<UInt8> & Sendable {
        .stream(length: length, contentType: contentType) { open().map { Bytes($0) } }
    }

    /// A stream of any pieces of bytes that can be read only once. Each piece is copied once.
    public static func stream<S: AsyncSequence & Sendable>(
        once sequence: S, length: Int64? = nil, contentType: String? = nil
    ) -> RequestBody where S.Element: Collection<UInt8> & Sendable {
        .stream(once: sequence.map { Bytes($0) }, length: length, contentType: contentType)
    }

    /// A body that could not be made. The error is thrown when the request is sent.
    package static func failed(_ error: CallError) -> RequestBody {
        RequestBody(.failed(error), contentType: nil, length: nil)
    }

    /// nil for no body.
    package var content: Content? { storage?.content }
    /// The Content-Type to send, unless the request's fields name another.
    public var contentType: String? { storage?.contentType }
    /// The Content-Encoding to send, unless the request's fields name another: the coding that compressed the bytes.
    public var contentCoding: String? { storage?.contentCoding }
    /// The length in bytes, if it is known before sending.
    public var length: Int64? { storage?.length }
    /// Whether there is no body at all. Zero bytes are a body.
    public var isEmpty: Bool { storage == nil }

    /// The bytes, if the body consists of bytes. A value that the client encodes has none before a client sends it.
    public var bytes: Bytes? {
        if case .bytes(let bytes) = storage?.content { bytes } else { nil }
    }

    /// Whether the body can be sent a second time. Only a one-shot stream cannot.
    public var canBeSentAgain: Bool {
        switch storage?.content {
        case .stream(_, isOneShot: true), .deferred(_, isOneShot: true): false
        default: true
        }
    }

    /// Whether the content depends on the client that sends it.
    package var isDeferred: Bool {
        if case .deferred = storage?.content { true } else { false }
    }

    /// The body as it is sent.
    /// - Parameter rules: the client's rules for values; nil for the standard ones.
    package func resolved(by rules: (any ValueRules)?) -> RequestBody {
        guard let storage, case .deferred(let make, _) = storage.content else { return self }
        let made = make(rules)
        guard let content = made.content else { return made }
        return RequestBody(
            content, contentType: storage.contentType, contentCoding: made.contentCoding, length: made.length,
            trailers: storage.trailers, once: made.storage?.once)
    }

    /// Whether the whole body can still be sent. A one-shot stream is whole until something has been read from it. It
    /// still is when a server answers before it asks for the body (`Expect: 100-continue`).
    package var isWhole: Bool { canBeSentAgain || storage?.once?.isTaken == false }

    /// The same content with another content type.
    public func with(contentType: String?) -> RequestBody {
        storage.map {
            RequestBody(
                $0.content, contentType: contentType, contentCoding: $0.contentCoding, length: $0.length,
                trailers: $0.trailers, once: $0.once)
        } ?? self
    }

    /// New content that was made of this one. It has the same type and trailers, and can be sent as often.
    /// - Parameter contentCoding: the coding of the new content, if it differs.
    package func with(content: Content, length: Int64?, contentCoding: String? = nil) -> RequestBody {
        storage.map {
            RequestBody(
                content, contentType: $0.contentType, contentCoding: contentCoding ?? $0.contentCoding, length: length,
                trailers: $0.trailers, once: $0.once)
        } ?? self
    }

    /// The same content followed by trailer fields (RFC 9110 section 6.5), such as a digest of the content. The body is
    /// then sent chunked, even if its length is known. Servers may ignore trailer fields.
    /// - Parameter trailers: returns the fields, each time the body is sent, after the content has been read. They must
    ///   not frame, route or authenticate the message: such a field fails the call with ``CallError/Kind/requestBody``.
    public func with(trailers: @escaping @Sendable () -> HTTPFields) -> RequestBody {
        guard let storage else {
            return RequestBody(.bytes(Bytes()), contentType: nil, length: 0, trailers: trailers, once: nil)
        }
        return RequestBody(
            storage.content, contentType: storage.contentType, contentCoding: storage.contentCoding,
            length: storage.length, trailers: trailers, once: storage.once)
    }

    package var trailers: (@Sendable () -> HTTPFields)? { storage?.trailers }
}

/// Reads the pieces of a body one by one, for one sending; nil at the end.
package protocol BodyReader: AnyObject, Sendable {
    func next() async throws -> Bytes?
}

/// A reader of something that is open, such as a file.
package protocol RewindableReader: BodyReader {
    /// Another reader of the same, from its beginning.
    func rewound() -> any BodyReader
}

// One sender at a time uses the reader, and awaits each `next()` before the following one.
private final class SequenceReader<S: AsyncSequence>: BodyReader, @unchecked Sendable where S.Element == Bytes {
    private var iterator: S.AsyncIterator

    init(_ sequence: S) { iterator = sequence.makeAsyncIterator() }

    func next() async throws -> Bytes? { try await iterator.next() }
}

/// Records whether anything has been read from a one-shot body.
private final class TakenOnce: Sendable {
    private let flag = Atomic(false)

    var isTaken: Bool { flag.load(ordering: .relaxed) }

    /// Returns true only the first time.
    func take() -> Bool { !flag.exchange(true, ordering: .relaxed) }
}

/// Reads a one-shot body, unless another reader has begun. An empty or shortened body must not be sent as if it were
/// complete.
// One sender uses the reader, and awaits each `next()` before the following one.
private final class OnceReader<S: AsyncSequence & Sendable>: BodyReader, @unchecked Sendable
where S.Element == Bytes {
    private let sequence: S
    private let once: TakenOnce
    private var iterator: S.AsyncIterator?

    init(_ sequence: S, _ once: TakenOnce) {
        self.sequence = sequence
        self.once = once
    }

    func next() async throws -> Bytes? {
        if iterator == nil {
            guard once.take() else {
                throw CallError(.requestBody, "the body can be sent only once, and has been sent", phase: .sendingBody)
            }
            iterator = sequence.makeAsyncIterator()
        }
        return try await iterator?.next()
    }
}
