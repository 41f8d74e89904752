// Accepts connections and has each one served by Hummingbird's HTTP/1.
#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Hummingbird's own server hands connections over through an asynchronous sequence; one that is still in it when the
/// server stops traps in NIO, so here each connection gets its task while it is being accepted.
enum Listener {
    static func bind(
        _ settings: HTTPBin, tls: NIOSSLContext?, connections: ConnectionTable
    ) async throws -> any Channel {
        let responder = Responder(settings: settings, connections: connections)
        let logger = Logger(label: "HTTPBin", factory: { _ in SwiftLogNoOpLogHandler() })
        let http = HTTP1Channel { request, writer, channel in
            let response = try await responder.respond(to: request, on: channel)
            try await writer.write(response: response.head, body: response.body)
        }
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Registrar(connections: connections))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                http.setup(channel: channel, logger: logger).flatMapThrowing { value in
                    guard let connection = connections[channel] else { return channel.close(promise: nil) }
                    // First of all: the value must be handled once it exists.
                    connection.serve { await http.handle(value: value, logger: logger) }
                    try install(on: channel, settings: settings, tls: tls, connection: connection)
                }
            }
            .bind(host: settings.host, port: settings.port)
            .get()
    }

    /// Puts the server's own handlers in front of Hummingbird's translation to HTTPRequest, which loses the version
    /// and the place of the Host field.
    private static func install(
        on channel: any Channel, settings: HTTPBin, tls: NIOSSLContext?, connection: Connection
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let tap = settings.onRequest == nil ? nil : WireTap()
        let handler = ConnectionHandler(settings: settings, connection: connection, tap: tap)
        try pipeline.addHandler(handler, position: .after(decoder))
        if let tap { try pipeline.addHandler(tap, position: .before(decoder)) }
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls), position: .first) }
    }

    /// Enters every connection into the table before anything else is done with it.
    private final class Registrar: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private let connections: ConnectionTable

        init(connections: ConnectionTable) {
            self.connections = connections
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            connections.add(unwrapInboundIn(data))
            context.fireChannelRead(data)
        }
    }
}

#endif
