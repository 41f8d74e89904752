// What a session makes of each frame (RFC 9113 section 6).

import HTTPTypes
import TsubameCore

extension HTTP2Session {
    private static func broken(_ what: String) -> HTTP2Fault { HTTP2Fault(.protocolError, .invalid(what)) }

    private static func wrongSize(_ frame: String, _ length: Int) -> HTTP2Fault {
        HTTP2Fault(.frameSize, .invalid("a \(frame) frame of \(length) bytes"))
    }

    /// A frame on a stream that does not run: one that is over may still get some; one that was never begun must not.
    /// - Parameter data: how many bytes of DATA it has, if it is such a frame.
    private mutating func ignore(_ stream: UInt32, _ frame: String, data: Int? = nil) throws(HTTP2Fault) {
        guard stream & 1 == 1, stream <= streams.last else {
            throw Self.broken("a \(frame) frame on stream \(stream), which was never begun")
        }
        if let data { try idleness.add(lateData: data) } else { try idleness.add() }
    }

    /// Ends a stream whose response is wrong.
    private mutating func fail(_ stream: HTTP2Stream, _ code: HTTP2Code, _ error: WireError) -> Event {
        reset(stream, code)
        return .failed(stream, error)
    }

    private mutating func fail(_ stream: HTTP2Stream, _ what: String) -> Event {
        fail(stream, .protocolError, .invalid(what))
    }

    // MARK: DATA (section 6.1)

    /// - Returns: whether the frame has begun, or more is needed; and what it is the end of.
    mutating func beginData(
        _ header: HTTP2Frame.Header, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(HTTP2Fault) -> (hasBegun: Bool, event: Event?) {
        var size = HTTP2Frame.Header.size
        var padding = 0
        if header.has(HTTP2Frame.padded) {
            guard header.length > 0 else { throw Self.wrongSize("DATA", header.length) }
            guard bytes.count &- offset > size else { return (false, nil) }
            padding = Int(bytes[offset &+ size])
            guard padding < header.length else { throw Self.broken("a DATA frame has more padding than bytes") }
            size &+= 1
        }
        offset &+= size
        let count = header.length &- padding &- (size &- HTTP2Frame.Header.size)
        try receive(header.length)
        data = DataFrame(bytes: count, padding: padding, isLast: header.has(HTTP2Frame.endStream))
        guard let stream = streams.find(header.stream) else {
            try ignore(header.stream, "DATA", data: count)
            return (true, nil)
        }
        guard streams[stream].expected == .body else { return (true, fail(stream, "a body begins before its head")) }
        guard streams[stream].receiveWindow >= header.length else {
            return (true, fail(stream, .flowControl, .invalid("the server sends more than it may (flow control)")))
        }
        streams[stream].receiveWindow &-= header.length
        if count > 0 {
            if streams[stream].isBodiless { return (true, fail(stream, "a response that has no body has one")) }
            if streams[stream].remaining >= 0 {
                guard Int64(count) <= streams[stream].remaining else {
                    return (true, fail(stream, "the body is longer than its Content-Length"))
                }
                streams[stream].remaining &-= Int64(count)
            }
        }
        if count > 0 || header.has(HTTP2Frame.endStream) { idleness.end() } else { try idleness.add() }
        if !header.has(HTTP2Frame.endStream) { credit(stream, header.length) }
        data?.stream = stream
        return (true, nil)
    }

    /// What the connection's window lets through; it is given back at once.
    private mutating func receive(_ count: Int) throws(HTTP2Fault) {
        guard receiveWindow >= count else {
            throw HTTP2Fault(.flowControl, .invalid("the server sends more than it may on all streams (flow control)"))
        }
        take(count)
    }

    private mutating func take(_ count: Int) {
        receiveWindow &-= count
        uncredited &+= count
        guard uncredited >= HTTP2Settings.Own.connectionWindow / 2 else { return }
        sendWindowUpdate(0, uncredited)
        receiveWindow &+= uncredited
        uncredited = 0
    }

    /// The next part of the frame that is being read; nil if there is none that anybody wants. The frame is over when
    /// `data` is nil.
    mutating func readData(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Event? {
        while let frame = data {
            let isBody = frame.bytes > 0
            let count = Swift.min(isBody ? frame.bytes : frame.padding, bytes.count &- offset)
            let range = offset..<(offset &+ count)
            offset &+= count
            if isBody { data?.bytes &-= count } else { data?.padding &-= count }
            if frame.bytes &+ frame.padding == count {
                data = nil
                if frame.isLast { ending = frame.stream }
            }
            if isBody, count > 0, let stream = frame.stream, streams.contains(stream) { return .body(stream, range) }
            if count == 0 { return nil }
        }
        return nil
    }

    /// The peer has ended the stream behind its DATA; nil if it is over already.
    mutating func finish(_ stream: HTTP2Stream) -> Event? {
        guard streams.contains(stream) else { return nil }
        if let event = endTooEarly(stream) { return event }
        close(stream)
        return .end(stream, trailers: nil)
    }

    private mutating func endTooEarly(_ stream: HTTP2Stream) -> Event? {
        let rest = streams[stream].remaining
        guard rest > 0 else { return nil }
        return fail(
            stream, .protocolError,
            .incomplete("the server ended the stream \(rest) bytes before the end of the body"))
    }

    /// A response is complete. Whatever is still to come of the request is not wanted (section 8.1).
    private mutating func close(_ stream: HTTP2Stream) {
        if streams[stream].hasEnded {
            streams.remove(stream)
        } else {
            reset(stream, .noError)
        }
    }

    // MARK: The others

    /// - Parameters:
    ///   - bytes: all that has been read, of which a response's body may be taken with its head.
    ///   - offset: behind the frame.
    mutating func read(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(HTTP2Fault) -> Event? {
        switch header.type {
        case HTTP2Frame.headers: return try readHeaders(header, payload, bytes, &offset)
        case HTTP2Frame.continuation: return try readContinuation(header, payload, bytes, &offset)
        case HTTP2Frame.resetStream: return try readReset(header, payload)
        case HTTP2Frame.settings: return try readSettings(header, payload)
        case HTTP2Frame.windowUpdate: return try readWindowUpdate(header, payload)
        case HTTP2Frame.goAway: return try readGoAway(header, payload)
        case HTTP2Frame.ping:
            guard header.length == 8 else { throw Self.wrongSize("PING", header.length) }
            guard header.stream == 0 else { throw Self.broken("a PING frame on a stream") }
            try idleness.add()
            if !header.has(HTTP2Frame.acknowledgement) { sendPong(payload) }
        case HTTP2Frame.priority:
            guard header.length == 5 else { throw Self.wrongSize("PRIORITY", header.length) }
            guard header.stream != 0 else { throw Self.broken("a PRIORITY frame on no stream") }
            try idleness.add()
        case HTTP2Frame.pushPromise:
            throw Self.broken("the server promises a push, which it was told not to")
        default: try idleness.add()
        }
        return nil
    }

    private mutating func readReset(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard payload.count == 4 else { throw Self.wrongSize("RST_STREAM", header.length) }
        guard let stream = streams.find(header.stream) else {
            try ignore(header.stream, "RST_STREAM")
            return nil
        }
        streams.remove(stream)
        return .reset(stream, HTTP2Code(rawValue: payload.word(at: 0)))
    }

    private mutating func readSettings(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard header.stream == 0 else { throw Self.broken("a SETTINGS frame on a stream") }
        if hasSettings { try idleness.add() }
        if header.has(HTTP2Frame.acknowledgement) {
            guard payload.count == 0 else { throw Self.wrongSize("SETTINGS", header.length) }
            return nil
        }
        guard payload.count % 6 == 0 else { throw Self.wrongSize("SETTINGS", header.length) }
        let window = peer.initialWindowSize
        try peer.read(payload)
        if peer.initialWindowSize != window { try streams.widenAll(by: peer.initialWindowSize &- window) }
        encoder.setPeerTableSize(peer.smallestTableSize)
        encoder.setPeerTableSize(peer.headerTableSize)
        hasSettings = true
        sendSettingsAcknowledgement()
        return .settings
    }

    private mutating func readWindowUpdate(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard payload.count == 4 else { throw Self.wrongSize("WINDOW_UPDATE", header.length) }
        let count = Int(payload.word(at: 0) & 0x7FFF_FFFF)
        if header.stream == 0 {
            try idleness.add()
            guard count > 0 else { throw Self.broken("a WINDOW_UPDATE by nothing") }
            guard sendWindow &+ count <= 0x7FFF_FFFF else {
                throw HTTP2Fault(.flowControl, .invalid("the connection's window is widened beyond 2^31 - 1"))
            }
            sendWindow &+= count
            return .writable(nil)
        }
        guard let stream = streams.find(header.stream) else {
            try ignore(header.stream, "WINDOW_UPDATE")
            return nil
        }
        try idleness.add()
        guard count > 0 else { return fail(stream, "a WINDOW_UPDATE by nothing") }
        guard streams[stream].sendWindow &+ count <= 0x7FFF_FFFF else {
            return fail(stream, .flowControl, .invalid("the stream's window is widened beyond 2^31 - 1"))
        }
        streams[stream].sendWindow &+= count
        return .writable(stream)
    }

    private mutating func readGoAway(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard payload.count >= 8 else { throw Self.wrongSize("GOAWAY", header.length) }
        guard header.stream == 0 else { throw Self.broken("a GOAWAY frame on a stream") }
        try idleness.add()
        let last = payload.word(at: 0) & 0x7FFF_FFFF
        lastAllowed = Swift.min(lastAllowed, last)
        return .goAway(last: lastAllowed, HTTP2Code(rawValue: payload.word(at: 4)))
    }

    // MARK: HEADERS and CONTINUATION (sections 6.2 and 6.10)

    private mutating func readHeaders(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(HTTP2Fault) -> Event? {
        var (start, end) = (0, payload.count)
        if header.has(HTTP2Frame.padded) {
            guard let padding = payload.first, Int(padding) < end else {
                throw Self.broken("a HEADERS frame has more padding than bytes")
            }
            (start, end) = (1, end &- Int(padding))
        }
        if header.has(HTTP2Frame.hasPriority) { start &+= 5 }
        guard start <= end else { throw Self.wrongSize("HEADERS", header.length) }
        let fragment = UnsafeRawBufferPointer(rebasing: payload[start..<end])
        let endsStream = header.has(HTTP2Frame.endStream)
        guard header.has(HTTP2Frame.endHeaders) else {
            openBlock = OpenBlock(stream: header.stream, endsStream: endsStream)
            block.removeAll(keepingCapacity: true)
            block.append(contentsOf: fragment)
            return nil
        }
        return try decode(fragment, header.stream, endsStream: endsStream, bytes, &offset)
    }

    private mutating func readContinuation(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(HTTP2Fault) -> Event? {
        guard let open = openBlock else { throw Self.broken("a CONTINUATION of nothing") }
        openBlock?.frames &+= 1
        // CVE-2024-27316 and its kin.
        let most = streams.find(open.stream).map { streams[$0].limits.headBytes } ?? limits.headBytes
        guard open.frames < 128, block.count &+ payload.count <= most else {
            throw HTTP2Fault(
                .enhanceYourCalm,
                .limit("a head is longer than \(most) bytes, or in more than 128 parts (limits.headBytes)"))
        }
        block.append(contentsOf: payload)
        guard header.has(HTTP2Frame.endHeaders) else { return nil }
        openBlock = nil
        let whole = block
        return try whole.withUnsafeBufferPointer { fragment throws(HTTP2Fault) in
            try decode(UnsafeRawBufferPointer(fragment), open.stream, endsStream: open.endsStream, bytes, &offset)
        }
    }

    private mutating func decode(
        _ fragment: UnsafeRawBufferPointer, _ id: UInt32, endsStream: Bool, _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(HTTP2Fault) -> Event? {
        let stream = streams.find(id)
        let isHead = stream.map { streams[$0].expected == .head } ?? true
        let limits = stream.map { streams[$0].limits } ?? limits
        fields.removeAll(maxBytes: isHead ? limits.headBytes : limits.trailerBytes, maxFields: limits.headFields)
        do throws(WireError) {
            // Also of a stream that is over: the table must stay in step.
            try decoder.decode(fragment, into: &fields)
        } catch {
            throw HTTP2Fault(.compression, error)
        }
        guard let stream else {
            try ignore(id, "HEADERS")
            return nil
        }
        if let excess = fields.excess {
            return fail(stream, .enhanceYourCalm, Self.tooLarge(excess, isHead, limits))
        }
        do throws(WireError) {
            return isHead
                ? try readHead(of: stream, endsStream, bytes, &offset) : try readTrailers(of: stream, endsStream)
        } catch {
            return fail(stream, error.kind == .limitExceeded ? .enhanceYourCalm : .protocolError, error)
        }
    }

    private static func tooLarge(_ excess: DecodedFields.Excess, _ isHead: Bool, _ limits: Limits) -> WireError {
        let what = isHead ? "the response's head" : "the trailer section"
        switch excess {
        case .fields: return .limit("\(what) has more than \(limits.headFields) fields (limits.headFields)")
        case .bytes where isHead: return .limit("\(what) is longer than \(limits.headBytes) bytes (limits.headBytes)")
        case .bytes: return .limit("\(what) is longer than \(limits.trailerBytes) bytes (limits.trailerBytes)")
        }
    }

    private mutating func readTrailers(of stream: HTTP2Stream, _ endsStream: Bool) throws(WireError) -> Event {
        guard endsStream else { throw .invalid("there is a second head, which is no trailer section") }
        if let event = endTooEarly(stream) { return event }
        let trailers = try HTTP2FieldCheck.trailers(fields.slots, fields.bytes, streams[stream].limits)
        close(stream)
        idleness.end()
        return .end(stream, trailers: trailers)
    }

    private mutating func readHead(
        of stream: HTTP2Stream, _ endsStream: Bool, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(WireError) -> Event {
        let head = try HTTP2FieldCheck.head(fields.slots, fields.bytes, streams[stream].limits)
        if head.status < 200 { return try readInformational(head, of: stream, endsStream) }
        idleness.end()
        let isBodiless = streams[stream].isHead || head.status == 204 || head.status == 304
        let length = isBodiless ? nil : head.length
        if endsStream {
            guard (length ?? 0) == 0 else {
                throw .incomplete("the server ended the stream \(length ?? 0) bytes before the end of the body")
            }
            close(stream)
            return .whole(stream, received(head), body: Bytes())
        }
        let dataStart = offset &+ HTTP2Frame.Header.size
        if let count = wholeBody(of: stream, isBodiless ? 0 : length, bytes, offset) {
            offset = dataStart &+ count
            take(count)
            close(stream)
            let size = fields.bytes.count
            let received = received(head, UnsafeRawBufferPointer(rebasing: bytes[dataStart..<offset]))
            return .whole(stream, received, body: count > 0 ? received.bytes(size..<(size &+ count)) : Bytes())
        }
        streams[stream].expected = .body
        streams[stream].isBodiless = isBodiless
        streams[stream].remaining = length ?? -1
        return .head(stream, received(head), length: length)
    }

    /// How many bytes the one frame of DATA behind the head has, if it is there, is all there is, and is short.
    private func wholeBody(
        of stream: HTTP2Stream, _ length: Int64?, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Int? {
        guard bytes.count &- offset >= HTTP2Frame.Header.size, let base = bytes.baseAddress else { return nil }
        let header = HTTP2Frame.Header(base + offset)
        guard header.type == HTTP2Frame.data, header.flags == HTTP2Frame.endStream, header.stream == stream.id,
            header.length <= Self.wholeBody, header.length <= bytes.count &- offset &- HTTP2Frame.Header.size,
            header.length <= Swift.min(receiveWindow, streams[stream].receiveWindow),
            length == nil || length == Int64(header.length)
        else { return nil }
        return header.length
    }

    private mutating func readInformational(
        _ head: HTTP2FieldCheck.Head, of stream: HTTP2Stream, _ endsStream: Bool
    ) throws(WireError) -> Event {
        guard head.status != 101 else {
            throw .invalid("the server switched protocols (101), which HTTP/2 does not have")
        }
        guard !endsStream else { throw .incomplete("the server ended the stream after an informational response") }
        streams[stream].informationals &+= 1
        let most = streams[stream].limits.informationalResponses
        guard streams[stream].informationals <= most else {
            throw .limit("there are more than \(most) informational responses (limits.informationalResponses)")
        }
        return .informational(stream, received(head))
    }

    /// - Parameter body: what is copied behind the head.
    private func received(_ head: HTTP2FieldCheck.Head, _ body: UnsafeRawBufferPointer? = nil) -> ReceivedHead {
        func received(_ slots: UnsafeBufferPointer<FieldSlot>) -> ReceivedHead {
            ReceivedHead(
                status: head.status, version: .http2, reason: 0..<0, slots: slots, bytes: fields.bytes, behind: body)
        }
        if let slots = head.slots { return slots.withUnsafeBufferPointer { received($0) } }
        return received(UnsafeBufferPointer(rebasing: fields.slots.dropFirst()))
    }
}

extension UnsafeRawBufferPointer {
    /// - Parameter offset: four bytes from there on are there.
    fileprivate func word(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
