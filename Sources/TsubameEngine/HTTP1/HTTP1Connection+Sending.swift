// How a connection sends: the head and a small body in one write, a larger body by its sender.

import HTTPTypes
import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameSockets
import TsubameWire

extension HTTP1Connection {
    func run(_ exchange: Exchange) {
        self.exchange = exchange
        use.begin(exchange.call)
        input.canLend = true
        exchange.run(on: self, of: use.info)
        // A server of HTTP/1.0 does not answer the expectation (RFC 9110 section 10.1.1).
        if output.isOld { exchange.dropExpect() }
        let method = exchange.outgoing.request.method
        // A connection serves calls of views with other limits.
        input.decoder.begin(isHead: method != .get && method == .head, limits: exchange.call.options.limits)
        do throws(CallError) {
            let plan = exchange.sendingPlan
            try encodeHead(of: exchange, plan)
            try sender.send(exchange, plan, on: self)
        } catch {
            // Nothing was written: the connection is as good as before.
            detach(exchange)
            exchange.fail(error)
            loopPool.exchangeEnded(on: self)
        }
    }

    /// Encodes the head, and the body that goes with it.
    private func encodeHead(of exchange: Exchange, _ plan: SendingPlan) throws(CallError) {
        let uri = exchange.outgoing.uri
        let method = exchange.outgoing.request.method.rawValue
        // Asking the request copies it, and only OPTIONS can ask the server.
        let asksServer = method == "OPTIONS" && exchange.outgoing.request.asksServer
        let (framing, body) = (plan.framing, plan.bodyWithHead)
        let bodyCount = body?.count ?? 0
        var (target, headers) = (uri.target, exchange.fields)
        if asksServer { target = "*" }
        var shared = exchange.sharedFields
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
        // For a variable that a closure uses, each use would check for another access.
        let (line, fields, preencoded, isOld) = (target, headers, shared, output.isOld)
        output.endsConnection = isOld || (preencoded?.endConnection ?? fields.endConnection)
        let size =
            bodyCount
            + RequestEncoder.capacity(
                method: method, target: line, authority: uri.authority, headers: fields, shared: preencoded)
        func encode(into room: UnsafeMutableRawBufferPointer) throws(WireError) -> Int {
            var count = try RequestEncoder.write(
                method: method, target: line, authority: uri.authority, headers: fields, shared: preencoded,
                framing: framing, isOld: isOld, into: room)
            body?.withUnsafeBytes { bytes in
                guard let from = bytes.baseAddress, let to = room.baseAddress, count + bytes.count <= room.count
                else { return }
                (to + count).copyMemory(from: from, byteCount: bytes.count)
                count += bytes.count
            }
            return count
        }
        do throws(WireError) {
            // Before observers have been told, nothing of the request may stand in memory that others use.
            if channel?.isSecured == false, !exchange.outgoing.isObserved, size <= MemoryChunk.capacity {
                let room = UnsafeMutableRawBufferPointer(start: loopPool.loop.loop.output.base, count: size)
                output.count = try encode(into: room)
            } else {
                output.count = 0
                try output.head.encode(size, encode)
            }
        } catch {
            throw CallError(error, phase: .preparing)
        }
    }

    func becameWritable() { sender.becameWritable() }
}

// The pieces of a body go in chunks if its length is not known (RFC 9112 section 7.1).
extension HTTP1Connection: RequestFraming {
    func sendHead(_ plan: SendingPlan) -> Bool {
        output.isUnsent = true
        guard let channel else { return false }
        let encoded = UnsafeRawBufferPointer(start: loopPool.loop.loop.output.base, count: output.count)
        // With nothing to follow the head is the whole request, and waits until the reader of the body has said so.
        if !plan.endsWithHead, plan.framing == .length(0) {
            if output.count > 0 { output.head = ByteBuffer(bytes: encoded) }
            return true
        }
        if output.count > 0 { channel.send(encoded) } else { channel.send(output.head) }
        output.isUnsent = channel.hasFailedWriting
        return !output.isUnsent
    }

    func sendHeldBody(_ body: Bytes) { channel?.send(body.withUnsafeBytes { ByteBuffer(bytes: $0) }) }

    var takesBody: Bool { channel?.isWritable ?? false }

    func send(_ pieces: [Bytes], promise: EventLoopPromise<Void>) {
        let isChunked = exchange?.isChunked ?? false
        let count = pieces.reduce(0) { $0 + $1.count }
        var buffer = ByteBufferAllocator().buffer(capacity: count + (isChunked ? pieces.count * 32 : 0))
        for piece in pieces { buffer.write(piece, asChunk: isChunked) }
        send(buffer, promise: promise)
    }

    /// The piece that completes the declared length, or the last chunk.
    func send(_ end: BodySender.End, promise: EventLoopPromise<Void>) {
        let isChunked = exchange?.isChunked ?? false
        // With nothing to follow the head has not gone out yet.
        var buffer =
            output.isUnsent
            ? output.head : ByteBufferAllocator().buffer(capacity: (end.last?.count ?? 0) + end.trailerLines.count + 48)
        if let last = end.last, last.count > 0 { buffer.write(last, asChunk: isChunked) }
        if isChunked {
            buffer.writeStaticString("0\r\n")
            buffer.writeBytes(end.trailerLines)
            buffer.writeStaticString("\r\n")
        }
        send(buffer, promise: promise)
    }

    private func send(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>) {
        guard let channel else { return promise.fail(ChannelError.alreadyClosed) }
        channel.send(buffer, promise: promise)
        if output.isUnsent { output.isUnsent = channel.hasFailedWriting }
    }

    func bodyMoved(at now: MonotonicTime) {
        if !input.isPaused { markMoved(at: now) }
    }

    func bodyEnded(at now: MonotonicTime) {
        if !input.isPaused { setDeadline(.idle, from: now) }
    }

    func flush() {}
}

extension ByteBuffer {
    /// Fills the buffer with at most so many bytes.
    fileprivate mutating func encode(
        _ size: Int, _ encode: (UnsafeMutableRawBufferPointer) throws(WireError) -> Int
    ) throws(WireError) {
        clear(minimumCapacity: size)
        var failure: WireError?
        writeWithUnsafeMutableBytes(minimumWritableBytes: size) { room in
            do throws(WireError) {
                return try encode(room)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
    }

    fileprivate mutating func write(_ piece: Bytes, asChunk isChunk: Bool) {
        if isChunk {
            writeWithUnsafeMutableBytes(minimumWritableBytes: 32) { RequestEncoder.chunkHeader(piece.count, into: $0) }
        }
        piece.withUnsafeBytes { _ = writeBytes($0) }
        if isChunk { writeStaticString("\r\n") }
    }
}
