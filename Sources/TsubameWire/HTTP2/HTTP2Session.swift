// HTTP2Session: the client's side of one HTTP/2 connection, bytes in, events and bytes out (RFC 9113). It does no I/O.

package import HTTPTypes
package import TsubameCore
package import TsubamePlatform

/// A connection has one session. Pass the bytes that have been read to ``next(_:_:)``. ``output`` collects the bytes to
/// write, except the bytes of bodies, in the order in which they must be sent.
///
/// A fault of one response ends its stream, and the other streams go on. A fault of the connection throws and adds a
/// GOAWAY to the output; every later call throws it again. The session limits the work that a peer can cause for
/// nothing (CVE-2019-9512 and later): see ``HTTP2FloodGuard``.
package struct HTTP2Session: ~Copyable {
    package enum Event {
        /// All usable bytes are consumed. The session needs more.
        case needsMore
        case informational(HTTP2Stream, ReceivedHead)
        /// The head and the whole body. The stream is over.
        case whole(HTTP2Stream, ReceivedHead, body: Bytes)
        /// A head with a body after it, and the length of the body if it is known.
        case head(HTTP2Stream, ReceivedHead, length: Int64?)
        /// Body bytes, as offsets into the buffer that was passed to this call. The range is not empty, and already
        /// consumed.
        case body(HTTP2Stream, Range<Int>)
        /// The response is complete. The stream is over, and was reset if its request was incomplete.
        case end(HTTP2Stream, trailers: HTTPFields?)
        /// The peer has reset the stream, which is over.
        case reset(HTTP2Stream, HTTP2Code)
        /// The response is wrong. The stream is over.
        case failed(HTTP2Stream, WireError)
        /// More bytes can be sent on this stream, or on all streams.
        case writable(HTTP2Stream?)
        /// The peer's settings have arrived. They may allow more streams, or fewer.
        case settings
        /// The peer accepts no new streams. Streams above `last` were not processed (RFC 9113 section 6.8).
        case goAway(last: UInt32, HTTP2Code)
    }

    /// A DATA frame that is being read.
    struct DataFrame {
        /// nil if no running stream takes the bytes.
        var stream: HTTP2Stream?
        var bytes: Int
        var padding: Int
        var isLast: Bool
    }

    /// A body of up to this many bytes is copied together with its head.
    static var wholeBody: Int { 16 << 10 }
    /// The number of concurrent streams until the peer states a limit. RFC 9113 section 6.5.2 recommends no lower
    /// limit.
    private static var usualStreams: Int { 100 }
    /// The maximum of concurrent streams on one connection. Further streams would slow each other down more than they
    /// gain.
    private static var mostStreams: Int { 256 }

    var streams = HTTP2StreamTable()
    var peer = HTTP2Settings()
    let limits: Limits
    var blockReader: HTTP2FieldBlockReader
    var blockWriter = HTTP2FieldBlockWriter()
    var window = HTTP2ConnectionWindow()
    var data: DataFrame?
    /// A stream whose end was read together with its last bytes.
    var ending: HTTP2Stream?
    var floodGuard = HTTP2FloodGuard()
    var lastAllowed: UInt32 = .max
    var failure: WireError?

    /// The bytes to write next. The caller empties the array after writing them.
    package var output: [UInt8]

    /// - Parameter limits: the limits for bytes whose stream is not known yet. The limit of a head is announced to the
    ///   peer.
    package init(limits: Limits) {
        self.limits = limits
        blockReader = HTTP2FieldBlockReader(limits: limits)
        output = HTTP2Settings.preface(headBytes: limits.headBytes)
    }

    /// The number of running streams.
    package var count: Int { streams.count }

    /// The number of streams that can be opened now, in addition to the running ones.
    package var availableStreams: Int {
        guard failure == nil, lastAllowed == .max, !streams.isExhausted else { return 0 }
        let most = Swift.min(peer.maxConcurrentStreams ?? Self.usualStreams, Self.mostStreams)
        return Swift.max(most &- streams.count, 0)
    }

    /// Whether the peer has sent its settings, with which an HTTP/2 connection begins.
    package var hasBegun: Bool { peer.hasArrived }

    /// Whether the peer accepts no new streams on this connection.
    package var isGoingAway: Bool { lastAllowed != .max }

    /// - Parameter now: when the next bytes were read.
    package mutating func beginRead(at now: MonotonicTime) { floodGuard.begin(at: now) }

    /// Returns the next event of the bytes that have been read.
    /// - Parameters:
    ///   - bytes: the bytes that are not yet consumed, with any consumed bytes before them.
    ///   - offset: where the unconsumed bytes begin. The method moves it past the bytes that it consumes.
    /// - Throws: for a fault that ends the connection. ``output`` then holds a GOAWAY for the peer.
    package mutating func next(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(WireError) -> Event {
        if let failure { throw failure }
        guard offset >= 0, offset <= bytes.count else { return .needsMore }
        do throws(HTTP2Fault) {
            while true {
                if let stream = ending {
                    ending = nil
                    if let event = finish(stream) { return event }
                }
                if data != nil {
                    if let event = readData(bytes, &offset) { return event }
                    if data != nil { return .needsMore }
                    continue
                }
                guard bytes.count &- offset >= HTTP2Frame.Header.size, let base = bytes.baseAddress else {
                    try checkBeginning(bytes, offset)
                    return .needsMore
                }
                let header = HTTP2Frame.Header(base + offset)
                try check(header, bytes, offset)
                if header.type == HTTP2Frame.data {
                    let (hasBegun, event) = try beginData(header, bytes, &offset)
                    if let event { return event }
                    guard hasBegun else { return .needsMore }
                    continue
                }
                guard bytes.count &- offset &- HTTP2Frame.Header.size >= header.length else { return .needsMore }
                let start = offset &+ HTTP2Frame.Header.size
                offset = start &+ header.length
                let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
                if let event = try read(header, payload, bytes, &offset) { return event }
            }
        } catch {
            throw fail(error)
        }
    }

    private mutating func fail(_ fault: HTTP2Fault) -> WireError {
        failure = fault.error
        sendGoAway(fault.code)
        return fault.error
    }

    /// Detects a server that answers in HTTP/1. Its first bytes may be fewer than a frame's header, or more.
    private func checkBeginning(_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(HTTP2Fault) {
        guard !peer.hasArrived, bytes.count &- offset >= 5 else { return }
        guard !bytes[offset...].starts(with: "HTTP/".utf8) else { throw Self.isHTTP1 }
    }

    private static var isHTTP1: HTTP2Fault {
        HTTP2Fault(.protocolError, .invalid("the server answers in HTTP/1: it does not speak HTTP/2 here"))
    }

    private func check(
        _ header: HTTP2Frame.Header, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) throws(HTTP2Fault) {
        if !peer.hasArrived {
            try checkBeginning(bytes, offset)
            guard header.type == HTTP2Frame.settings, !header.has(HTTP2Frame.acknowledgement), header.stream == 0 else {
                throw HTTP2Fault(
                    .protocolError, .invalid("the server does not begin with SETTINGS: it does not speak HTTP/2 here"))
            }
        }
        guard header.length <= HTTP2Settings.Own.frameSize else {
            throw HTTP2Fault(
                .frameSize,
                .invalid("a frame of \(header.length) bytes, and \(HTTP2Settings.Own.frameSize) are allowed"))
        }
        if let block = blockReader.unfinished,
            header.type != HTTP2Frame.continuation || header.stream != block.stream
        {
            throw HTTP2Fault(.protocolError, .invalid("a field section is interrupted by another frame"))
        }
    }

    /// Whether the stream still runs.
    package func isRunning(_ stream: HTTP2Stream) -> Bool { streams.contains(stream) }
}
