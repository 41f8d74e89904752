// ServerConnection: one connection of a ScriptedServer, which speaks HTTP/1.1 or passes its bytes on to HTTP/2.
#if TestServer

internal import NIOCore
internal import Tsubame

/// Reads the requests of HTTP/1.1. For HTTP/2 it adds NIO's codec behind itself. Confined to its event loop.
final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Mode {
        /// The first bytes, which do not tell the version yet.
        case undecided(ByteBuffer)
        case http1
        case http2
    }

    /// The first bytes that a client of HTTP/2 sends (RFC 9113 section 3.4).
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let facts: ServerConnectionFacts
    private let server: ServerContext
    private let output: ConnectionOutput
    private var mode = Mode.undecided(ByteBuffer())
    private var parser = RequestParser()
    private var intake: RequestIntake?

    init(_ facts: ServerConnectionFacts, server: ServerContext, output: ConnectionOutput) {
        self.facts = facts
        self.server = server
        self.output = output
    }

    func channelActive(context: ChannelHandlerContext) {
        let writer = ReplyWriter(context.channel, output: output)
        let runner = ReplyRunner(
            context.channel, writer: writer, output: output, record: server.record, hasTLS: facts.hasTLS,
            speaksHTTP2: server.versions == [.http2])
        intake = RequestIntake(facts, server: server, runner: runner)
        if let reply = server.script.onConnect(facts.number) {
            runner.add(ReplyRunner.Turn(reply, isWhole: true))
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        if case .undecided(var first) = mode {
            first.writeBuffer(&bytes)
            mode = Self.mode(for: first, versions: server.versions)
            if case .undecided = mode { return }
            if case .http2 = mode { ServerStream.serve(context, facts, server: server, output: output) }
            bytes = first
        }
        if case .http2 = mode { return context.fireChannelRead(Self.wrapInboundOut(bytes)) }
        parser.push(bytes)
        while let event = parser.next() { intake?.handle(event) }
    }

    private static func mode(for first: ByteBuffer, versions: [HTTPVersion]) -> Mode {
        guard versions.contains(.http2) else { return .http1 }
        // Bytes that are no preface are an error that the codec of HTTP/2 finds.
        guard versions.contains(.http11) else { return .http2 }
        let count = min(first.readableBytes, preface.count)
        guard first.readableBytesView.prefix(count).elementsEqual(preface.prefix(count)) else { return .http1 }
        return count == preface.count ? .http2 : .undecided(first)
    }

    func channelInactive(context: ChannelHandlerContext) {
        intake?.end()
        intake = nil
        context.fireChannelInactive()
    }

    /// Receives the error of a failed handshake or a broken connection, which has no further use.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.triggerUserOutboundEvent(ServerWire.End.cutOff, promise: nil)
    }
}
#endif
