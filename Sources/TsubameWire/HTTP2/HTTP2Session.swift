// HTTP2Session: the client's side of one HTTP/2 connection, bytes in, events and bytes out (RFC 9113). No I/O.

package import HTTPTypes
package import TsubameCore

/// One a connection. Whatever is read is given to ``next(_:_:)``; what is to be written, but for the bytes of bodies,
/// gathers in ``output``, in the order in which it must go out.
///
/// A fault of one response ends its stream, and the others go on; a fault of the connection throws, with a GOAWAY in the
/// output, and from then on at every call. What a peer can make the client do for nothing is counted (CVE-2019-9512 and
/// after it): see ``HTTP2Idleness``.
package struct HTTP2Session: ~Copyable {
    package enum Event {
        /// Everything usable is consumed; give more.
        case needsMore
        case informational(HTTP2Stream, ReceivedHead)
        /// Head and whole body: the stream is over.
        case whole(HTTP2Stream, ReceivedHead, body: Bytes)
        /// A body follows; its length, if it is known.
        case head(HTTP2Stream, ReceivedHead, length: Int64?)
        /// Body bytes, as offsets into the buffer given to this call; never empty, already consumed.
        case body(HTTP2Stream, Range<Int>)
        /// The response is complete: the stream is over, and reset if its request was not.
        case end(HTTP2Stream, trailers: HTTPFields?)
        /// The peer has ended the stream, which is over.
        case reset(HTTP2Stream, HTTP2Code)
        /// The response is wrong: the stream is over.
        case failed(HTTP2Stream, WireError)
        /// More may be sent on this stream, or on all.
        case writable(HTTP2Stream?)
        /// The peer's settings have come: more streams may be allowed, or fewer.
        case settings
        /// The peer wants no new streams; those above `last` were not processed (RFC 9113 section 6.8).
        case goAway(last: UInt32, HTTP2Code)
    }

    /// A frame of DATA that is being read.
    struct DataFrame {
        /// nil if nobody wants it.
        var stream: HTTP2Stream?
        var bytes: Int
        var padding: Int
        var isLast: Bool
    }

    /// A field section that CONTINUATION frames complete.
    struct OpenBlock {
        let stream: UInt32
        let endsStream: Bool
        var frames = 1
    }

    /// A body up to this many bytes is copied behind its head.
    static var wholeBody: Int { 16 << 10 }
    /// How many streams may run when the peer has not said (RFC 9113 section 6.5.2 would have it no less than this).
    private static var usualStreams: Int { 100 }
    /// More than this many at once on one connection wait for each other more than they gain.
    private static var mostStreams: Int { 256 }

    var streams = HTTP2StreamTable()
    var peer = HTTP2Settings()
    var hasSettings = false
    var decoder = HPACKDecoder()
    var encoder = HPACKEncoder()
    var fields: DecodedFields
    var requestFields = HTTP2RequestFields()
    let limits: Limits
    /// What the peer lets through for all streams, and what it may still send.
    var sendWindow = 65_535
    var receiveWindow = HTTP2Settings.Own.connectionWindow
    var uncredited = 0
    var data: DataFrame?
    var openBlock: OpenBlock?
    var block: [UInt8] = []
    /// A stream whose end has been read together with its last bytes.
    var ending: HTTP2Stream?
    var idleness = HTTP2Idleness()
    var lastAllowed: UInt32 = .max
    var failure: WireError?

    /// What is to be written next. Whoever has written it, empties it.
    package var output: [UInt8]

    /// - Parameter limits: of what is read before it is known whose it is, and what the peer is told of them.
    package init(limits: Limits) {
        self.limits = limits
        fields = DecodedFields(maxBytes: limits.headBytes, maxFields: limits.headFields)
        output = HTTP2Settings.preface(headBytes: limits.headBytes)
    }

    /// How many streams run.
    package var count: Int { streams.count }

    /// How many more may be begun now.
    package var room: Int {
        guard failure == nil, lastAllowed == .max, !streams.isExhausted else { return 0 }
        let most = Swift.min(peer.maxConcurrentStreams ?? Self.usualStreams, Self.mostStreams)
        return Swift.max(most &- streams.count, 0)
    }

    /// Whether the peer has begun as a peer of HTTP/2 does, with its settings.
    package var hasBegun: Bool { hasSettings }

    /// Whether the peer wants no new streams on this connection.
    package var isGoingAway: Bool { lastAllowed != .max }

    /// - Parameter now: when what comes next was read.
    package mutating func beginRead(at now: MonotonicTime) { idleness.begin(at: now) }

    /// The next event of what has been read.
    /// - Parameters:
    ///   - bytes: what is not yet consumed, and whatever lies before it.
    ///   - offset: where to go on; then, up to where the bytes are consumed.
    /// - Throws: for what ends the connection, of which the peer is told in ``output``.
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

    /// A server that speaks HTTP/1 says so in its first bytes, which are fewer or more than a frame's header.
    private func checkBeginning(_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(HTTP2Fault) {
        guard !hasSettings, bytes.count &- offset >= 5 else { return }
        guard !bytes[offset...].starts(with: "HTTP/".utf8) else { throw Self.isHTTP1 }
    }

    private static var isHTTP1: HTTP2Fault {
        HTTP2Fault(.protocolError, .invalid("the server answers in HTTP/1: it does not speak HTTP/2 here"))
    }

    private func check(
        _ header: HTTP2Frame.Header, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) throws(HTTP2Fault) {
        if !hasSettings {
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
        if let openBlock, header.type != HTTP2Frame.continuation || header.stream != openBlock.stream {
            throw HTTP2Fault(.protocolError, .invalid("a field section is interrupted by another frame"))
        }
    }

    /// Whether it still runs.
    package func isRunning(_ stream: HTTP2Stream) -> Bool { streams.contains(stream) }
}
