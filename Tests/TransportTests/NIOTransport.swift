// NIOTransport: HTTP/1.1 on SwiftNIO's own codec, one connection for each exchange. It is written with what is public, as
// another package would write a transport.

import NIOCore
import NIOHTTP1
import NIOPosix
import Tsubame

/// The bodies go both ways with back-pressure. Connections are not used again, and the settings of connections are not
/// honoured, which the transport says by not implementing `unsupported`.
struct NIOTransport: Transport {
    private let channels = OpenChannels()

    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        guard let uri = request.uri else { throw CallError(.invalidRequest, "the request has no URI") }
        guard !uri.isSecure else { throw CallError(.unsupported, "this transport speaks no TLS") }
        exchange.report(.connecting(address: "\(uri.host):\(uri.port)"))
        let handler = ResponseHandler(exchange: exchange)
        let channel = try await connect(to: uri, handler)
        guard channels.add(channel) else {
            throw CallError(.cancelled, "the transport is closed", phase: .connecting)
        }
        exchange.report(
            .connected(
                ConnectionInfo(
                    remoteAddress: Self.text(channel.remoteAddress), localAddress: Self.text(channel.localAddress),
                    version: .http11)))
        // The exchange ends in time by itself. All that is left to do here is to close the connection.
        let result: Result<Response, CallError> = await withTaskCancellationHandler {
            do throws(CallError) {
                try await write(request, uri, to: channel, exchange)
                return .success(try await handler.response())
            } catch {
                channel.close(promise: nil)
                return .failure(error)
            }
        } onCancel: {
            channel.close(promise: nil)
        }
        return try result.get()
    }

    func close() async { await channels.closeAll() }

    private func connect(
        to uri: TargetURI, _ handler: ResponseHandler
    ) async throws(CallError) -> any Channel {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        let decoder = HTTPResponseDecoder(
                            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)
                        try pipeline.addHandlers(HTTPRequestEncoder(), ByteToMessageHandler(decoder), handler)
                    }
                }
                .connect(host: uri.host, port: uri.port).get()
        } catch let error as NIOConnectionError where error.connectionErrors.isEmpty {
            throw CallError(
                .nameResolution, "\(uri.host) has no address", phase: .resolving, underlying: error)
        } catch {
            throw CallError(
                .connectionFailed, "no connection to \(uri.host): \(error)", phase: .connecting, underlying: error)
        }
    }

    private func write(
        _ request: Request, _ uri: TargetURI, to channel: any Channel, _ exchange: TransportExchange
    ) async throws(CallError) {
        let body = try await exchange.openBody()
        var fields = NIOHTTP1.HTTPHeaders(exchange.fields.map { ($0.name.rawName, $0.value) })
        if let body {
            if let length = body.length {
                fields.replaceOrAdd(name: "Content-Length", value: "\(length)")
            } else {
                fields.replaceOrAdd(name: "Transfer-Encoding", value: "chunked")
            }
        } else if [.post, .put, .patch, .query].contains(request.method) {
            fields.replaceOrAdd(name: "Content-Length", value: "0")
        }
        let method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: exchange.target, headers: fields)
        // The body's own failure goes through; a failure of the connection has the error of the response.
        guard await wrote(.head(head), to: channel) else { return }
        exchange.report(.sent(request))
        if let body {
            while let piece = try await body.next() {
                guard await wrote(.body(.byteBuffer(ByteBuffer(bytes: piece))), to: channel) else { return }
            }
            let trailers = try body.trailers().map { fields in
                NIOHTTP1.HTTPHeaders(fields.map { ($0.name.rawName, $0.value) })
            }
            _ = await wrote(.end(trailers), to: channel)
        } else {
            _ = await wrote(.end(nil), to: channel)
        }
    }

    /// Waits until the socket has the part, which holds back a source that is faster than the server.
    private func wrote(_ part: HTTPClientRequestPart, to channel: any Channel) async -> Bool {
        (try? await channel.writeAndFlush(part)) != nil
    }

    private static func text(_ address: SocketAddress?) -> String {
        guard let ip = address?.ipAddress, let port = address?.port else { return "" }
        return "\(ip):\(port)"
    }
}
