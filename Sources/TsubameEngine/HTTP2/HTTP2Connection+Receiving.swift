// What an HTTP/2 connection makes of what it reads.

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension HTTP2Connection {
    func receive(_ bytes: ByteBuffer) {
        var buffer = bytes
        guard !isClosed else { return }
        pending.prepend(to: &buffer)
        lastRead = MonotonicClock.now
        session.beginRead(at: lastRead)
        isReading = true
        consume(&buffer)
        endRead()
        isReading = false
        flush()
        if holdsTooMuch {
            return fail(
                WireError(.limitExceeded, "the server does not read the answers that it asks for"), .enhanceYourCalm)
        }
        // A peer that wants no more streams, and has none left, is waited for no longer.
        if session.isGoingAway, session.count == 0 { close() }
    }

    private func consume(_ buffer: inout ByteBuffer) {
        var offset = 0
        var pieces = ReceivedPieces()
        var receiver: HTTP2Stream?
        func give() {
            guard let stream = receiver else { return }
            receiver = nil
            if let piece = pieces.take(from: buffer) { receive(piece, on: stream) }
        }
        do throws(WireError) {
            while true {
                let event = try buffer.withUnsafeReadableBytes { bytes throws(WireError) in
                    try session.next(bytes, &offset)
                }
                if case .body(let stream, let range) = event {
                    if receiver != stream {
                        give()
                        receiver = stream
                    }
                    pieces.add(range, of: buffer)
                    continue
                }
                give()
                if case .needsMore = event { break }
                handle(event)
                guard !isClosed else { return }
            }
        } catch {
            give()
            return fail(error)
        }
        pending.keep(buffer, after: offset)
    }

    private func receive(_ piece: Bytes, on stream: HTTP2Stream) {
        guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { return }
        touch(stream)
        let pauses = exchange.receive(piece)
        guard activeStream.exchange === exchange else { return }
        if pauses { pause(activeStream) }
    }

    private func pause(_ activeStream: HTTP2ActiveStream) {
        guard !session.isPaused(activeStream.stream) else { return }
        session.pause(activeStream.stream)
        // The reader is slow, not the server: only the total deadline runs.
        setDeadline(of: activeStream, nil, from: 0)
    }

    private func touch(_ stream: HTTP2Stream) {
        if touched.last != stream { touched.append(stream) }
    }

    /// What this read has brought is all there.
    private func endRead() {
        for stream in touched {
            guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { continue }
            let pauses = exchange.endOfRead()
            guard activeStream.exchange === exchange, !session.isPaused(stream) else { continue }
            if pauses {
                pause(activeStream)
                continue
            }
            // Also for the body of a response that is only read to its end, before the request is sent again.
            session.refill(stream)
            if exchange.phase == .receivingBody { setDeadline(of: activeStream, .idle, from: lastRead) }
        }
        touched.removeAll(keepingCapacity: true)
    }

    private func handle(_ event: HTTP2Session.Event) {
        switch event {
        case .whole(let stream, let head, let body):
            guard let exchange = take(stream) else { return }
            exchange.finish(head, body: body)
        case .informational(let stream, let head):
            guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { return }
            if head.status == 100 { releaseBody(of: activeStream) }
            let fields = ReceivedFields(head, redaction: exchange.request.ownRedaction)
            exchange.call.emit(.informational(status: head.status, fields))
        case .head(let stream, let head, let length):
            guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { return }
            // A final answer: whatever it is, the body that it did not wait for is not wanted.
            activeStream.held?.cancel()
            activeStream.held = nil
            touch(stream)
            exchange.begin(head, length: length)
            if !exchange.call.wantsStream { session.widen(stream) }
        case .end(let stream, let trailers):
            guard let exchange = take(stream) else { return }
            exchange.end(trailers: trailers)
        case .reset(let stream, let code):
            tellRead(of: stream)
            let isEarly = activeStream(stream)?.isEarly ?? false
            guard let exchange = take(stream) else { return }
            wasReset(exchange, code, isEarly: isEarly)
        case .failed(let stream, let error):
            tellRead(of: stream)
            guard let exchange = take(stream) else { return }
            exchange.fail(CallError(error, phase: exchange.phase, connection: exchange.info))
        case .writable(let stream?):
            if let activeStream = activeStream(stream) { pump(activeStream) }
        case .writable(nil): pumpAll()
        case .settings:
            pumpAll()
            loopPool.availableStreamsChanged(on: self)
        case .goAway(let last, let code): goAway(last, code)
        case .body, .needsMore: break
        }
    }

    /// The exchange of a stream that is over. The connection goes back before the caller goes on, so that his next call
    /// finds it.
    private func take(_ stream: HTTP2Stream) -> Exchange? {
        guard let activeStream = activeStream(stream), let exchange = detach(activeStream) else { return nil }
        exchangeEnded()
        return exchange
    }

    /// What came before a fault is given before the fault is told, be they of one read or of two.
    private func tellRead(of stream: HTTP2Stream) {
        if let exchange = activeStream(stream)?.exchange, exchange.phase == .receivingBody { exchange.endOfRead() }
    }

    /// - Parameter isEarly: more of them than the server allows may have been begun before it had said so.
    private func wasReset(_ exchange: Exchange, _ code: HTTP2Code, isEarly: Bool) {
        let isReceiving = exchange.phase == .receivingBody
        let error = CallError(
            isReceiving ? .incompleteResponse : .connectionLost,
            "the server reset the stream (\(code))\(isReceiving ? " before the end of the body" : "")",
            phase: exchange.phase,
            advice: code == .http11Required ? "set connection.httpVersion to .http11 for this server" : nil,
            timeout: nil,
            connection: exchange.info)
        guard code == .refusedStream, !isReceiving else { return exchange.fail(error) }
        exchange.sendUnprocessed("the server refused the stream", counts: !isEarly, orElse: error)
    }

    /// The connection is broken: its session has said why.
    /// - Parameter code: what the peer is told, if the session has not told it.
    private func fail(_ error: WireError, _ code: HTTP2Code? = nil) {
        hasStoppedAccepting = true
        if let code { session.sendGoAway(code) }
        let advice = session.hasBegun ? nil : "leave connection.httpVersion as it is by default"
        let running = activeStreams.filter { $0.exchange != nil }
        for activeStream in running {
            tellRead(of: activeStream.stream)
            guard let exchange = detach(activeStream) else { continue }
            exchange.fail(
                CallError(
                    error.kind, error.description, phase: exchange.phase, advice: advice, timeout: nil,
                    underlying: error,
                    connection: exchange.info))
        }
        guard !isClosed else { return }
        isClosed = true
        if let channel {
            write(to: channel)
            channel.end()
        }
        loopPool.removed(self)
    }

    func resumeReading(for exchange: Exchange) {
        guard let activeStream = activeStream(of: exchange), session.isPaused(activeStream.stream) else { return }
        session.resume(activeStream.stream, wasSlow: exchange.window?.isReaderSlow ?? false)
        setDeadline(of: activeStream, .idle, from: MonotonicClock.now)
        flush()
    }
}
