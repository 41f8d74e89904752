// How a connection sends: the head and a small body in one write, a larger body by its sender.

import HTTPTypes
import NIOCore
import TsubameCore
import TsubameWire

extension Connection {
    /// Sends the request. Head and small body go out in one write.
    func run(_ exchange: Exchange) {
        guard let context else {
            return exchange.fail(CallError(.connectionLost, "the connection was lost", phase: .sendingHead))
        }
        self.exchange = exchange
        exchanges += 1
        exchange.connection = self
        exchange.info = exchanges > 1 ? facts?.reused() : facts
        exchange.sendings += 1
        isSending = false
        let request = exchange.request
        // A connection serves calls of views with other limits.
        decoder.begin(isHead: request.method != .get && request.method == .head, limits: exchange.call.limits)
        let smallBody: Bytes?
        let framing: RequestEncoder.Framing
        switch exchange.upload {
        case .none:
            smallBody = nil
            framing = request.method.expectsBody ? .length(0) : .none
        case .small(let bytes):
            smallBody = bytes
            framing = .length(Int64(bytes.count))
        case .pieces(_, let length):
            smallBody = nil
            framing = length.map { .length($0) } ?? .chunked
        case .file:
            // The shard opens files before it asks for a connection.
            detach(exchange)
            exchange.fail(CallError(.misuse, "the body's file was not opened", phase: .preparing))
            return shard.release(self)
        }
        do throws(WireError) {
            try writeHead(request, exchange.uri, framing, smallBody)
        } catch {
            // Nothing was written: the connection is as good as before.
            detach(exchange)
            exchange.fail(CallError(error, phase: .preparing))
            shard.release(self)
            return
        }
        exchange.phase = .waitingForHead
        if exchange.isObserved {
            if exchanges > 1, let info = exchange.info { exchange.call.emit(.reused(info)) }
            exchange.call.emit(.sent(request))
            if let smallBody {
                exchange.call.emit(.sending(Progress(bytes: Int64(smallBody.count), total: Int64(smallBody.count))))
                if exchange.shownBytes > 0 {
                    exchange.call.emit(.requestBody(smallBody.slice(0..<exchange.shownBytes)))
                }
            }
            // Whoever was told may have cancelled the call.
            guard self.exchange === exchange else { return }
        }
        let now = MonotonicClock.now
        exchange.timings.sentAt = now
        if case .pieces(let reader, let length) = exchange.upload {
            isSending = true
            exchange.phase = .sendingBody
            markMoved(at: now)
            let sender = BodySender(reader, length: length, exchange: exchange, connection: self)
            self.sender = sender
            // With nothing to follow the head is the whole request, and waits until the reader has said so.
            if length != 0 { context.writeAndFlush(wrapOutboundOut(output), promise: nil) }
            sender.start()
        } else {
            setDeadline(.head, from: now)
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
        }
    }

    private func writeHead(
        _ request: Request, _ uri: TargetURI, _ framing: RequestEncoder.Framing, _ body: Bytes?
    ) throws(WireError) {
        let method = request.method.rawValue
        let bodyCount = body?.count ?? 0
        var (target, headers) = (uri.target, request.headers)
        var shared = exchange?.call.sharedFields
        if let fields = shared?.fields, !SharedFields.isSame(fields, headers) { shared = nil }
        if key.isForwarded {
            shared = nil
            target = "http://\(uri.authority)\(uri.target)"
            if !headers.contains(.proxyAuthorization), let value = key.proxy?.authorization {
                headers.appendSafely(HTTPField(name: .proxyAuthorization, value: value))
            }
        } else if !key.settings.hasNoProxy, headers.contains(.proxyAuthorization) {
            // Credentials for a proxy go to the proxy, and no further.
            shared = nil
            headers[fields: .proxyAuthorization] = []
        }
        let capacity = RequestEncoder.capacity(
            method: method, target: target, authority: uri.authority, headers: headers, shared: shared)
        output.clear(minimumCapacity: capacity + bodyCount)
        var failure: WireError?
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity + bodyCount) { room in
            do throws(WireError) {
                var count = try RequestEncoder.write(
                    method: method, target: target, authority: uri.authority, headers: headers,
                    shared: shared, framing: framing, into: room)
                body?.withUnsafeBytes { bytes in
                    guard let from = bytes.baseAddress, let to = room.baseAddress, count + bytes.count <= room.count
                    else { return }
                    (to + count).copyMemory(from: from, byteCount: bytes.count)
                    count += bytes.count
                }
                return count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { sender?.becameWritable() }
        context.fireChannelWritabilityChanged()
    }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ buffer: ByteBuffer, of exchange: Exchange, promise: EventLoopPromise<Void>?) {
        guard self.exchange === exchange, let context else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    }

    /// Bytes of the body went to the socket.
    func bodyMoved(of exchange: Exchange) {
        guard self.exchange === exchange, isSending, !isPaused else { return }
        markMoved(at: MonotonicClock.now)
    }

    /// The body has been sent: from now on the head is awaited.
    func bodySent(of exchange: Exchange) {
        guard self.exchange === exchange, isSending else { return }
        isSending = false
        sender = nil
        guard exchange.phase == .sendingBody else { return }
        exchange.phase = .waitingForHead
        exchange.timings.sentAt = MonotonicClock.now
        setDeadline(.head, from: exchange.timings.sentAt)
    }
}

extension HTTPRequest.Method {
    /// Methods whose request without a body says so with `Content-Length: 0` (RFC 9110 section 8.6).
    fileprivate var expectsBody: Bool { self != .get && (self == .post || self == .put || self == .patch) }
}
