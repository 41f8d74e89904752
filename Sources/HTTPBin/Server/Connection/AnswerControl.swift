// Connection: the controls that an endpoint has over its own response on the wire.
#if Server
import NIOCore
import NIOHTTP1

extension Connection {
    /// Sends an interim response (RFC 9110 section 15.2) before the final response. An HTTP/1.0 client gets none,
    /// because HTTP/1.0 has no interim responses.
    func sendInterim(_ code: Int, reason: String, fields: [(String, String)]) async throws {
        try await onLoop { [isStream] pipeline in
            if isStream {
                let context = try pipeline.context(handlerType: StreamHandler.self)
                (context.handler as? StreamHandler)?.sendInterim(code, fields: fields, context: context)
                return
            }
            let context = try pipeline.context(handlerType: ConnectionHandler.self)
            guard let handler = context.handler as? ConnectionHandler, handler.mayInterim else { return }
            let head = HTTPResponseHead(
                version: .http1_1, status: .custom(code: UInt(clamping: code), reasonPhrase: reason),
                headers: HTTPHeaders(fields))
            context.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        }
    }

    /// Sends the head of the response byte by byte over this time. On an HTTP/2 stream the head goes out after this
    /// time, because the frames of all streams share the connection.
    func dripHead(over time: TimeAmount) async throws {
        guard !isStream else { return try await pause(for: .nanoseconds(time.nanoseconds)) }
        try await onLoop { pipeline in
            let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
            try pipeline.addHandler(HeadDripper(over: time), position: .before(encoder))
        }
    }

    /// Ends the response after the body that has been written, even if its head announces more. The connection is then
    /// closed, or the stream reset.
    func cutAnswer() async throws {
        try await onLoop { [isStream] pipeline in
            if isStream {
                try pipeline.handler(type: StreamHandler.self).cutAnswer()
            } else {
                try pipeline.handler(type: ConnectionHandler.self).cutAnswer()
            }
        }
    }

    private func onLoop(
        _ change: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) async throws {
        let pipeline = channel.pipeline
        do {
            try await channel.eventLoop.submit { try change(pipeline.syncOperations) }.get()
        } catch {
            // The handler is gone if the connection has been closed meanwhile.
            throw PeerLeft()
        }
    }
}

#endif
