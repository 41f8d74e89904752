// ReplyWriter: writes the parts of a reply in the form of HTTP/1.1 or as the frames of an HTTP/2 stream.
#if TestServer

internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Confined to the event loop of its connection.
final class ReplyWriter {
    /// A part of a reply that is written at once.
    enum Part {
        case head(Reply.Step.Head)
        case content([UInt8])
        /// A piece of a long body.
        case buffer(ByteBuffer)
        /// A chunk whose size is that of all bytes, of which only the first are sent.
        case chunk([UInt8], sending: Int)
        case lastChunk([ReceivedRequest.Field])
        /// Exact bytes, in one write of the socket.
        case raw([[UInt8]])
        case resetStream(UInt32)
        case goAway(UInt32, lastStream: Int?)
    }

    private let channel: any Channel
    private let output: ConnectionOutput
    private let stream: HTTP2StreamID?
    /// Whether the final head has been sent over HTTP/2, and the stream has not been ended.
    private var isStreamOpen = false
    /// Whether the stream has been ended by the reply: at the end of its response, by a reset, or by GOAWAY.
    private(set) var hasEndedStream = false

    /// - Parameters:
    ///   - channel: the connection, or its HTTP/2 stream.
    ///   - stream: the number of the stream; nil for HTTP/1.1.
    init(_ channel: any Channel, output: ConnectionOutput, stream: HTTP2StreamID? = nil) {
        self.channel = channel
        self.output = output
        self.stream = stream
    }

    var isHTTP2: Bool { stream != nil }

    func write(_ part: Part, promise: EventLoopPromise<Void>) {
        switch part {
        case .raw(let pieces): output.write(pieces.map { channel.allocator.buffer(bytes: $0) }, promise: promise)
        case .goAway(let code, let last):
            let last = last.map { HTTP2StreamID(min(max($0, 0), Int(Int32.max))) } ?? stream ?? .rootStream
            // A lower number ends the stream, but not the reply.
            if let stream, last < stream { hasEndedStream = true }
            output.scriptedGoAways += 1
            promise.futureResult.assumeIsolated().whenFailure { _ in self.output.scriptedGoAways -= 1 }
            let frame = HTTP2Frame.FramePayload.goAway(
                lastStreamID: last, errorCode: HTTP2ErrorCode(networkCode: Int(code)), opaqueData: nil)
            let connection = channel.parent ?? channel
            connection.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: frame), promise: promise)
        default:
            if isHTTP2 {
                channel.write(payload(of: part), promise: promise)
            } else {
                channel.write(text(of: part), promise: promise)
            }
        }
    }

    /// Ends the stream if its response has begun.
    /// - Parameter done: called when the socket has taken the end, or cannot take it.
    func end(then done: @escaping () -> Void) {
        guard isStreamOpen else { return done() }
        isStreamOpen = false
        hasEndedStream = true
        let end = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in done() }
        channel.writeAndFlush(HTTP2Frame.FramePayload.data(end), promise: written)
    }

    func flush() { channel.flush() }

    // MARK: HTTP/1.1

    private func text(of part: Part) -> ByteBuffer {
        let allocator = channel.allocator
        switch part {
        case .head(let head): return allocator.buffer(string: head.text)
        case .content(let bytes): return allocator.buffer(bytes: bytes)
        case .buffer(let bytes): return bytes
        case .chunk(let bytes, let count):
            var chunk = allocator.buffer(string: "\(String(bytes.count, radix: 16))\r\n")
            chunk.writeBytes(bytes.prefix(count))
            if count == bytes.count { chunk.writeString("\r\n") }
            return chunk
        case .lastChunk(let trailers): return allocator.buffer(string: "0\r\n\(Reply.Step.Head.lines(trailers))\r\n")
        case .raw, .resetStream, .goAway: return ByteBuffer()
        }
    }

    // MARK: HTTP/2

    private func payload(of part: Part) -> HTTP2Frame.FramePayload {
        switch part {
        case .head(let head):
            isStreamOpen = head.status.kind != .informational
            return .headers(.init(headers: Self.block([(":status", "\(head.status.code)")], head.fields)))
        case .content(let bytes): return .data(.init(data: .byteBuffer(channel.allocator.buffer(bytes: bytes))))
        case .buffer(let bytes): return .data(.init(data: .byteBuffer(bytes)))
        case .chunk(let bytes, let count):
            return .data(.init(data: .byteBuffer(channel.allocator.buffer(bytes: bytes.prefix(count)))))
        case .lastChunk(let trailers):
            isStreamOpen = false
            hasEndedStream = true
            if trailers.isEmpty { return .data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)) }
            return .headers(.init(headers: Self.block([], trailers), endStream: true))
        case .resetStream(let code):
            isStreamOpen = false
            hasEndedStream = true
            return .rstStream(HTTP2ErrorCode(networkCode: Int(code)))
        case .raw, .goAway: return .data(.init(data: .byteBuffer(ByteBuffer())))
        }
    }

    /// Names are in lower case (RFC 9113 section 8.2.1).
    private static func block(_ first: [(String, String)], _ fields: [ReceivedRequest.Field]) -> HPACKHeaders {
        HPACKHeaders(first + fields.map { ($0.name.lowercased(), $0.value) })
    }
}
#endif
