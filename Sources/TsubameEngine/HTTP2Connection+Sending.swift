// How an HTTP/2 connection sends: heads and small bodies at once, larger bodies as the windows allow.

import HTTPTypes
import NIOCore
import TsubameCore
import TsubameWire

extension HTTP2Connection {
    /// Sends the request. Head and small body go out in one write, with those of other requests that were begun with it.
    func run(_ exchange: Exchange) {
        guard context != nil, let framing = exchange.framing else {
            return exchange.fail(CallError(.connectionLost, "the connection was lost", phase: .sendingHead))
        }
        let wasIdle = exchanges > 0 && session.count == 0
        exchanges += 1
        exchange.connection = self
        exchange.info = exchanges > 1 ? facts.reused() : facts
        exchange.sendings += 1
        let asksFirst = exchange.asksFirst(framing)
        let body = asksFirst ? nil : exchange.smallBody
        let lane: HTTP2Lane
        do throws(WireError) {
            lane = add(exchange, try open(exchange, framing, endsStream: endsWithHead(exchange)))
        } catch {
            exchange.connection = nil
            exchange.fail(CallError(error, phase: .preparing))
            return shard.exchangeEnded(on: self)
        }
        lane.wasIdle = wasIdle
        lane.isEarly = !session.hasBegun
        exchange.phase = .waitingForHead
        if exchange.isObserved {
            exchange.tellSent(body)
            // Whoever was told may have cancelled the call.
            guard lane.exchange === exchange else { return }
        }
        let now = MonotonicClock.now
        exchange.timings.sentAt = now
        if asksFirst {
            holdBody(of: lane, at: now)
        } else if case .pieces(let reader, let length) = exchange.upload {
            startBody(of: lane, reader, length, at: now)
        } else {
            setDeadline(of: lane, .head, from: now)
            if let body, body.count > 0 {
                lane.outgoing = OutgoingBody([body], isLast: true)
                pump(lane)
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
        let request = exchange.request
        let length: Int64? = if case .length(let length) = framing { length } else { nil }
        return try session.open(
            method: request.method.rawValue, isSecure: key.origin.isSecure, authority: exchange.uri.authority,
            target: request.asksServer ? "*" : exchange.uri.target, headers: request.headers, length: length,
            limits: exchange.call.limits, endsStream: endsStream)
    }

    private func startBody(of lane: HTTP2Lane, _ reader: any BodyReader, _ length: Int64?, at now: MonotonicTime) {
        guard let exchange = lane.exchange else { return }
        exchange.phase = .sendingBody
        setDeadline(of: lane, .idle, from: now)
        let sender = BodySender(reader, length: length, exchange: exchange, sink: self)
        lane.sender = sender
        sender.start()
    }

    // MARK: Expect: 100-continue (RFC 9110 section 10.1.1)

    private func holdBody(of lane: HTTP2Lane, at now: MonotonicTime) {
        setDeadline(of: lane, .head, from: now)
        let stream = lane.stream
        lane.held = shard.loop.scheduleTask(in: .nanoseconds(Exchange.patience)) { [weak self] in
            guard let self, let lane = self.lane(stream) else { return }
            self.releaseBody(of: lane)
            self.flush()
        }
    }

    /// The server wants the body, or has had its time to refuse it.
    func releaseBody(of lane: HTTP2Lane) {
        guard let held = lane.held, let exchange = lane.exchange else { return }
        held.cancel()
        lane.held = nil
        let now = MonotonicClock.now
        switch exchange.upload {
        case .small(let bytes):
            exchange.tellSent(body: bytes)
            // Whoever was told may have cancelled the call.
            guard lane.exchange === exchange else { return }
            exchange.timings.sentAt = now
            setDeadline(of: lane, .head, from: now)
            lane.outgoing = OutgoingBody([bytes], isLast: true)
            pump(lane)
        case .pieces(let reader, let length): startBody(of: lane, reader, length, at: now)
        case .none, .file: break
        }
    }

    // MARK: Windows (RFC 9113 section 5.2)

    /// More than this is not given to the socket at once.
    private static var writtenAtOnce: Int { 64 << 10 }

    /// Sends what the windows and the socket allow of a body.
    func pump(_ lane: HTTP2Lane) {
        guard let outgoing = lane.outgoing, let context else { return }
        var hasMoved = false
        // Writing may bring the socket's word that it takes more, and with it this again.
        while lane.outgoing === outgoing, context.channel.isWritable {
            let allowed = session.sendable(on: lane.stream)
            let count = outgoing.count(upTo: allowed)
            let isWhole = outgoing.count(upTo: count + 1) == count
            guard count > 0 || isWhole else { break }
            let endsStream = isWhole && outgoing.isLast && outgoing.trailers == nil
            if count > 0 || endsStream {
                let header = session.beginData(count, endsStream: endsStream, on: lane.stream)
                gather()
                write(header)
                outgoing.take(count, to: &output)
                hasMoved = true
            }
            if isWhole {
                finish(lane, outgoing, on: context)
                break
            }
            if output.readableBytes >= Self.writtenAtOnce { write(to: context, promise: nil) }
        }
        if hasMoved, let exchange = lane.exchange { bodyMoved(of: exchange) }
    }

    private func finish(_ lane: HTTP2Lane, _ outgoing: OutgoingBody, on context: ChannelHandlerContext) {
        lane.outgoing = nil
        if outgoing.isLast, let trailers = outgoing.trailers {
            do throws(WireError) {
                try session.sendTrailers(trailers, on: lane.stream)
            } catch {
                outgoing.promise?.fail(error)
                lane.exchange?.fail(CallError(error, phase: .sendingBody))
                return
            }
        }
        if let promise = outgoing.promise { write(to: context, promise: promise) }
        lane.sender?.becameWritable()
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
        for index in lanes.indices {
            guard let context, context.channel.isWritable else { return }
            let index = (first + index) % lanes.count
            guard lanes[index].outgoing != nil else { continue }
            turn = index + 1
            pump(lanes[index])
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            flush()
            pumpAll()
            flush()
            for lane in lanes where lane.outgoing == nil { lane.sender?.becameWritable() }
        }
        context.fireChannelWritabilityChanged()
    }
}

extension HTTP2Connection: BodySink {
    func takes(bodyOf exchange: Exchange) -> Bool { lane(of: exchange)?.outgoing == nil }

    func write(_ pieces: [Bytes], of exchange: Exchange, promise: EventLoopPromise<Void>) {
        send(OutgoingBody(pieces, isLast: false, promise: promise), of: exchange)
    }

    func writeEnd(_ end: BodySender.End, of exchange: Exchange, promise: EventLoopPromise<Void>) {
        let pieces = end.last.map { [$0] } ?? []
        send(
            OutgoingBody(
                pieces, isLast: true, trailers: end.trailers.flatMap { $0.isEmpty ? nil : $0 }, promise: promise),
            of: exchange)
    }

    private func send(_ body: OutgoingBody, of exchange: Exchange) {
        guard let lane = lane(of: exchange), lane.outgoing == nil else {
            body.promise?.fail(ChannelError.alreadyClosed)
            return
        }
        lane.outgoing = body
        pump(lane)
        flush()
    }

    func bodyMoved(of exchange: Exchange) {
        guard let lane = lane(of: exchange), lane.sender != nil, !session.isPaused(lane.stream) else { return }
        setDeadline(of: lane, .idle, from: MonotonicClock.now)
    }

    func bodySent(of exchange: Exchange) {
        guard let lane = lane(of: exchange) else { return }
        lane.sender = nil
        guard exchange.phase == .sendingBody else { return }
        exchange.phase = .waitingForHead
        exchange.timings.sentAt = MonotonicClock.now
        setDeadline(of: lane, .head, from: exchange.timings.sentAt)
    }
}
