// StreamHandler: the parts of an HTTP/2 stream that Hummingbird leaves out, and the record of its request.
#if Server
import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// The counterpart of ``ConnectionHandler`` for a stream. It gives the authority and cookies the form of HTTP/1.1 and
/// answers `100 Continue`. It drops connection-specific fields (RFC 9113 section 8.2.2) and records the request.
final class StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let connectionFields = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade",
    ].compactMap { HTTPField.Name($0) }

    private let settings: HTTPBin
    private let connection: Connection
    private var recorder: RequestRecorder?
    private var hasAnswered = false
    /// Whether the response ends without END_STREAM.
    private var isCut = false

    init(settings: HTTPBin, connection: Connection) {
        self.settings = settings
        self.connection = connection
    }

    /// Resets the stream after the body of the response.
    func cutAnswer() { isCut = true }

    /// Sends an interim response, unless the final response has begun.
    func sendInterim(_ code: Int, fields: [(String, String)], context: ChannelHandlerContext) {
        guard !hasAnswered, (100..<200).contains(code) else { return }
        var head = HTTPResponse(status: HTTPResponse.Status(code: code))
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            if let name = HTTPField.Name("Host") {
                head.authority = head.authority ?? head.headerFields[name]
                head.headerFields[name] = nil
            }
            if settings.onRequest != nil {
                recorder = RequestRecorder(head: head, connection: connection.number, limit: settings.recordLimit)
            }
            // Cookies may come in several fields, which the rest of the pipeline needs as one (RFC 9113 section 8.2.3).
            let cookies = head.headerFields[values: .cookie]
            if cookies.count > 1 { head.headerFields[.cookie] = cookies.joined(separator: "; ") }
            if head.headerFields[values: .expect].contains(where: { $0.lowercased() == "100-continue" }) {
                sendInterim(100, fields: [], context: context)
            }
            return context.fireChannelRead(wrapInboundOut(.head(head)))
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
        case .head(var head) where head.status.code >= 200:
            hasAnswered = true
            for name in Self.connectionFields { head.headerFields[name] = nil }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isCut:
            let written = promise ?? context.eventLoop.makePromise()
            let channel = context.channel
            written.futureResult.whenSuccess {
                let reset = NIOHTTP2FramePayloadToHTTPEvent.reset(code: .internalError)
                channel.triggerUserOutboundEvent(reset, promise: nil)
            }
            // This write waits for all earlier writes, which a reset would overtake.
            context.write(wrapOutboundOut(.body(ByteBuffer())), promise: written)
        default:
            context.write(data, promise: promise)
        }
    }
}

#endif
