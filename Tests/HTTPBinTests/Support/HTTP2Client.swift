// HTTP2Client: NIO's HTTP/2 as a server's client, with one request on each stream.
#if Server
import HTTPBin
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// The response on one stream.
struct StreamAnswer: Sendable {
    typealias Fields = [(name: String, value: String)]

    var interim: [Fields] = []
    var fields: Fields = []
    var body: [UInt8] = []
    var trailers: Fields = []
    /// The code of the reset that ended the stream.
    var reset: HTTP2ErrorCode?

    var status: Int? { self[":status"].flatMap { Int($0) } }

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

struct HTTP2Client: Sendable {
    typealias Payload = HTTP2Frame.FramePayload
    typealias Stream = NIOAsyncChannel<Payload, Payload>
    typealias Parts = NIOAsyncChannelInboundStream<Payload>.AsyncIterator

    /// The last stream and the error code of a GOAWAY.
    struct GoAway: Sendable, Hashable {
        let lastStream: Int
        let code: Int
    }

    private let channel: any Channel
    private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
    private let watch: GoAwayWatch

    /// Connects, runs the body and closes the connection. With HTTPS it offers `h2` only.
    static func open<R>(
        to server: RunningHTTPBin, _ body: (HTTP2Client) async throws -> sending R
    ) async throws -> sending R {
        let tls = try server.authority.map { authority in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.utf8)))
            configuration.applicationProtocols = ["h2"]
            return try NIOSSLContext(configuration: configuration)
        }
        let watch = GoAwayWatch()
        let (channel, streams) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: server.host, port: server.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil)) }
                    let streams = try pipeline.configureAsyncHTTP2Pipeline(mode: .client) { stream in
                        stream.eventLoop.makeSucceededVoidFuture()
                    }
                    try pipeline.addHandler(watch)
                    return (channel, streams)
                }
            }
        let client = HTTP2Client(channel: channel, streams: streams, watch: watch)
        do {
            let result = try await body(client)
            try? await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    /// Runs the body with a new stream that has sent nothing yet.
    func stream<R>(
        _ body: (
            inout Parts, NIOAsyncChannelOutboundWriter<Payload>
        ) async throws -> sending R
    ) async throws -> sending R {
        let stream = try await streams.openStream { channel in
            channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
        }
        return try await stream.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            return try await body(&parts, outbound)
        }
    }

    /// Sends one request and returns its response.
    /// - Parameter authority: nil for none.
    func request(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: [UInt8]? = nil,
        authority: String? = "test"
    ) async throws -> StreamAnswer {
        try await stream { parts, outbound async throws in
            let head = Self.head(method, target, fields, authority: authority, endStream: body == nil)
            try await outbound.write(head)
            if let body { try await outbound.write(Self.data(body, endStream: true)) }
            return await Self.answer(&parts)
        }
    }

    func get(_ target: String, _ fields: (String, String)...) async throws -> StreamAnswer {
        try await request("GET", target, fields)
    }

    /// The server's GOAWAY, once the connection is closed.
    func goAway() async throws -> GoAway? {
        try await channel.closeFuture.get()
        return watch.said
    }

    static func head(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], authority: String? = "test",
        endStream: Bool
    ) -> Payload {
        var headers = HPACKHeaders([(":method", method), (":scheme", "http"), (":path", target)])
        if let authority { headers.add(name: ":authority", value: authority) }
        for (name, value) in fields { headers.add(name: name, value: value) }
        return .headers(Payload.Headers(headers: headers, endStream: endStream))
    }

    static func data(_ bytes: [UInt8], endStream: Bool) -> Payload {
        .data(Payload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: endStream))
    }

    /// Reads everything until the server ends its side.
    static func answer(_ parts: inout Parts) async -> StreamAnswer {
        var answer = StreamAnswer()
        do {
            while let payload = try await parts.next(isolation: #isolation) {
                switch payload {
                case .headers(let head):
                    let fields = head.headers.map { (name: $0.name, value: $0.value) }
                    if head.headers.first(name: ":status")?.hasPrefix("1") == true {
                        answer.interim.append(fields)
                    } else if answer.fields.isEmpty {
                        answer.fields = fields
                    } else {
                        answer.trailers = fields
                    }
                    if head.endStream { return answer }
                case .data(let data):
                    if case .byteBuffer(let buffer) = data.data { answer.body += buffer.readableBytesView }
                    if data.endStream { return answer }
                case .rstStream(let code):
                    answer.reset = code
                default: break
                }
            }
        } catch let error as NIOHTTP2Errors.StreamClosed {
            answer.reset = error.errorCode
        } catch {
            answer.reset = nil
        }
        return answer
    }

    private final class GoAwayWatch: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTP2Frame

        private let last = Mutex<GoAway?>(nil)

        var said: GoAway? { last.withLock { $0 } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .goAway(let stream, let code, _) = Self.unwrapInboundIn(data).payload {
                last.withLock { $0 = GoAway(lastStream: Int(stream), code: code.networkCode) }
            }
            context.fireChannelRead(data)
        }
    }
}

#endif
