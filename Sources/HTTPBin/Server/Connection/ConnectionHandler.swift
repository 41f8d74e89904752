// ConnectionHandler: the parts of HTTP/1 that Hummingbird leaves out, and the record of each request.
#if Server
import NIOCore
import NIOHTTP1

/// Adds parts of HTTP/1 to Hummingbird: HTTP/1.0, `Connection: close` in responses (RFC 9112 section 9.6) and
/// `100 Continue` (RFC 9110 section 10.1.1). It also records the requests.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Pending {
        let isHTTP10: Bool
        var closes: Bool
        /// Whether the response ends without the end that its framing asks for.
        var isCut = false
    }

    private let settings: HTTPBin
    private let connection: Connection
    private let tap: WireTap?
    /// The requests whose responses have not ended, oldest first.
    private var pending: [Pending] = []
    private var recorder: RequestRecorder?

    init(settings: HTTPBin, connection: Connection, tap: WireTap?) {
        self.settings = settings
        self.connection = connection
        self.tap = tap
    }

    /// Whether interim responses may go out before the current response.
    var mayInterim: Bool {
        pending.first?.isHTTP10 == false
    }

    /// Ends the current response after its body and closes the connection. The head does not announce this.
    func cutAnswer() {
        if !pending.isEmpty { pending[0].isCut = true }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection.peerHasLeft() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let isHTTP10 = head.version.major == 1 && head.version.minor == 0
            pending.append(Pending(isHTTP10: isHTTP10, closes: !head.isKeepAlive))
            if settings.onRequest != nil {
                let wire = tap?.takeHead(method: head.method.rawValue, target: head.uri)
                recorder = RequestRecorder(
                    head: head, wire: wire, connection: connection.number, limit: settings.recordLimit)
            }
            // Only when no earlier response is still being written, because this one must not interrupt it.
            if !isHTTP10, pending.count == 1, head.expectsContinue {
                let answer = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
            }
        case .body(let buffer):
            recorder?.append(buffer)
        case .end:
            if let record = recorder?.record { settings.onRequest?(record) }
            recorder = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where !pending.isEmpty && head.status.code >= 200:
            if pending[0].isHTTP10 {
                head.version = .http1_0
                // Without a length only the end of the connection ends the body, because HTTP/1.0 knows no chunks.
                let hasLength = head.headers.contains(name: "content-length") || !head.status.mayHaveResponseBody
                pending[0].closes = pending[0].closes || !hasLength
                if !pending[0].closes { head.headers.replaceOrAdd(name: "connection", value: "keep-alive") }
            }
            if pending[0].closes { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where !pending.isEmpty:
            let answer = pending.removeFirst()
            guard answer.closes || answer.isCut else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise()
            let channel = context.channel
            // Closes only the sending side: a full close with unread bytes would reset the connection and could lose
            // the response.
            written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
            // An empty piece of body writes nothing, but it fulfils the promise after everything written before it.
            let nothing = wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))
            context.write(answer.isCut ? nothing : data, promise: written)
        default:
            context.write(data, promise: promise)
        }
    }
}

extension HTTPRequestHead {
    fileprivate var expectsContinue: Bool {
        headers["expect"].contains { $0.lowercased() == "100-continue" }
    }
}

#endif
