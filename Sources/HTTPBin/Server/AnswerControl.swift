// What an endpoint may do to its own answer on the wire, beside giving it.
#if Server
import NIOCore
import NIOHTTP1

extension Connection {
    /// Sends an interim response (RFC 9110 section 15.2) in front of the answer; nothing to a client of HTTP/1.0, which
    /// knows none.
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

    /// Has the head of the answer go out byte by byte over that time. On a stream, whose frames share the connection with
    /// others, it goes out behind it.
    func dripHead(over time: TimeAmount) async throws {
        guard !isStream else { return try await pause(for: .nanoseconds(time.nanoseconds)) }
        try await onLoop { pipeline in
            let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
            try pipeline.addHandler(HeadDripper(over: time), position: .before(encoder))
        }
    }

    /// Has the answer end where its body has been written, whatever its head says, and the connection with it, or the
    /// stream with a reset.
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
            // A handler that is not there any more: the connection has been closed meanwhile.
            throw PeerLeft()
        }
    }
}

#endif
