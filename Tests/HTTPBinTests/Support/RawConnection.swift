// RawConnection: a socket for raw bytes, so that no client stands between a test and the server.
#if Server
import HTTPBin
import NIOCore
import NIOPosix
import NIOSSL

struct RawConnection {
    struct Ended: Error {}

    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received: [UInt8] = []

    /// Connects, runs the body and closes the connection. With HTTPS it trusts only the server's authority.
    ///
    /// - Parameter name: the name that the server's certificate must hold; nil for its address.
    static func open<Result>(
        to server: RunningHTTPBin, as name: String? = nil, _ body: (inout RawConnection) async throws -> sending Result
    ) async throws -> sending Result {
        let tls = try server.authority.map(Self.context(trusting:))
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: server.host, port: server.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    private static func context(trusting authority: String) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.utf8)))
        return try NIOSSLContext(configuration: configuration)
    }

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Closes the sending half only.
    func finishSending() {
        outbound.finish()
    }

    /// The next response; the bytes after it stay for the following one.
    mutating func answer(toHead: Bool = false) async throws -> Answer {
        while true {
            if let (answer, length) = try Answer.parse(received, toHead: toHead, ended: false) {
                received.removeFirst(length)
                return answer
            }
            guard let buffer = try await inbound.next(isolation: #isolation) else { break }
            received.append(contentsOf: buffer.readableBytesView)
        }
        guard let (answer, length) = try Answer.parse(received, toHead: toHead, ended: true) else { throw Ended() }
        received.removeFirst(length)
        return answer
    }

    /// All bytes until the server closes. A reset counts as a close.
    mutating func rest() async -> [UInt8] {
        while let buffer = try? await inbound.next(isolation: #isolation) {
            received.append(contentsOf: buffer.readableBytesView)
        }
        defer { received = [] }
        return received
    }
}

extension RunningHTTPBin {
    /// Sends one request on a separate connection and returns its response.
    func exchange(_ head: String, body: [UInt8] = []) async throws -> Answer {
        try await RawConnection.open(to: self) { connection in
            try await connection.send(Array(head.utf8) + body)
            return try await connection.answer(toHead: head.hasPrefix("HEAD "))
        }
    }

    func get(_ target: String, _ fields: String...) async throws -> Answer {
        try await request("GET", target, fields)
    }

    func post(_ target: String, _ fields: String..., body: String) async throws -> Answer {
        try await request("POST", target, fields, body: Array(body.utf8))
    }

    func request(_ method: String, _ target: String, _ fields: [String] = [], body: [UInt8]? = nil) async throws
        -> Answer
    {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: test"] + fields
        if let body { lines.append("Content-Length: \(body.count)") }
        return try await exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", body: body ?? [])
    }
}

/// Runs the body with a new server and stops the server afterwards.
func withServer<Result>(
    _ settings: HTTPBin = HTTPBin(), _ body: (RunningHTTPBin) async throws -> Result
) async throws -> Result {
    let server = try await settings.start()
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

#endif
