// ServerConnection: one connection of a ScriptedServer, which reads requests, records them and asks the script.
#if TestServer

internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The innermost handler of a connection. Confined to its event loop.
final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The host that the client named in its handshake. It is set on the event loop, perhaps before a request arrives.
    final class ServerName: Sendable {
        private let value = Mutex<String?>(nil)
        var host: String? { value.withLock { $0 } }
        func set(_ host: String?) { value.withLock { $0 = host } }
    }

    private let number: Int
    private let server: ServerContext
    private let tls: NIOSSLServerHandler?
    private let serverName: ServerName
    private var parser = RequestParser()
    private var runner: ReplyRunner?
    private var requestCount = 0
    /// The request that is arriving.
    private var current: (index: Int, turn: ReplyRunner.Turn)?

    init(number: Int, server: ServerContext, tls: NIOSSLServerHandler?, serverName: ServerName) {
        self.number = number
        self.server = server
        self.tls = tls
        self.serverName = serverName
    }

    func channelActive(context: ChannelHandlerContext) {
        let runner = ReplyRunner(context.channel, number: number, record: server.record, hasTLS: tls != nil)
        self.runner = runner
        if let reply = server.script.onConnect(number) {
            runner.add(ReplyRunner.Turn(reply, isWhole: true))
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.push(Self.unwrapInboundIn(data))
        runner?.hasMoved = true
        while let event = parser.next() { handle(event) }
    }

    private func handle(_ event: RequestParser.Event) {
        switch event {
        case .head(let head):
            let (number, count, host, version) = (number, requestCount, serverName.host, tlsVersion)
            requestCount += 1
            let request = server.record.change {
                $0.add(head, connection: number, indexOnConnection: count, serverName: host, tlsVersion: version)
            }
            let turn = ReplyRunner.Turn(server.script.onHead(request), isWhole: false)
            turn.isHead = request.method == "HEAD"
            current = (request.index, turn)
            runner?.add(turn)
        case .piece(let bytes, let isContent):
            guard let index = current?.index else { return }
            let limit = server.keptBodyBytes
            server.record.change { record in
                record.change(index) { $0.append(bytes.readableBytesView, isContent: isContent, keeping: limit) }
                if isContent { record.acceptedBodyBytes += bytes.readableBytes }
                record.moves &+= 1
            }
        case .end(let trailers):
            guard let (index, turn) = current else { return }
            current = nil
            let request = server.record.change { record -> ReceivedRequest? in
                record.change(index) {
                    $0.trailers = trailers
                    $0.isComplete = true
                    $0.hasEnded = true
                }
                return record.requests.indices.contains(index) ? record.requests[index] : nil
            }
            turn.isWhole = true
            if turn.reply == nil, let request { turn.reply = server.script.onRequest(request) }
            runner?.proceed()
        case .brokenHead(let head):
            let (number, count, host, version) = (number, requestCount, serverName.host, tlsVersion)
            server.record.change { record in
                let request = record.add(
                    head, connection: number, indexOnConnection: count, serverName: host, tlsVersion: version)
                record.change(request.index) { $0.hasEnded = true }
            }
            runner?.giveUp()
        case .failed(let problem):
            if current?.turn.reply == nil { current?.turn.reply = [] }
            endCurrent(problem)
            runner?.giveUp()
        }
    }

    /// No more bytes of the current request will arrive.
    private func endCurrent(_ problem: String?) {
        guard let (index, _) = current else { return }
        current = nil
        server.record.change { record in
            record.change(index) {
                $0.hasEnded = true
                $0.problem = $0.problem ?? problem
            }
        }
    }

    private var tlsVersion: String? {
        switch tls?.tlsVersion {
        case .tlsv13: "TLS 1.3"
        case .tlsv12: "TLS 1.2"
        default: nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endCurrent(nil)
        runner?.end()
        runner = nil
        context.fireChannelInactive()
    }

    /// Receives the error of a failed handshake or a broken connection, which has no further use.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.triggerUserOutboundEvent(ServerWire.End.cutOff, promise: nil)
    }
}
#endif
