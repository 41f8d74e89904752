// How an HTTP/2 connection sends: heads and small bodies at once, larger bodies as the windows allow.

import HTTPTypes
import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension HTTP2Connection {
    /// Sends the request. Head and small body go out in one write, with those of other requests that were begun with it.
    func run(_ exchange: Exchange) {
        guard channel != nil, let framing = exchange.framing else {
            return exchange.fail(CallError(.connectionLost, "the connection was lost", phase: .sendingHead))
        }
        let wasIdle = exchanges > 0 && session.count == 0
        exchanges += 1
        exchange.connection = self
        exchange.info = exchanges > 1 ? facts.reused() : facts
        exchange.sendings += 1
        let asksFirst = exchange.asksFirst(framing)
        let body = asksFirst ? nil : exchange.smallBody
        let activeStream: HTTP2ActiveStream
        do throws(WireError) {
            activeStream = add(exchange, try open(exchange, framing, endsStream: endsWithHead(exchange)))
        } catch {
            exchange.connection = nil
            exchange.fail(CallError(error, phase: .preparing))
            return loopPool.exchangeEnded(on: self)
        }
        activeStream.wasIdle = wasIdle
        activeStream.isEarly = !session.hasBegun
        exchange.phase = .waitingForHead
        if exchange.isObserved {
            exchange.tellSent(body)
            // Whoever was told may have cancelled the call.
            guard activeStream.exchange === exchange else { return }
        }
        let now = MonotonicClock.now
        exchange.timings.sentAt = now
        if asksFirst {
            holdBody(of: activeStream, at: now)
        } else if case .pieces(let reader, let length) = exchange.upload {
            startBody(of: activeStream, reader, length, at: now)
        } else {
            setDeadline(of: activeStream, .head, from: now)
            if let body, body.count > 0 {
                activeStream.outgoing = HTTP2BodyQueue([body], isLast: true)
                pump(activeStream)
            }
        }
        flush()
    }

    private func endsWithHead(_ exchange: Exchange) -> Bool {
        switch exchange.upload {
        case .none: true
        case .small(let bytes): bytes.count == 0
        case .pieces, .file: false
        }
    }

    private func open(
        _ exchange: Exchange, _ framing: RequestEncoder.Framing, endsStream: Bool
    ) throws(WireError) -> HTTP2Stream {
        let method = exchange.request.method.rawValue
        // Asking the request copies it, and only OPTIONS can ask the server.
        let asksServer = method == "OPTIONS" && exchange.request.asksServer
        let length: Int64? = if case .length(let length) = framing { length } else { nil }
        return try session.open(
            method: method, isSecure: key.origin.isSecure, authority: exchange.uri.authority,
            target: asksServer ? "*" : exchange.uri.target, headers: exchange.request.headers.fields, length: length,
            limits: exchange.call.limits, endsStream: endsStream)
    }

    func startBody(
        of activeStream: HTTP2ActiveStream, _ reader: any BodyReader, _ length: Int64?, at now: MonotonicTime
    ) {
        guard let exchange = activeStream.exchange else { return }
        exchange.phase = .sendingBody
        setDeadline(of: activeStream, .idle, from: now)
        let sender = BodySender(reader, length: length, exchange: exchange, sink: self)
        activeStream.sender = sender
        sender.start()
    }

    // MARK: Windows (RFC 9113 section 5.2)

    /// More than this is not given to the socket at once.
    private static var writtenAtOnce: Int { 64 << 10 }

    /// Sends what the windows and the socket allow of a body.
    func pump(_ activeStream: HTTP2ActiveStream) {
        guard let outgoing = activeStream.outgoing, let channel else { return }
        var hasMoved = false
        // Writing may bring the socket's word that it takes more, and with it this again.
        while activeStream.outgoing === outgoing, channel.isWritable {
            let allowed = session.sendable(on: activeStream.stream)
            let count = outgoing.count(upTo: allowed)
            let isWhole = outgoing.count(upTo: count + 1) == count
            guard count > 0 || isWhole else { break }
            let endsStream = isWhole && outgoing.isLast && outgoing.trailers == nil
            if count > 0 || endsStream {
                let header = session.beginData(count, endsStream: endsStream, on: activeStream.stream)
                gather()
                write(header)
                outgoing.take(count, to: &output)
                hasMoved = true
            }
            if isWhole {
                finish(activeStream, outgoing, on: channel)
                break
            }
            if output.readableBytes >= Self.writtenAtOnce { write(to: channel) }
        }
        if hasMoved, let exchange = activeStream.exchange { bodyMoved(of: exchange) }
    }

    private func finish(_ activeStream: HTTP2ActiveStream, _ outgoing: HTTP2BodyQueue, on channel: SocketChannel) {
        activeStream.outgoing = nil
        if outgoing.isLast, let trailers = outgoing.trailers {
            do throws(WireError) {
                try session.sendTrailers(trailers, on: activeStream.stream)
            } catch {
                outgoing.promise?.fail(error)
                activeStream.exchange?.fail(CallError(error, phase: .sendingBody))
                return
            }
        }
        if let promise = outgoing.promise { write(to: channel, promise: promise) }
        activeStream.sender?.becameWritable()
    }

    private func write(_ header: HTTP2Frame.Header) {
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: HTTP2Frame.Header.size) { room in
            guard let base = room.baseAddress else { return 0 }
            header.write(to: base)
            return HTTP2Frame.Header.size
        }
    }

    /// Each gets what the windows allow, until the socket is full; then the next one is the first.
    func pumpAll() {
        let first = turn
        for index in activeStreams.indices {
            guard let channel, channel.isWritable else { return }
            let index = (first + index) % activeStreams.count
            guard activeStreams[index].outgoing != nil else { continue }
            turn = index + 1
            pump(activeStreams[index])
        }
    }

    func becameWritable() {
        flush()
        pumpAll()
        flush()
        for activeStream in activeStreams where activeStream.outgoing == nil { activeStream.sender?.becameWritable() }
    }
}

extension HTTP2Connection: BodySink {
    func takes(bodyOf exchange: Exchange) -> Bool { activeStream(of: exchange)?.outgoing == nil }

    func write(_ pieces: [Bytes], of exchange: Exchange, promise: EventLoopPromise<Void>) {
        send(HTTP2BodyQueue(pieces, isLast: false, promise: promise), of: exchange)
    }

    func writeEnd(_ end: BodySender.End, of exchange: Exchange, promise: EventLoopPromise<Void>) {
        let pieces = end.last.map { [$0] } ?? []
        send(
            HTTP2BodyQueue(
                pieces, isLast: true, trailers: end.trailers.flatMap { $0.isEmpty ? nil : $0 }, promise: promise),
            of: exchange)
    }

    private func send(_ body: HTTP2BodyQueue, of exchange: Exchange) {
        guard let activeStream = activeStream(of: exchange), activeStream.outgoing == nil else {
            body.promise?.fail(ChannelError.alreadyClosed)
            return
        }
        activeStream.outgoing = body
        pump(activeStream)
        flush()
    }

    func bodyMoved(of exchange: Exchange) {
        guard let activeStream = activeStream(of: exchange), activeStream.sender != nil,
            !session.isPaused(activeStream.stream)
        else { return }
        setDeadline(of: activeStream, .idle, from: MonotonicClock.now)
    }

    func bodySent(of exchange: Exchange) {
        guard let activeStream = activeStream(of: exchange) else { return }
        activeStream.sender = nil
        guard exchange.phase == .sendingBody else { return }
        exchange.phase = .waitingForHead
        exchange.timings.sentAt = MonotonicClock.now
        setDeadline(of: activeStream, .head, from: exchange.timings.sentAt)
    }
}
