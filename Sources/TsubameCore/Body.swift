// Body: what a request carries.

public import HTTPTypes
internal import Synchronization

/// The body of a request: nothing, bytes, a file or a stream, with its content type and, if it is known, its length.
///
/// A content type with a control character in it makes the request one that no way to send takes
/// (``CallError/Kind/invalidRequest``).
///
/// A body can be sent again (after a redirect with 307 or 308, or a lost connection) unless it is a one-shot stream.
public struct Body: Sendable {
    /// Where the bytes come from.
    package enum Content: Sendable {
        case bytes(Bytes)
        /// The path of a file, read from disk while it is sent.
        case file(path: String)
        /// Makes a new reader for each sending; a one-shot body makes one only.
        case stream(open: @Sendable () -> any BodyReader, isOneShot: Bool)
        /// Depends on the client that sends it, such as on its coding of JSON. `make` is given that, or nil for the
        /// standard, and gives other content.
        case deferred(make: @Sendable ((any Sendable)?) -> Body, isOneShot: Bool)
        /// Could not be made; thrown when the request is sent.
        case failed(CallError)
    }

    private final class Storage: Sendable {
        let content: Content
        let contentType: String?
        let contentCoding: String?
        let length: Int64?
        let trailers: (@Sendable () -> HTTPFields)?
        /// Of a one-shot stream.
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
            // A field would take some of them as spaces, and send what nobody meant.
            content = .failed(CallError(.invalidRequest, "the body's content type holds a control character"))
            contentType = nil
        }
        storage = Storage(
            content: content, contentType: contentType, contentCoding: contentCoding, length: length,
            trailers: trailers, once: once)
    }

    /// No body: no Content-Length, no Content-Type.
    public static let empty = Body(nil)

    /// These bytes. Zero bytes are a body too: `Content-Length: 0` is sent.
    public static func bytes(_ bytes: Bytes, contentType: String? = nil) -> Body {
        Body(.bytes(bytes), contentType: contentType, length: Int64(bytes.count))
    }

    /// A copy of these bytes.
    public static func bytes(_ bytes: some Collection<UInt8>, contentType: String? = nil) -> Body {
        .bytes(Bytes(bytes), contentType: contentType)
    }

    /// The file at `path`, read from disk while it is sent, never held whole. Its length is taken when sending starts;
    /// a file that changes length meanwhile fails the call with ``CallError/Kind/requestBody``.
    public static func file(path: String, contentType: String? = nil) -> Body {
        Body(.file(path: path), contentType: contentType, length: nil)
    }

    /// A stream that can be opened again for each sending.
    /// - Parameters:
    ///   - length: in bytes, when it is known; otherwise the body goes chunked. A stream that gives more or fewer bytes
    ///     than it declared fails the call with ``CallError/Kind/requestBody`` and its connection is closed.
    ///   - contentType: what the bytes are.
    ///   - open: makes the sequence, once for each sending.
    public static func stream<S: AsyncSequence & Sendable>(
        length: Int64? = nil, contentType: String? = nil, _ open: @escaping @Sendable () -> S
    ) -> Body where S.Element == Bytes {
        Body(.stream(open: { SequenceReader(open()) }, isOneShot: false), contentType: contentType, length: length)
    }

    /// A stream that exists only once. A call that would have to send it again gives back the response it has; a second
    /// sending of the request fails with ``CallError/Kind/requestBody``.
    public static func stream<S: AsyncSequence & Sendable>(
        once sequence: S, length: Int64? = nil, contentType: String? = nil
    ) -> Body where S.Element == Bytes {
        let once = TakenOnce()
        return Body(
            .stream(open: { OnceReader(sequence, once) }, isOneShot: true), contentType: contentType, length: length,
            trailers: nil, once: once)
    }

    /// A body that could not be made; the reason is thrown when the request is sent.
    package static func failed(_ error: CallError) -> Body { Body(.failed(error), contentType: nil, length: nil) }

    /// nil for no body.
    package var content: Content? { storage?.content }
    /// What is sent as Content-Type, unless the request's fields name another.
    public var contentType: String? { storage?.contentType }
    /// What is sent as Content-Encoding, unless the request's fields name another: how the bytes were compressed.
    public var contentCoding: String? { storage?.contentCoding }
    /// In bytes, if it is known before sending.
    public var length: Int64? { storage?.length }
    /// Whether there is no body at all; zero bytes are one.
    public var isEmpty: Bool { storage == nil }

    /// The bytes, if the body is bytes. A value that is to be JSON has none before a client sends it.
    public var bytes: Bytes? {
        if case .bytes(let bytes) = storage?.content { bytes } else { nil }
    }

    /// Whether the body can be sent a second time.
    public var canBeSentAgain: Bool {
        switch storage?.content {
        case .stream(_, isOneShot: true), .deferred(_, isOneShot: true): false
        default: true
        }
    }

    /// Whether its content depends on the client that sends it.
    package var isDeferred: Bool {
        if case .deferred = storage?.content { true } else { false }
    }

    /// The body as it is sent.
    /// - Parameter coding: the client's; nil for the standard.
    package func resolved(by coding: (any Sendable)?) -> Body {
        guard let storage, case .deferred(let make, _) = storage.content else { return self }
        let made = make(coding)
        guard let content = made.content else { return made }
        return Body(
            content, contentType: storage.contentType, contentCoding: made.contentCoding, length: made.length,
            trailers: storage.trailers, once: made.storage?.once)
    }

    /// Whether all of it is there to be sent: of a one-shot stream, whether nothing has been read of it yet, as when a
    /// server answers before it asks for the body (`Expect: 100-continue`).
    package var isWhole: Bool { canBeSentAgain || storage?.once?.isTaken == false }

    /// The same content with another type.
    public func with(contentType: String?) -> Body {
        storage.map {
            Body(
                $0.content, contentType: contentType, contentCoding: $0.contentCoding, length: $0.length,
                trailers: $0.trailers, once: $0.once)
        } ?? self
    }

    /// Other content in the place of this one, made of it: with the same type and trailers, and as often to be sent.
    /// - Parameter contentCoding: the coding of the new content, if that is another one.
    package func with(content: Content, length: Int64?, contentCoding: String? = nil) -> Body {
        storage.map {
            Body(
                content, contentType: $0.contentType, contentCoding: contentCoding ?? $0.contentCoding, length: length,
                trailers: $0.trailers, once: $0.once)
        } ?? self
    }

    /// The same content with trailer fields behind it (RFC 9110 section 6.5), such as a digest of what was sent. The body
    /// then goes chunked, whether its length is known or not, and servers may well ignore them.
    /// - Parameter trailers: asked once the content has been read, once for each sending. Fields that frame, route or
    ///   authenticate must not be among them: they fail the call with ``CallError/Kind/requestBody``.
    public func with(trailers: @escaping @Sendable () -> HTTPFields) -> Body {
        guard let storage else {
            return Body(.bytes(Bytes()), contentType: nil, length: 0, trailers: trailers, once: nil)
        }
        return Body(
            storage.content, contentType: storage.contentType, contentCoding: storage.contentCoding,
            length: storage.length, trailers: trailers, once: storage.once)
    }

    package var trailers: (@Sendable () -> HTTPFields)? { storage?.trailers }
}

/// Gives the pieces of a body one by one; nil at the end. One reader, one sending.
package protocol BodyReader: AnyObject, Sendable {
    func next() async throws -> Bytes?
}

// Used by one sender at a time, which awaits each `next()` before the following one.
private final class SequenceReader<S: AsyncSequence>: BodyReader, @unchecked Sendable where S.Element == Bytes {
    private var iterator: S.AsyncIterator

    init(_ sequence: S) { iterator = sequence.makeAsyncIterator() }

    func next() async throws -> Bytes? { try await iterator.next() }
}

/// Whether anything has been read of a one-shot body.
private final class TakenOnce: Sendable {
    private let flag = Atomic(false)

    var isTaken: Bool { flag.load(ordering: .relaxed) }

    /// True the first time.
    func take() -> Bool { !flag.exchange(true, ordering: .relaxed) }
}

/// Reads a one-shot body, unless another reader has begun: an empty or shortened one must not go out as if it were whole.
// Used by one sender, which awaits each `next()` before the following one.
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
