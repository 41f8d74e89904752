// RequestBodyReader: reads the body of a request for one sending, and checks its length.

public import HTTPTypes

/// Reads the body of a request, for a ``Transport`` that sends it: see ``TransportExchange/openBody()``.
///
/// ```swift
/// if let body = try await exchange.openBody() {
///     while let piece = try await body.next() { try await socket.write(piece) }
/// }
/// ```
/// One task at a time may read. The body must be sent in full: if reading throws, the transport must not end the request
/// as if it were complete.
// One reader awaits each `next()` before the following one.
public final class RequestBodyReader: @unchecked Sendable {
    /// The number of bytes; nil if it is not known, or if trailers follow. The request then goes without Content-Length.
    public let length: Int64?
    private let pieces: CheckedPieces
    private let makeTrailers: (@Sendable () -> HTTPFields)?
    private let check: @Sendable (HTTPFields) throws(CallError) -> Void
    private let report: @Sendable (Step) throws(CallError) -> Void
    /// The rest of a piece that is longer than those which are returned.
    private var rest = Bytes()
    /// The idle deadline holds for each piece, so that a piece must not take long on a slow line.
    private static let pieceBytes = 64 << 10

    /// A step that the reader reports to its exchange.
    package enum Step: Sendable {
        case asked, read(Bytes), ended
    }

    /// - Parameters:
    ///   - trailers: makes the trailer fields; nil for a body without.
    ///   - check: throws if the trailer fields must not be sent.
    package init(
        _ reader: any BodyReader, length: Int64?, trailers: (@Sendable () -> HTTPFields)?,
        check: @escaping @Sendable (HTTPFields) throws(CallError) -> Void,
        report: @escaping @Sendable (Step) throws(CallError) -> Void
    ) {
        self.length = trailers == nil ? length : nil
        pieces = CheckedPieces(reader, length: length)
        makeTrailers = trailers
        self.check = check
        self.report = report
    }

    /// The next piece, at most 64 KiB and never empty; nil at the end. Read up to nil: only then does the client know that
    /// the request has been sent, and wait for the head.
    /// - Throws: the error of the exchange if it is over; ``CallError/Kind/requestBody`` if the body cannot be read, or if
    ///   its length is not the declared one. The piece that completes the declared length is returned only after the body
    ///   has been read to its end.
    public func next() async throws(CallError) -> Bytes? {
        try report(.asked)
        if rest.isEmpty { rest = try await pieces.next()?.bytes ?? Bytes() }
        guard !rest.isEmpty else {
            try report(.ended)
            return nil
        }
        let piece = rest.slice(0..<Self.pieceBytes)
        rest = rest.slice(piece.count..<rest.count)
        try report(.read(piece))
        return piece
    }

    /// The trailer fields to send after the content, such as a digest. Ask once, when ``next()`` has returned nil. nil if
    /// the body has none.
    /// - Throws: ``CallError/Kind/requestBody`` for a field that must not be a trailer (RFC 9110 section 6.5.1).
    public func trailers() throws(CallError) -> HTTPFields? {
        guard let fields = makeTrailers?() else { return nil }
        try check(fields)
        return fields
    }
}

/// The pieces of a body whose length is compared with the declared one.
// One reader awaits each `next()` before the following one.
package final class CheckedPieces: @unchecked Sendable {
    package struct Piece {
        package let bytes: Bytes
        /// Whether the piece completes the declared length. Nothing follows it.
        package let completesLength: Bool
    }

    private let reader: any BodyReader
    private let length: Int64?
    private var taken: Int64 = 0
    private var isAtEnd = false

    package init(_ reader: any BodyReader, length: Int64?) {
        self.reader = reader
        self.length = length
    }

    /// The next piece, never an empty one; nil at the end. The piece that completes the declared length comes only when
    /// the reader has said that nothing follows: a body that is too long must not look complete to the server.
    package func next() async throws(CallError) -> Piece? {
        guard !isAtEnd, let piece = try await read() else {
            isAtEnd = true
            guard let length, taken != length else { return nil }
            throw failure("the body has \(taken) bytes and \(length) were declared")
        }
        taken += Int64(piece.count)
        guard let length, taken >= length else { return Piece(bytes: piece, completesLength: false) }
        let more = taken == length ? try await read() : piece
        isAtEnd = true
        guard more == nil else { throw failure("the body is longer than the \(length) bytes that were declared") }
        return Piece(bytes: piece, completesLength: true)
    }

    /// The next piece that is not empty.
    private func read() async throws(CallError) -> Bytes? {
        do {
            while let piece = try await reader.next() {
                if !piece.isEmpty { return piece }
            }
            return nil
        } catch let error as CallError {
            throw error
        } catch {
            throw failure("the body could not be read: \(error)", error)
        }
    }

    private func failure(_ reason: String, _ error: (any Error)? = nil) -> CallError {
        CallError(.requestBody, reason, phase: .sendingBody, underlying: error)
    }
}

/// Large bytes in memory, read in slices so that the socket's buffer stays small.
// `position` is used by one `next()` at a time.
package final class BytesReader: BodyReader, @unchecked Sendable {
    private static let pieceBytes = 64 << 10

    private let bytes: Bytes
    private var position = 0

    package init(_ bytes: Bytes) { self.bytes = bytes }

    package func next() async throws -> Bytes? {
        guard position < bytes.count else { return nil }
        let piece = bytes.slice(position..<(position + Self.pieceBytes))
        position += piece.count
        return piece
    }
}
