// ServerStream: one HTTP/2 stream of a ScriptedServer.
#if TestServer

internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// The innermost handler of a stream. Confined to the event loop of its connection.
final class ServerStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let intake: RequestIntake
    private var hasHead = false

    private init(_ intake: RequestIntake) { self.intake = intake }

    /// Adds NIO's codec after this handler. It checks neither fields nor lengths, so that a script can send wrong ones.
    static func serve(
        _ context: ChannelHandlerContext, _ facts: ServerConnectionFacts, server: ServerContext,
        output: ConnectionOutput
    ) {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.headerBlockValidation = .disabled
        connection.contentLengthValidation = .disabled
        // A test may cancel more calls than a public server would bear.
        connection.maximumRecentlyResetStreams = 10_000
        connection.targetWindowSize = 1 << 20
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = 100_000
        streams.streamErrorRateLimit.maximumCount = 100_000
        let shared = NIOLoopBound((facts, output), eventLoop: context.eventLoop)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: context.eventLoop, connectionConfiguration: connection,
            streamConfiguration: streams
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let (facts, output) = shared.value
                let number = try stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
                let writer = ReplyWriter(stream, output: output, stream: number)
                let runner = ReplyRunner(
                    stream, writer: writer, output: output, record: server.record, hasTLS: facts.hasTLS)
                let intake = RequestIntake(facts, server: server, runner: runner)
                try stream.pipeline.syncOperations.addHandler(ServerStream(intake))
                // A long connection does not keep its streams. One that has ended may still have steps to run.
                stream.parent?.closeFuture.assumeIsolated().whenComplete { [weak intake, weak runner] _ in
                    if let intake { intake.end() } else { runner?.end() }
                }
            }
        }
        let pipeline = context.pipeline.syncOperations
        try? pipeline.addHandler(handler, position: .after(context.handler))
        try? pipeline.addHandler(ConnectionErrors(output), position: .after(handler))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let frame):
            if !hasHead {
                hasHead = true
                intake.handle(.head(Self.head(frame.headers)))
                if frame.endStream { intake.handle(.end(trailers: [])) }
            } else if frame.endStream {
                intake.handle(.end(trailers: Self.fields(frame.headers)))
            }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data, bytes.readableBytes > 0 {
                intake.handle(.piece(bytes, isContent: true))
            }
            if frame.endStream { intake.handle(.end(trailers: [])) }
        case .rstStream(let code): intake.endOfStream("the client reset the stream: \(code)")
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        intake.endOfStream()
        context.fireChannelInactive()
    }

    /// A stream that ends with an error becomes inactive.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private static func head(_ headers: HPACKHeaders) -> RequestParser.Head {
        var head = RequestParser.Head()
        head.method = headers[":method"].first ?? ""
        head.target = headers[":path"].first ?? headers[":authority"].first ?? ""
        head.version = "HTTP/2"
        head.fields = fields(headers)
        return head
    }

    private static func fields(_ headers: HPACKHeaders) -> [ReceivedRequest.Field] {
        headers.map { ReceivedRequest.Field(name: $0.name, value: $0.value) }
    }
}

/// Closes an HTTP/2 connection whose codec has found an error of the connection.
private final class ConnectionErrors: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let output: ConnectionOutput

    init(_ output: ConnectionOutput) { self.output = output }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The codec reports the errors of streams and of the connection by the same types. Only before an error of the
        // connection it sends a GOAWAY of its own.
        guard output.sentGoAways > output.scriptedGoAways else { return }
        context.triggerUserOutboundEvent(ServerWire.End.cutOff, promise: nil)
    }
}
#endif
