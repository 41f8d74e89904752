// HTTP2Session+Heads: reads HEADERS and CONTINUATION frames (RFC 9113 sections 6.2 and 6.10).

import HTTPTypes
import TsubameCore

extension HTTP2Session {
    mutating func readHeaders(
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
            blockReader.begin(fragment, stream: header.stream, endsStream: endsStream)
            return nil
        }
        return try decode(fragment, header.stream, endsStream: endsStream, bytes, &offset)
    }

    mutating func readContinuation(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(HTTP2Fault) -> Event? {
        guard let block = blockReader.unfinished else {
            throw Self.broken("a CONTINUATION frame without a HEADERS frame before it")
        }
        let most = streams.find(block.stream).map { streams[$0].limits.headBytes } ?? limits.headBytes
        try blockReader.add(payload, most: most)
        guard header.has(HTTP2Frame.endHeaders) else { return nil }
        let (id, endsStream) = (block.stream, block.endsStream)
        return try blockReader.end().withUnsafeBufferPointer { whole throws(HTTP2Fault) in
            try decode(UnsafeRawBufferPointer(whole), id, endsStream: endsStream, bytes, &offset)
        }
    }

    private mutating func decode(
        _ fragment: UnsafeRawBufferPointer, _ id: UInt32, endsStream: Bool, _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(HTTP2Fault) -> Event? {
        let stream = streams.find(id)
        let isHead = stream.map { streams[$0].expected == .head } ?? true
        let limits = stream.map { streams[$0].limits } ?? limits
        // The block of a stream that is over is decoded too, because the table must stay in step with the peer's.
        try blockReader.decode(fragment, isHead: isHead, limits: limits)
        guard let stream else {
            try ignore(id, "HEADERS")
            return nil
        }
        if let excess = blockReader.fields.excess {
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
        let trailers = try HTTP2FieldCheck.trailers(
            blockReader.fields.slots, blockReader.fields.bytes, streams[stream].limits)
        close(stream)
        floodGuard.end()
        return .end(stream, trailers: trailers)
    }

    private mutating func readHead(
        of stream: HTTP2Stream, _ endsStream: Bool, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(WireError) -> Event {
        let head = try HTTP2FieldCheck.head(blockReader.fields.slots, blockReader.fields.bytes, streams[stream].limits)
        if head.status < 200 { return try readInformational(head, of: stream, endsStream) }
        floodGuard.end()
        let isBodiless = streams[stream].isHead || head.status == 204 || head.status == 304
        let length = isBodiless ? nil : head.length
        if endsStream {
            guard (length ?? 0) == 0 else {
                throw .incomplete("the server ended the stream \(length ?? 0) bytes before the end of the body")
            }
            close(stream)
            return .whole(stream, receivedHead(head), body: Bytes())
        }
        let dataStart = offset &+ HTTP2Frame.Header.size
        if let count = wholeBody(of: stream, isBodiless ? 0 : length, bytes, offset) {
            offset = dataStart &+ count
            receive(count)
            close(stream)
            let size = blockReader.fields.bytes.count
            let whole = receivedHead(head, UnsafeRawBufferPointer(rebasing: bytes[dataStart..<offset]))
            return .whole(stream, whole, body: count > 0 ? whole.bytes(size..<(size &+ count)) : Bytes())
        }
        streams[stream].expected = .body
        streams[stream].isBodiless = isBodiless
        streams[stream].remaining = length ?? -1
        return .head(stream, receivedHead(head), length: length)
    }

    /// The length of the one DATA frame after the head, if it has arrived, is short, and carries the whole body.
    private func wholeBody(
        of stream: HTTP2Stream, _ length: Int64?, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Int? {
        guard bytes.count &- offset >= HTTP2Frame.Header.size, let base = bytes.baseAddress else { return nil }
        let header = HTTP2Frame.Header(base + offset)
        guard header.type == HTTP2Frame.data, header.flags == HTTP2Frame.endStream, header.stream == stream.id,
            header.length <= Self.wholeBody, header.length <= bytes.count &- offset &- HTTP2Frame.Header.size,
            header.length <= Swift.min(window.receivable, streams[stream].window.receivable),
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
        return .informational(stream, receivedHead(head))
    }

    /// - Parameter body: bytes to copy after the head.
    private func receivedHead(_ head: HTTP2FieldCheck.Head, _ body: UnsafeRawBufferPointer? = nil) -> ReceivedHead {
        let bytes = blockReader.fields.bytes
        func receivedHead(_ slots: UnsafeBufferPointer<FieldSlot>) -> ReceivedHead {
            ReceivedHead(
                status: head.status, version: .http2, reason: 0..<0, slots: slots, bytes: bytes, behind: body)
        }
        if let slots = head.slots { return slots.withUnsafeBufferPointer { receivedHead($0) } }
        return receivedHead(UnsafeBufferPointer(rebasing: blockReader.fields.slots.dropFirst()))
    }
}
