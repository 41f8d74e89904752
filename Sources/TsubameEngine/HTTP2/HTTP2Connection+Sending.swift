// How an HTTP/2 connection sends: heads and small bodies at once, larger bodies as the windows allow.

import HTTPTypes
import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension HTTP2Connection {
    /// Sends the request. Head and small body go out in one write, with those of other requests that were begun with it.
    func run(_ exchange: Exchange) {
        let unsent = unsentBytes
        use.begin(exchange.call)
        if use.wasIdle, session.count == 0 { input.isSilentSinceIdle = true }
        let activeStream: HTTP2ActiveStream
        let plan: SendingPlan
        do throws(CallError) {
            plan = exchange.sendingPlan
            let stream = try open(exchange, plan)
            activeStream = slot(of: stream)
            activeStream.begin(exchange, on: stream, isEarly: !session.hasBegun)
        } catch {
            exchange.fail(error)
            return loopPool.exchangeEnded(on: self)
        }
        exchange.run(on: activeStream, of: use.info)
        do throws(CallError) {
            try activeStream.sender.send(exchange, plan, on: activeStream)
            activeStream.bytesAtOnce = Swift.max(unsentBytes - unsent, 0)
        } catch {
            // The stream is reset.
            exchange.fail(error)
        }
    }

    private func open(_ exchange: Exchange, _ plan: SendingPlan) throws(CallError) -> HTTP2Stream {
        let outgoing = exchange.outgoing
        let method = outgoing.request.method.rawValue
        // Asking the request copies it, and only OPTIONS can ask the server.
        let asksServer = method == "OPTIONS" && outgoing.request.asksServer
        let length: Int64? = if case .length(let length) = plan.framing { length } else { nil }
        do throws(WireError) {
            return try session.open(
                method: method, isSecure: key.origin.isSecure, authority: outgoing.uri.authority,
                target: asksServer ? "*" : outgoing.uri.target, headers: exchange.fields, length: length,
                limits: outgoing.call.options.limits, sharesFields: exchange.sharedFields != nil,
                endsStream: plan.endsWithHead)
        } catch {
            throw CallError(error, phase: .preparing)
        }
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
        if hasMoved, activeStream.sender.isSendingBody { activeStream.bodyMoved(at: MonotonicClock.now) }
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
        activeStream.sender.becameWritable()
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
        let (first, slots) = (streams.turn, streams.slots)
        for offset in slots.indices {
            guard let channel, channel.isWritable else { return }
            let index = (first + offset) % slots.count
            guard slots[index].outgoing != nil else { continue }
            streams.turn = index + 1
            pump(slots[index])
        }
    }

    func becameWritable() {
        flush()
        pumpAll()
        flush()
        for activeStream in streams.slots where activeStream.outgoing == nil { activeStream.sender.becameWritable() }
    }
}
