// ResponseDecoder: decodes the responses of one HTTP/1 connection, bytes in, events out (RFC 9112). It does no I/O.

package import HTTPTypes
package import TsubameCore

/// A connection has one decoder. Call ``begin(isHead:isTunnel:limits:)`` for each exchange, then ``next(_:_:)`` with
/// the bytes that have been read. The caller keeps the bytes that were not consumed, and passes them again together
/// with the next ones, until the end.
///
/// The decoder is strict where leniency has let two recipients see two different messages. It accepts a bare LF at the
/// end of a line of the head, obs-fold, and a status line without the space for a reason. It also accepts a list of
/// equal Content-Lengths, and blanks after a chunk size. An empty line before a status line is an error: RFC 9112
/// section 2.2 asks only servers to skip one, before a request.
///
/// The result does not depend on how the bytes were cut into reads.
package struct ResponseDecoder: ~Copyable {
    package enum Event {
        /// All usable bytes are consumed. The decoder needs more.
        case needsMore
        /// A 1xx response other than 101.
        case informational(ReceivedHead)
        /// The head and the complete body were in the buffer, or the response has no body. Both share one allocation,
        /// of which the body is a slice. The exchange is over.
        case whole(ReceivedHead, body: Bytes)
        /// A head with a body after it, and the length of the body if it is known.
        case head(ReceivedHead, length: Int64?)
        /// Body bytes, as offsets into the buffer that was passed to this call. The range is not empty, and already
        /// consumed.
        case body(Range<Int>)
        /// The exchange is over.
        case end(trailers: HTTPFields?)
    }

    private enum State: UInt8 {
        case head, length, untilClose, chunks, trailers, ended, failed
    }

    /// A body of up to this many bytes is copied together with its head.
    private static var wholeBody: Int64 { 16 << 10 }

    private var state = State.ended
    private var isHead = false
    private var isTunnel = false
    /// Whether another exchange on this connection is forbidden, as far as the head has been read.
    package private(set) var mustClose = false
    private var informationals = 0
    /// The remaining bytes of a body with a Content-Length.
    private var remaining: Int64 = 0
    private var failure: WireError?
    private var scanner: HeadScanner
    private var chunks: ChunkedDecoder
    /// Created only for a trailer section that is not empty.
    private var trailers: HeadScanner?
    private let limits: Limits

    /// Whether any byte of the current response has arrived, including informational responses.
    package private(set) var hasSeenBytes = false

    package init(limits: Limits) {
        self.limits = limits
        scanner = HeadScanner(
            .head,
            HeadScanner.Bounds(
                bytes: Self.bounded(limits.headBytes), lineBytes: Self.bounded(limits.lineBytes),
                fields: Self.bounded(limits.headFields)))
        chunks = ChunkedDecoder(extensionLimit: Self.bounded(limits.chunkExtensionBytes))
    }

    /// Offsets in a head have 32 bits, and sums of limits must not overflow.
    private static func bounded(_ limit: Int) -> Int { Swift.min(Swift.max(limit, 0), 1 << 30) }

    /// Starts an exchange.
    /// - Parameters:
    ///   - isHead: whether the request's method was HEAD. No body follows then, independent of the head.
    ///   - isTunnel: whether the method was CONNECT. No body follows a success (RFC 9112 section 6.3). The body of a
    ///     refusal is not needed either, except for 407, after which the connection can be used again.
    ///   - limits: the limits of this exchange; nil keeps the previous ones.
    package mutating func begin(isHead: Bool = false, isTunnel: Bool = false, limits: Limits? = nil) {
        if let limits, limits != self.limits { self = ResponseDecoder(limits: limits) }
        self.isHead = isHead
        self.isTunnel = isTunnel
        state = .head
        mustClose = false
        hasSeenBytes = false
        informationals = 0
        failure = nil
        scanner.reset()
    }

    /// Whether an HTTP/1.0 response is chunked, although HTTP/1.0 does not define chunking. Valid after a head.
    package var isChunkedHTTP10: Bool { state == .chunks && scanner.statusLine.minorVersion == 0 }

    /// Whether the response allows another exchange on this connection. Valid after the end.
    package var isReusable: Bool { state == .ended && !mustClose }

    /// Returns the next event of the bytes that have been read.
    /// - Parameters:
    ///   - bytes: the bytes that are not yet consumed, with any consumed bytes before them.
    ///   - offset: where the unconsumed bytes begin. The method moves it past the bytes that it consumes.
    /// - Throws: at the first byte or line that is wrong. Every later call throws the same error.
    package mutating func next(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(WireError) -> Event {
        guard offset >= 0, offset <= bytes.count else { return .needsMore }
        do throws(WireError) {
            switch state {
            case .head: return try head(bytes, &offset)
            case .length: return length(bytes, &offset)
            case .untilClose: return untilClose(bytes, &offset)
            case .chunks, .trailers: return try chunked(bytes, &offset)
            case .ended: return .end(trailers: nil)
            case .failed: throw failure ?? .invalid("the response is broken")
            }
        } catch {
            throw fail(error)
        }
    }

    private mutating func fail(_ error: WireError) -> WireError {
        state = .failed
        failure = error
        return error
    }

    // MARK: Head

    @inline(__always)
    private mutating func head(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(WireError) -> Event {
        let available = bytes.count &- offset
        guard available > 0, let start = bytes.baseAddress else { return .needsMore }
        hasSeenBytes = true
        let base = start + offset
        guard let size = try scanner.scan(base, available) else { return .needsMore }
        guard !scanner.hasFolds else { return try foldedHead(bytes, &offset, size) }
        let (event, consumed) = try finish(base, size, available)
        offset &+= consumed
        return event
    }

    /// Decodes a head with folds from a copy, in which the joined values lie between the head and the body.
    private mutating func foldedHead(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ size: Int
    ) throws(WireError) -> Event {
        let bodyCount = Swift.min(bytes.count &- offset &- size, Int(Self.wholeBody))
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 &* size &+ bodyCount, alignment: 1)
        defer { copy.deallocate() }
        guard let base = copy.baseAddress, let start = bytes.baseAddress else { return .needsMore }
        base.copyMemory(from: start + offset, byteCount: size)
        let joined = scanner.joinFolds(in: base, behind: size)
        (base + joined).copyMemory(from: start + (offset &+ size), byteCount: bodyCount)
        let (event, consumed) = try finish(UnsafeRawPointer(base), joined, joined &+ bodyCount)
        offset &+= consumed &- (joined &- size)
        return event
    }

    /// - Parameters:
    ///   - size: the length of the head.
    ///   - available: the number of bytes from `base` on, including the head.
    @inline(__always)
    private mutating func finish(
        _ base: UnsafeRawPointer, _ size: Int, _ available: Int
    ) throws(WireError) -> (Event, consumed: Int) {
        let status = scanner.statusLine.status
        // The head of an open tunnel says nothing about a body (RFC 9110 section 9.3.6).
        if isTunnel, (200...299).contains(status) { return (whole(base, size, 0), size) }
        let framing = try ResponseFraming(
            scanner.fields, candidates: scanner.candidates, base)
        if framing.isChunked, framing.length != nil {
            scanner.removeFields(base, named: "content-length")
            mustClose = true
        }
        // RFC 9112 section 6.1: HTTP/1.0 has no Transfer-Encoding, and an intermediary may not have understood it.
        if framing.isChunked, scanner.statusLine.minorVersion == 0 { mustClose = true }
        if framing.saysClose || (scanner.statusLine.minorVersion == 0 && !framing.saysKeepAlive) { mustClose = true }
        if status < 200 {
            let head = try informational(base, size)
            return (.informational(head), size)
        }
        if isHead || status == 204 || status == 304 || isTunnel && status != 407 {
            // A 204 that announces a body may send one, so it is uncertain where the next response starts.
            if status == 204, framing.isChunked || (framing.length ?? 0) > 0 { mustClose = true }
            return (whole(base, size, 0), size)
        }
        if framing.isChunked {
            state = .chunks
            chunks.reset()
            return (.head(head(base, size), length: nil), size)
        }
        guard let length = framing.length else {
            state = .untilClose
            mustClose = true
            return (.head(head(base, size), length: nil), size)
        }
        if length <= Self.wholeBody, length <= Int64(available &- size) {
            let count = Int(length)
            return (whole(base, size, count), size &+ count)
        }
        state = .length
        remaining = length
        return (.head(head(base, size), length: length), size)
    }

    /// The head, together with `extra` bytes after it.
    @inline(__always)
    private func head(_ base: UnsafeRawPointer, _ size: Int, _ extra: Int = 0) -> ReceivedHead {
        ReceivedHead(
            status: scanner.statusLine.status, version: scanner.statusLine.minorVersion == 0 ? .http10 : .http11,
            reason: scanner.statusLine.reason,
            slots: scanner.fields,
            bytes: UnsafeRawBufferPointer(start: base, count: size &+ extra))
    }

    @inline(__always)
    private mutating func whole(_ base: UnsafeRawPointer, _ size: Int, _ count: Int) -> Event {
        state = .ended
        let head = head(base, size, count)
        return .whole(head, body: count > 0 ? head.bytes(size..<(size &+ count)) : Bytes())
    }

    private mutating func informational(_ base: UnsafeRawPointer, _ size: Int) throws(WireError) -> ReceivedHead {
        guard scanner.statusLine.status != 101 else {
            throw .invalid("the server switched protocols (101), which the request did not ask for")
        }
        informationals += 1
        guard informationals <= limits.informationalResponses else {
            throw .limit(
                "there are more than \(limits.informationalResponses) informational responses "
                    + "(limits.informationalResponses)")
        }
        let head = head(base, size)
        scanner.reset()
        return head
    }

    // MARK: Body

    private mutating func length(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Event {
        guard remaining > 0 else {
            state = .ended
            return .end(trailers: nil)
        }
        guard offset < bytes.count else { return .needsMore }
        let count = Swift.min(Int64(bytes.count &- offset), remaining)
        let range = offset..<(offset &+ Int(count))
        offset = range.upperBound
        remaining &-= count
        return .body(range)
    }

    private func untilClose(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Event {
        guard offset < bytes.count else { return .needsMore }
        let range = offset..<bytes.count
        offset = bytes.count
        return .body(range)
    }

    private mutating func chunked(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(WireError) -> Event {
        if state == .chunks {
            switch try chunks.next(bytes, &offset) {
            case .needsMore: return .needsMore
            case .data(let range): return .body(range)
            case .trailers:
                state = .trailers
                trailers = nil
            }
        }
        let available = bytes.count &- offset
        guard available > 0, let start = bytes.baseAddress else { return .needsMore }
        let base = start + offset
        // Almost all responses have no trailers.
        if trailers == nil, available >= 2, ByteScan.byte(base, 0) == 0x0D, ByteScan.byte(base, 1) == 0x0A {
            offset &+= 2
            state = .ended
            return .end(trailers: nil)
        }
        if trailers == nil { trailers = HeadScanner(.trailers, trailerBounds) }
        guard let size = try trailers?.scan(base, available) else { return .needsMore }
        offset &+= size
        state = .ended
        return .end(trailers: trailerFields(base, size))
    }

    private mutating func trailerFields(_ base: UnsafeRawPointer, _ size: Int) -> HTTPFields? {
        guard var section = trailers.take() else { return nil }
        guard section.hasFolds else { return TrailerSection.fields(section.fields, base) }
        let copy = UnsafeMutableRawPointer.allocate(byteCount: 2 * size, alignment: 1)
        defer { copy.deallocate() }
        copy.copyMemory(from: base, byteCount: size)
        _ = section.joinFolds(in: copy, behind: size)
        return TrailerSection.fields(section.fields, UnsafeRawPointer(copy))
    }

    private var trailerBounds: HeadScanner.Bounds {
        HeadScanner.Bounds(
            bytes: Self.bounded(limits.trailerBytes), lineBytes: Self.bounded(limits.lineBytes),
            fields: Self.bounded(limits.headFields))
    }

    // MARK: End of input

    /// Handles the end of the peer's side of the connection.
    /// - Parameter unconsumed: the number of bytes that the last ``next(_:_:)`` did not consume.
    /// - Returns: the end of a response that is complete, or whose body extends until the connection closes.
    /// - Throws: kind `incompleteResponse`, or `emptyReply` if no byte of a response had arrived.
    package mutating func endOfInput(unconsumed: Int) throws(WireError) -> Event {
        mustClose = true
        switch state {
        case .ended:
            return .end(trailers: nil)
        case .untilClose:
            state = .ended
            return .end(trailers: nil)
        case .failed:
            throw failure ?? .invalid("the response is broken")
        case .head:
            throw fail(endInHead(unconsumed))
        case .length:
            guard remaining > 0 else {
                state = .ended
                return .end(trailers: nil)
            }
            throw fail(.incomplete("the connection was closed \(remaining) bytes before the end of the body"))
        case .chunks, .trailers:
            throw fail(.incomplete("the connection was closed \(chunks.place)"))
        }
    }

    private func endInHead(_ unconsumed: Int) -> WireError {
        if unconsumed <= 0, informationals > 0 {
            return .incomplete("the connection was closed after an informational response, before the final one")
        }
        guard unconsumed > 0 || hasSeenBytes else {
            return WireError(.emptyReply, "the server closed the connection without sending a response")
        }
        return scanner.isNotHTTP
            ? .invalid("the answer is no HTTP/1: the connection was closed after \(unconsumed) bytes of something else")
            : .incomplete("the connection was closed within the response's head, after \(unconsumed) bytes")
    }
}
