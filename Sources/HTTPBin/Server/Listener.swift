// Listener: accepts connections and hands each to Hummingbird, in the HTTP version that its client speaks.
#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Hummingbird's own server hands connections over through an asynchronous sequence. A connection that is still in the
/// sequence when the server stops traps in NIO. So here each connection gets its task while it is being accepted.
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
                guard let connection = connections[channel] else { return channel.close() }
                let install: @Sendable (ProtocolChooser.Choice) -> EventLoopFuture<Void> = { choice in
                    switch choice {
                    case .http1:
                        serve(channel, by: http, settings: settings, connection: connection, logger: logger)
                    case .http2:
                        channel.eventLoop.makeCompletedFuture {
                            try HTTP2Pipeline.install(
                                on: channel, settings: settings, connection: connection, connections: connections,
                                http: http, logger: logger)
                        }
                    }
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    if settings.http2 {
                        try pipeline.addHandler(ProtocolChooser(hasTLS: tls != nil, install: install))
                    }
                }.flatMap { settings.http2 ? channel.eventLoop.makeSucceededVoidFuture() : install(.http1) }
            }
            .bind(host: settings.host, port: settings.port)
            .get()
    }

    private static func serve(
        _ channel: any Channel, by http: HTTP1Channel, settings: HTTPBin, connection: Connection, logger: Logger
    ) -> EventLoopFuture<Void> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // This comes first, because NIO requires that the value is handled once it exists.
            connection.serve { await http.handle(value: value, logger: logger) }
            try install(on: channel, settings: settings, connection: connection)
        }
    }

    /// Adds the server's own handlers before Hummingbird's translation to HTTPRequest, which loses the version and the
    /// place of the Host field.
    private static func install(on channel: any Channel, settings: HTTPBin, connection: Connection) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let tap = settings.onRequest == nil ? nil : WireTap()
        let handler = ConnectionHandler(settings: settings, connection: connection, tap: tap)
        try pipeline.addHandler(handler, position: .after(decoder))
        if let tap { try pipeline.addHandler(tap, position: .before(decoder)) }
    }

    /// Adds every connection to the table before anything else happens to it.
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
