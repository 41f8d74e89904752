// How a connection sends: the head and a small body in one write, a larger body by its sender.

import HTTPTypes
import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension Connection {
    /// Sends the request. Head and small body go out in one write.
    func run(_ exchange: Exchange) {
        guard let channel else {
            return exchange.fail(CallError(.connectionLost, "the connection was lost", phase: .sendingHead))
        }
        self.exchange = exchange
        exchanges += 1
        exchange.connection = self
        exchange.info = exchanges > 1 ? facts.reused() : facts
        exchange.sendings += 1
        isSending = false
        let method = exchange.request.method
        // A connection serves calls of views with other limits.
        decoder.begin(isHead: method != .get && method == .head, limits: exchange.call.limits)
        guard let framing = exchange.framing else {
            // The loop pool opens files before it asks for a connection.
            detach(exchange)
            exchange.fail(CallError(.misuse, "the body's file was not opened", phase: .preparing))
            return loopPool.exchangeEnded(on: self)
        }
        let smallBody = exchange.smallBody
        let asksFirst = exchange.asksFirst(framing)
        do throws(WireError) {
            try writeHead(of: exchange, framing, asksFirst ? nil : smallBody)
        } catch {
            // Nothing was written: the connection is as good as before.
            detach(exchange)
            exchange.fail(CallError(error, phase: .preparing))
            loopPool.exchangeEnded(on: self)
            return
        }
        exchange.phase = .waitingForHead
        if exchange.isObserved {
            exchange.tellSent(asksFirst ? nil : smallBody)
            // Whoever was told may have cancelled the call.
            guard self.exchange === exchange else { return }
        }
        let now = MonotonicClock.now
        exchange.timings.sentAt = now
        if asksFirst {
            sendHead(on: channel)
            // The write may have found that the connection is gone. The request then goes out on another one.
            guard self.exchange === exchange else { return }
            holdBody(of: exchange, at: now)
        } else if case .pieces(let reader, let length) = exchange.upload {
            // With nothing to follow the head is the whole request, and waits until the reader has said so.
            if framing != .length(0) { sendHead(on: channel) } else { isUnsent = true }
            guard self.exchange === exchange else { return }
            startBody(of: exchange, reader, length, at: now)
        } else {
            setDeadline(.head, from: now)
            sendHead(on: channel)
        }
    }

    private func sendHead(on channel: SocketChannel) {
        isUnsent = true
        channel.send(output)
        isUnsent = channel.hasFailedWriting
    }

    func startBody(of exchange: Exchange, _ reader: any BodyReader, _ length: Int64?, at now: MonotonicTime) {
        isSending = true
        exchange.phase = .sendingBody
        markMoved(at: now)
        let sender = BodySender(reader, length: length, exchange: exchange, sink: self)
        self.sender = sender
        sender.start()
    }

    private func writeHead(
        of exchange: Exchange, _ framing: RequestEncoder.Framing, _ body: Bytes?
    ) throws(WireError) {
        let uri = exchange.uri
        let method = exchange.request.method.rawValue
        // Asking the request copies it, and only OPTIONS can ask the server.
        let asksServer = method == "OPTIONS" && exchange.request.asksServer
        let bodyCount = body?.count ?? 0
        var (target, headers) = (uri.target, exchange.request.headers.fields)
        if asksServer { target = "*" }
        var shared = exchange.call.sharedFields
        if let fields = shared?.fields, !PreencodedFields.isSame(fields, headers) { shared = nil }
        if key.isForwarded {
            shared = nil
            // Without a path it is the server that is asked (RFC 9112 section 3.2.4).
            target = "http://\(uri.authority)\(asksServer ? "" : uri.target)"
            if !headers.contains(.proxyAuthorization), let value = exchange.proxyAuthorization(target) {
                headers.appendSafely(HTTPField(name: .proxyAuthorization, value: value))
            }
        } else if !key.settings.hasNoProxy, headers.contains(.proxyAuthorization) {
            // Credentials for a proxy go to the proxy, and no further.
            shared = nil
            headers[fields: .proxyAuthorization] = []
        }
        requestEndsConnection = shared?.endConnection ?? headers.endConnection
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

    func becameWritable() { sender?.becameWritable() }

    private func write(_ buffer: ByteBuffer, of exchange: Exchange, promise: EventLoopPromise<Void>) {
        guard self.exchange === exchange, let channel else { return promise.fail(ChannelError.alreadyClosed) }
        channel.send(buffer, promise: promise)
        if isUnsent { isUnsent = channel.hasFailedWriting }
    }
}

// The pieces of a body, in chunks if its length is not known (RFC 9112 section 7.1).
extension Connection: BodySink {
    func takes(bodyOf exchange: Exchange) -> Bool { channel?.isWritable ?? false }

    func write(_ pieces: [Bytes], of exchange: Exchange, promise: EventLoopPromise<Void>) {
        let isChunked = exchange.isChunked
        let count = pieces.reduce(0) { $0 + $1.count }
        var buffer = ByteBufferAllocator().buffer(capacity: count + (isChunked ? pieces.count * 32 : 0))
        for piece in pieces { buffer.write(piece, asChunk: isChunked) }
        write(buffer, of: exchange, promise: promise)
    }

    /// The piece that completes the declared length, or the last chunk.
    func writeEnd(_ end: BodySender.End, of exchange: Exchange, promise: EventLoopPromise<Void>) {
        let isChunked = exchange.isChunked
        // With nothing to follow the head has not gone out yet.
        var buffer =
            exchange.framing == .length(0)
            ? output : ByteBufferAllocator().buffer(capacity: (end.last?.count ?? 0) + end.trailerLines.count + 48)
        if let last = end.last, last.count > 0 { buffer.write(last, asChunk: isChunked) }
        if isChunked {
            buffer.writeStaticString("0\r\n")
            buffer.writeBytes(end.trailerLines)
            buffer.writeStaticString("\r\n")
        }
        write(buffer, of: exchange, promise: promise)
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

extension ByteBuffer {
    fileprivate mutating func write(_ piece: Bytes, asChunk isChunk: Bool) {
        if isChunk {
            writeWithUnsafeMutableBytes(minimumWritableBytes: 32) { RequestEncoder.chunkHeader(piece.count, into: $0) }
        }
        piece.withUnsafeBytes { _ = writeBytes($0) }
        if isChunk { writeStaticString("\r\n") }
    }
}
