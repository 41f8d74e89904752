// HTTP2Session+Receiving: handles each frame that a session receives (RFC 9113 section 6).

import HTTPTypes
import TsubameCore

extension HTTP2Session {
    static func broken(_ what: String) -> HTTP2Fault { HTTP2Fault(.protocolError, .invalid(what)) }

    static func wrongSize(_ frame: String, _ length: Int) -> HTTP2Fault {
        HTTP2Fault(.frameSize, .invalid("a \(frame) frame of \(length) bytes"))
    }

    /// Ignores a frame on a stream that does not run. A stream that is over may still receive frames. A frame on a
    /// stream that was never opened is an error.
    /// - Parameter data: the number of body bytes, if this is a DATA frame.
    mutating func ignore(_ stream: UInt32, _ frame: String, data: Int? = nil) throws(HTTP2Fault) {
        guard stream & 1 == 1, stream <= streams.last else {
            throw Self.broken("a \(frame) frame on stream \(stream), which was never begun")
        }
        if let data { try floodGuard.add(lateData: data) } else { try floodGuard.add() }
    }

    /// Resets a stream whose response is wrong.
    mutating func fail(_ stream: HTTP2Stream, _ code: HTTP2Code, _ error: WireError) -> Event {
        reset(stream, code)
        return .failed(stream, error)
    }

    mutating func fail(_ stream: HTTP2Stream, _ what: String) -> Event {
        fail(stream, .protocolError, .invalid(what))
    }

    // MARK: DATA (section 6.1)

    /// - Returns: `hasBegun` is false if more bytes are needed. `event` is the failure of the stream, if the frame is
    ///   wrong.
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
        guard window.receivable >= header.length else {
            throw HTTP2Fault(.flowControl, .invalid("the server sends more than it may on all streams (flow control)"))
        }
        receive(header.length)
        data = DataFrame(bytes: count, padding: padding, isLast: header.has(HTTP2Frame.endStream))
        guard let stream = streams.find(header.stream) else {
            try ignore(header.stream, "DATA", data: count)
            return (true, nil)
        }
        guard streams[stream].expected == .body else { return (true, fail(stream, "a body begins before its head")) }
        guard streams[stream].window.receivable >= header.length else {
            return (true, fail(stream, .flowControl, .invalid("the server sends more than it may (flow control)")))
        }
        streams[stream].window.receive(header.length, isPadded: header.has(HTTP2Frame.padded))
        if count > 0 {
            if streams[stream].isBodiless { return (true, fail(stream, "the response must have no body, but has one")) }
            if streams[stream].remaining >= 0 {
                guard Int64(count) <= streams[stream].remaining else {
                    return (true, fail(stream, "the body is longer than its Content-Length"))
                }
                streams[stream].remaining &-= Int64(count)
            }
        }
        if count > 0 || header.has(HTTP2Frame.endStream) { floodGuard.end() } else { try floodGuard.add() }
        // No reader gets to know of a frame that is only padding.
        if count == 0, !header.has(HTTP2Frame.endStream) { refill(stream) }
        data?.stream = stream
        return (true, nil)
    }

    /// Counts received bytes against the window of the connection.
    mutating func receive(_ count: Int) {
        if let credit = window.receive(count) { sendWindowUpdate(0, credit) }
    }

    /// Reads the next part of the current DATA frame; nil if no running stream takes it. The frame is over when `data`
    /// is nil.
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

    /// Finishes a stream that the peer has ended with its DATA; nil if the stream is already over.
    mutating func finish(_ stream: HTTP2Stream) -> Event? {
        guard streams.contains(stream) else { return nil }
        if let event = endTooEarly(stream) { return event }
        close(stream)
        return .end(stream, trailers: nil)
    }

    mutating func endTooEarly(_ stream: HTTP2Stream) -> Event? {
        let rest = streams[stream].remaining
        guard rest > 0 else { return nil }
        return fail(
            stream, .protocolError,
            .incomplete("the server ended the stream \(rest) bytes before the end of the body"))
    }

    /// Closes a stream whose response is complete. If the request is incomplete, its rest is not wanted, and the stream
    /// is reset (section 8.1).
    mutating func close(_ stream: HTTP2Stream) {
        if streams[stream].hasEnded {
            streams.remove(stream)
        } else {
            reset(stream, .noError)
        }
    }

    // MARK: Other frames

    /// - Parameters:
    ///   - bytes: all bytes that have been read. The body of a response may be taken from them together with its head.
    ///   - offset: the offset after the frame.
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
            try floodGuard.add()
            if !header.has(HTTP2Frame.acknowledgement) { sendPong(payload) }
        case HTTP2Frame.priority:
            guard header.length == 5 else { throw Self.wrongSize("PRIORITY", header.length) }
            guard header.stream != 0 else { throw Self.broken("a PRIORITY frame on no stream") }
            try floodGuard.add()
        case HTTP2Frame.pushPromise:
            throw Self.broken("the server promises a push, which the client disabled")
        default: try floodGuard.add()
        }
        return nil
    }

    mutating func readReset(
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

    mutating func readSettings(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard header.stream == 0 else { throw Self.broken("a SETTINGS frame on a stream") }
        if peer.hasArrived { try floodGuard.add() }
        if header.has(HTTP2Frame.acknowledgement) {
            guard payload.count == 0 else { throw Self.wrongSize("SETTINGS", header.length) }
            return nil
        }
        guard payload.count % 6 == 0 else { throw Self.wrongSize("SETTINGS", header.length) }
        let window = peer.initialWindowSize
        try peer.read(payload)
        if peer.initialWindowSize != window { try streams.widenAll(by: peer.initialWindowSize &- window) }
        blockWriter.adopt(peer)
        sendSettingsAcknowledgement()
        return .settings
    }

    mutating func readWindowUpdate(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard payload.count == 4 else { throw Self.wrongSize("WINDOW_UPDATE", header.length) }
        let count = Int(payload.word(at: 0) & 0x7FFF_FFFF)
        if header.stream == 0 {
            try floodGuard.add()
            guard count > 0 else { throw Self.broken("a WINDOW_UPDATE frame with an increment of 0") }
            try window.widen(by: count)
            return .writable(nil)
        }
        guard let stream = streams.find(header.stream) else {
            try ignore(header.stream, "WINDOW_UPDATE")
            return nil
        }
        try floodGuard.add()
        guard count > 0 else { return fail(stream, "a WINDOW_UPDATE frame with an increment of 0") }
        guard let window = HTTP2Settings.window(streams[stream].sendWindow, widenedBy: count) else {
            return fail(stream, .flowControl, .invalid("the stream's window is widened beyond 2^31 - 1"))
        }
        streams[stream].sendWindow = window
        return .writable(stream)
    }

    /// RFC 9113 section 6.8.
    mutating func readGoAway(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard payload.count >= 8 else { throw Self.wrongSize("GOAWAY", header.length) }
        guard header.stream == 0 else { throw Self.broken("a GOAWAY frame on a stream") }
        try floodGuard.add()
        let last = payload.word(at: 0) & 0x7FFF_FFFF
        lastAllowed = Swift.min(lastAllowed, last)
        return .goAway(last: lastAllowed, HTTP2Code(rawValue: payload.word(at: 4)))
    }
}

extension UnsafeRawBufferPointer {
    /// - Parameter offset: the start of four readable bytes.
    func word(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
