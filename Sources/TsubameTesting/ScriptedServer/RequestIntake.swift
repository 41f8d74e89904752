// RequestIntake: records the requests of a connection, or of an HTTP/2 stream, and asks the script for replies.
#if TestServer

internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The facts of one connection. Confined to its event loop.
final class ServerConnectionFacts {
    /// The host that the client named in its handshake. It is set on the event loop, perhaps before a request arrives.
    final class ServerName: Sendable {
        private let value = Mutex<String?>(nil)
        var host: String? { value.withLock { $0 } }
        func set(_ host: String?) { value.withLock { $0 = host } }
    }

    let number: Int
    let serverName: ServerName
    var requestCount = 0
    private let tls: NIOSSLServerHandler?

    init(number: Int, tls: NIOSSLServerHandler?, serverName: ServerName) {
        self.number = number
        self.tls = tls
        self.serverName = serverName
    }

    var hasTLS: Bool { tls != nil }

    var tlsVersion: String? {
        switch tls?.tlsVersion {
        case .tlsv13: "TLS 1.3"
        case .tlsv12: "TLS 1.2"
        default: nil
        }
    }
}

/// Confined to the event loop of its connection.
final class RequestIntake {
    private let connection: ServerConnectionFacts
    private let server: ServerContext
    private let runner: ReplyRunner
    /// The request that is arriving.
    private var current: (index: Int, turn: ReplyRunner.Turn)?

    init(_ connection: ServerConnectionFacts, server: ServerContext, runner: ReplyRunner) {
        self.connection = connection
        self.server = server
        self.runner = runner
    }

    func handle(_ event: RequestParser.Event) {
        switch event {
        case .head(let head):
            let request = add(head)
            connection.requestCount += 1
            let turn = ReplyRunner.Turn(server.script.onHead(request), isWhole: false)
            turn.isHead = request.method == "HEAD"
            current = (request.index, turn)
            runner.add(turn)
        case .piece(let bytes, let isContent):
            guard let (index, turn) = current else { return }
            let limit = server.keptBodyBytes
            server.record.change { record in
                record.change(index) { $0.append(bytes.readableBytesView, isContent: isContent, keeping: limit) }
                if isContent { record.acceptedBodyBytes += bytes.readableBytes }
                record.moves &+= 1
            }
            guard isContent else { return }
            turn.bodyByteCount += bytes.readableBytes
            runner.proceed()
        case .end(let trailers):
            guard let (index, turn) = current else { return }
            current = nil
            let request = server.record.change { record -> ReceivedRequest? in
                record.change(index) {
                    $0.trailers = trailers
                    $0.isComplete = true
                    $0.hasEnded = true
                }
                return record[index]
            }
            turn.isWhole = true
            if turn.reply == nil, let request { turn.reply = server.script.onRequest(request) }
            runner.proceed()
        case .brokenHead(let head):
            let request = add(head)
            server.record.change { $0.change(request.index) { $0.hasEnded = true } }
            runner.giveUp()
        case .failed(let problem):
            if current?.turn.reply == nil { current?.turn.reply = [] }
            endCurrent(problem)
            runner.giveUp()
        }
    }

    /// The connection has ended.
    func end() {
        endCurrent(nil)
        runner.end()
    }

    /// The HTTP/2 stream has ended.
    func endOfStream(_ problem: String? = nil) {
        endCurrent(problem)
        runner.endOfStream()
    }

    private func add(_ head: RequestParser.Head) -> ReceivedRequest {
        let (number, count) = (connection.number, connection.requestCount)
        let (host, version) = (connection.serverName.host, connection.tlsVersion)
        return server.record.change {
            $0.add(head, connection: number, indexOnConnection: count, serverName: host, tlsVersion: version)
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
}
#endif
