// HTTP2Session+Sending: writes the frames that a session sends.

package import HTTPTypes
package import TsubameCore

extension HTTP2Session {
    // MARK: Requests (RFC 9113 section 8.3.1)

    /// Opens a stream with the head of a request.
    /// - Parameters:
    ///   - length: the length of the body in bytes; nil if there is no body or its length is unknown.
    ///   - limits: the limits of the response.
    ///   - sharesFields: whether many requests have `headers` in common, with the same storage.
    ///   - endsStream: whether neither a body nor trailers follow.
    /// - Throws: kind `invalidRequest` if the head would not arrive as this one request; the connection does not change
    ///   then. Kind `connectionLost` if no stream number is left.
    package mutating func open(
        method: String, isSecure: Bool, authority: String, target: String, headers: HTTPFields, length: Int64?,
        limits: Limits, sharesFields: Bool = false, endsStream: Bool
    ) throws(WireError) -> HTTP2Stream {
        let head = HTTP2FieldBlockWriter.Head(
            method: method, isSecure: isSecure, authority: authority, target: target, headers: headers, length: length,
            sharesFields: sharesFields)
        try blockWriter.check(head)
        var state = HTTP2StreamState()
        state.isHead = method == "HEAD"
        state.hasEnded = endsStream
        state.sendWindow = peer.initialWindowSize
        state.limits = limits
        guard let stream = streams.add(state) else {
            throw WireError(.connectionLost, "the connection has used all its stream numbers")
        }
        let start = output.count
        output.append(HTTP2Frame.Header(length: 0, type: HTTP2Frame.headers, flags: 0, stream: stream.id))
        blockWriter.write(head, into: &output)
        endBlock(from: start, of: stream, endsStream)
        return stream
    }

    /// Ends a stream with trailers.
    package mutating func sendTrailers(_ trailers: HTTPFields, on stream: HTTP2Stream) throws(WireError) {
        guard streams.contains(stream) else { return }
        try blockWriter.check(trailers: trailers)
        streams[stream].hasEnded = true
        let start = output.count
        output.append(HTTP2Frame.Header(length: 0, type: HTTP2Frame.headers, flags: 0, stream: stream.id))
        blockWriter.writeTrailers(into: &output)
        endBlock(from: start, of: stream, true)
    }

    /// Writes the header of the frame, because its length is now known. A block that exceeds one frame continues in
    /// CONTINUATION frames.
    private mutating func endBlock(from start: Int, of stream: HTTP2Stream, _ endsStream: Bool) {
        let size = HTTP2Frame.Header.size
        let length = output.count &- start &- size
        let end = endsStream ? HTTP2Frame.endStream : 0
        guard length > peer.maxFrameSize else {
            return write(
                HTTP2Frame.Header(
                    length: length, type: HTTP2Frame.headers, flags: end | HTTP2Frame.endHeaders, stream: stream.id),
                at: start)
        }
        write(
            HTTP2Frame.Header(length: peer.maxFrameSize, type: HTTP2Frame.headers, flags: end, stream: stream.id),
            at: start)
        let rest = Array(output[(start &+ size &+ peer.maxFrameSize)...])
        output.removeLast(rest.count)
        var at = 0
        while at < rest.count {
            let count = Swift.min(rest.count &- at, peer.maxFrameSize)
            let flags = at &+ count == rest.count ? HTTP2Frame.endHeaders : 0
            output.append(
                HTTP2Frame.Header(length: count, type: HTTP2Frame.continuation, flags: flags, stream: stream.id))
            output.append(contentsOf: rest[at..<(at &+ count)])
            at &+= count
        }
    }

    private mutating func write(_ header: HTTP2Frame.Header, at offset: Int) {
        output.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress, offset &+ HTTP2Frame.Header.size <= bytes.count else { return }
            header.write(to: base + offset)
        }
    }

    // MARK: Bodies

    /// The number of body bytes that can be sent on the stream now, in one frame.
    package func sendable(on stream: HTTP2Stream) -> Int {
        guard streams.contains(stream) else { return 0 }
        // Longer frames would delay other streams.
        let frame = Swift.min(peer.maxFrameSize, 64 << 10)
        return Swift.max(Swift.min(streams[stream].sendWindow, window.sendable, frame), 0)
    }

    /// Returns the header of a DATA frame, and counts its bytes as sent.
    /// - Parameter count: the number of bytes, at most ``sendable(on:)``.
    package mutating func beginData(_ count: Int, endsStream: Bool, on stream: HTTP2Stream) -> HTTP2Frame.Header {
        if streams.contains(stream) {
            streams[stream].sendWindow &-= count
            window.send(count)
            if endsStream { streams[stream].hasEnded = true }
            floodGuard.end()
        }
        return HTTP2Frame.Header(
            length: count, type: HTTP2Frame.data, flags: endsStream ? HTTP2Frame.endStream : 0, stream: stream.id)
    }

    // MARK: Other frames

    /// Resets a stream whose remaining frames are not needed.
    package mutating func reset(_ stream: HTTP2Stream, _ code: HTTP2Code) {
        guard streams.contains(stream) else { return }
        streams.remove(stream)
        // Frames of a stream that the client gives up may be on their way. They are no flood.
        if code == .cancel { floodGuard.end() }
        output.append(HTTP2Frame.Header(length: 4, type: HTTP2Frame.resetStream, flags: 0, stream: stream.id))
        output.append(bigEndian: code.rawValue)
    }

    /// Removes a stream that the peer has said it did not process.
    package mutating func forget(_ stream: HTTP2Stream) { streams.remove(stream) }

    package func isPaused(_ stream: HTTP2Stream) -> Bool { streams.contains(stream) && streams[stream].isPaused }

    /// Pauses a stream, whose window is then not given back as it is used.
    package mutating func pause(_ stream: HTTP2Stream) {
        if streams.contains(stream) { streams[stream].isPaused = true }
    }

    /// Ends the pause of a stream.
    /// - Parameter wasSlow: whether the reader took long. The window is then as small as at first.
    package mutating func resume(_ stream: HTTP2Stream, wasSlow: Bool) {
        guard streams.contains(stream) else { return }
        streams[stream].isPaused = false
        if wasSlow { streams[stream].window.shrink() }
        refill(stream)
    }

    /// Gives a stream whose body is collected its largest window, with the next ``refill(_:)``. No reader can be slow there.
    package mutating func widen(_ stream: HTTP2Stream) {
        if streams.contains(stream) { streams[stream].window.widen() }
    }

    /// Fills the window of a stream up, unless its reader has paused. The connection calls this after each read, when it
    /// is known whether the reader has.
    package mutating func refill(_ stream: HTTP2Stream) {
        guard streams.contains(stream), !streams[stream].isPaused else { return }
        if let more = streams[stream].window.refill(streams[stream].remaining) { sendWindowUpdate(stream.id, more) }
    }

    mutating func sendWindowUpdate(_ stream: UInt32, _ count: Int) {
        output.append(HTTP2Frame.Header(length: 4, type: HTTP2Frame.windowUpdate, flags: 0, stream: stream))
        output.append(bigEndian: UInt32(clamping: count))
    }

    mutating func sendSettingsAcknowledgement() {
        output.append(
            HTTP2Frame.Header(length: 0, type: HTTP2Frame.settings, flags: HTTP2Frame.acknowledgement, stream: 0))
    }

    /// Writes a GOAWAY, which ends the connection. The last stream in it is 0, because the peer opens none.
    package mutating func sendGoAway(_ code: HTTP2Code) {
        output.append(HTTP2Frame.Header(length: 8, type: HTTP2Frame.goAway, flags: 0, stream: 0))
        output.append(bigEndian: UInt32(0))
        output.append(bigEndian: code.rawValue)
    }

    mutating func sendPong(_ payload: UnsafeRawBufferPointer) {
        output.append(HTTP2Frame.Header(length: 8, type: HTTP2Frame.ping, flags: HTTP2Frame.acknowledgement, stream: 0))
        output.append(contentsOf: payload)
    }
}
