// ResponseHandler: turns what arrives on a connection into a response, and reads only as fast as the body is read.

import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization
import Tsubame

// All but `outcome` is confined to the event loop of the channel.
final class ResponseHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart

    private enum Outcome: Sendable {
        case none
        case waiting(CheckedContinuation<Result<Response, CallError>, Never>)
        case settled(Result<Response, CallError>)
    }

    private let exchange: TransportExchange
    private let outcome = Mutex(Outcome.none)
    private let trailers = ResponseTrailers()
    private var writer: ResponseBodyWriter?
    private var isPaused = false
    private var headBytes = 0
    private var hasEnded = false

    init(exchange: TransportExchange) { self.exchange = exchange }

    func response() async throws(CallError) -> Response {
        try await withCheckedContinuation { continuation in
            let settled = outcome.withLock { outcome -> Result<Response, CallError>? in
                if case .settled(let result) = outcome { return result }
                outcome = .waiting(continuation)
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }.get()
    }

    private func settle(_ result: Result<Response, CallError>) {
        let waiter = outcome.withLock { outcome -> CheckedContinuation<Result<Response, CallError>, Never>? in
            switch outcome {
            case .waiting(let waiter):
                outcome = .settled(result)
                return waiter
            case .none: outcome = .settled(result)
            case .settled: break
            }
            return nil
        }
        waiter?.resume(returning: result)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): receive(head, context)
        case .body(let buffer):
            writer?.write(Bytes(buffer.readableBytesView))
        case .end(let fields):
            if let fields {
                trailers.set(HTTPFields(fields.compactMap { Self.field($0.name, $0.value) }))
            }
            hasEnded = true
            writer?.finish()
            context.close(promise: nil)
        }
    }

    private func receive(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        let fields = HTTPFields(head.headers.compactMap { Self.field($0.name, $0.value) })
        if (100...199).contains(head.status.code) {
            return exchange.report(.informational(status: Int(head.status.code), ReceivedFields(fields)))
        }
        let (loop, channel) = (context.eventLoop, context.channel)
        let (body, writer) = ResponseBody.makeStream(
            // Both are called on any thread, and the loop sees them in their order.
            onPause: { [weak self] in loop.execute { self?.isPaused = true } },
            onResume: { [weak self] in
                loop.execute {
                    self?.isPaused = false
                    channel.read()
                }
            }, onCancel: { channel.close(promise: nil) })
        self.writer = writer
        settle(
            .success(
                Response(
                    status: HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
                    headers: fields, body: body, trailers: trailers)))
    }

    private static func field(_ name: String, _ value: String) -> HTTPField? {
        HTTPField.Name(name).map { HTTPField(name: $0, value: value) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isPaused { context.read() }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is HTTPParserError where "\(error)".contains("headerOverflow"):
            fail(CallError(.limitExceeded, "the head of the response is too long", phase: phase, underlying: error))
        case HTTPParserError.invalidEOFState:
            fail(lost(error))
        case is HTTPParserError:
            fail(CallError(.invalidResponse, "this is no response: \(error)", phase: phase, underlying: error))
        default: fail(lost(error))
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(lost(nil))
        context.fireChannelInactive()
    }

    private var phase: CallError.Phase { writer == nil ? .waitingForHead : .receivingBody }

    private func lost(_ error: (any Error)?) -> CallError {
        CallError(
            writer == nil ? .connectionLost : .incompleteResponse, "the server closed the connection", phase: phase,
            underlying: error)
    }

    private func fail(_ error: CallError) {
        guard !hasEnded else { return }
        hasEnded = true
        writer?.fail(error)
        settle(.failure(error))
    }
}
