// HTTP2Pipeline: a connection that speaks HTTP/2, each stream of which is one exchange.
#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

enum HTTP2Pipeline {
    static func install(
        on channel: any Channel, settings: HTTPBin, connection: Connection, connections: ConnectionTable,
        http: HTTP1Channel, logger: Logger
    ) throws {
        let farewell = Farewell()
        let farewells = NIOLoopBound(farewell, eventLoop: channel.eventLoop)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connectionConfiguration,
            streamConfiguration: streamConfiguration
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                if let number = try stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID) {
                    farewells.value.lastStream = number
                }
                let exchange = connections.add(stream, of: connection)
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
                try pipeline.addHandler(StreamHandler(settings: settings, connection: exchange))
                let value = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                    wrappingChannelSynchronously: stream, configuration: .init(isOutboundHalfClosureEnabled: true))
                exchange.serve { await http.handle(value: value, logger: logger) }
            }
        }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([GoAwayWatch(), handler, farewell])
    }

    /// NIO's own limits apply to frames that a client must not send too often. In 30 seconds they allow 200 resets,
    /// 200 stream errors and 200 PING, SETTINGS and PRIORITY frames. They also allow five CONTINUATION frames after a head,
    /// and one empty DATA frame in a row.
    private static var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maximumStreams),
            // The same limit as Hummingbird's for a head of HTTP/1.1.
            HTTP2Setting(parameter: .maxHeaderListSize, value: 80 * 1024),
        ]
        // Frames that are still in flight to a stream that the server reset are not the client's fault.
        configuration.maximumRecentlyResetStreams = maximumStreams
        // A stream whose endpoint does not read must not block the other streams.
        configuration.targetWindowSize = maximumStreams * window
        return configuration
    }

    private static var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.targetWindowSize = window
        configuration.outboundBufferSizeHighWatermark = 64 * 1024
        configuration.outboundBufferSizeLowWatermark = 32 * 1024
        return configuration
    }

    private static let maximumStreams = 100
    /// The initial window of a stream in bytes (RFC 9113 section 6.9.2).
    private static let window = 65_535
}

#endif
