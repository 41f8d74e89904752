// How an HTTP/2 connection receives.

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension HTTP2Connection {
    func receive(_ read: ReceivedBytes) {
        guard !ending.isClosed else { return }
        input.lastRead = MonotonicClock.now
        input.isSilentSinceIdle = false
        session.beginRead(at: input.lastRead)
        input.isReading = true
        if input.rest.isEmpty {
            if let consumed = consume(read) { input.rest.keep(read.bytes, after: consumed) }
        } else {
            let joined = input.rest.join(read.bytes)
            let consumed = joined.withUnsafeBytes { consume(ReceivedBytes($0)) }
            if let consumed { input.rest.giveBack(joined, consumed: consumed) }
        }
        endRead()
        input.isReading = false
        flush()
        if holdsTooMuch {
            return fail(
                WireError(.limitExceeded, "the server does not read the answers that it asks for"), .enhanceYourCalm)
        }
        // A peer that wants no more streams, and has none left, is waited for no longer.
        if session.isGoingAway, session.count == 0 { close() }
    }

    /// - Returns: how many of the bytes were consumed; nil if the connection has ended.
    private func consume(_ read: ReceivedBytes) -> Int? {
        var offset = 0
        var pieces = ReceivedPieces()
        var receiver: HTTP2Stream?
        func give() {
            guard let stream = receiver else { return }
            receiver = nil
            if let piece = pieces.take(from: read) { receive(piece, on: stream) }
        }
        do throws(WireError) {
            while true {
                let event = try session.next(read.bytes, &offset)
                if case .body(let stream, let range) = event {
                    if receiver != stream {
                        give()
                        receiver = stream
                    }
                    pieces.add(range, of: read)
                    continue
                }
                give()
                if case .needsMore = event { return offset }
                handle(event)
                guard !ending.isClosed else { return nil }
            }
        } catch {
            give()
            fail(error)
            return nil
        }
    }

    private func receive(_ piece: Bytes, on stream: HTTP2Stream) {
        guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { return }
        touch(stream)
        if exchange.receive(piece) { pause(activeStream) }
    }

    private func pause(_ activeStream: HTTP2ActiveStream) {
        guard !session.isPaused(activeStream.stream) else { return }
        session.pause(activeStream.stream)
        // The reader is slow, not the server: only the total deadline runs.
        activeStream.setDeadline(nil, from: 0)
    }

    private func touch(_ stream: HTTP2Stream) {
        if input.touched.last != stream { input.touched.append(stream) }
    }

    /// Everything that this read has brought is given.
    private func endRead() {
        for stream in input.touched {
            guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { continue }
            let pauses = exchange.endOfRead()
            guard !session.isPaused(stream) else { continue }
            if pauses {
                pause(activeStream)
                continue
            }
            // Also for the body of a response that is only read to its end, before the request is sent again.
            session.refill(stream)
            if exchange.phase == .receivingBody { activeStream.setDeadline(.idle, from: input.lastRead) }
        }
        input.touched.removeAll(keepingCapacity: true)
    }

    private func handle(_ event: HTTP2Session.Event) {
        switch event {
        case .whole(let stream, let head, let body):
            guard let exchange = take(stream) else { return }
            exchange.finish(head, body: body)
        case .informational(let stream, let head):
            guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { return }
            if head.status == 100 { activeStream.sender.continueReceived() }
            let fields = ReceivedFields(head, redaction: exchange.outgoing.request.ownRedaction)
            exchange.call.emit(.informational(status: head.status, fields))
        case .head(let stream, let head, let length):
            guard let activeStream = activeStream(stream), let exchange = activeStream.exchange else { return }
            activeStream.sender.finalHeadReceived()
            touch(stream)
            exchange.begin(head, length: length)
            if !exchange.call.options.wantsStream { session.widen(stream) }
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
            exchange.breakOff(CallError(error, phase: exchange.phase, connection: exchange.progress.connection))
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
        guard let activeStream = activeStream(stream), let exchange = activeStream.detach() else { return nil }
        exchangeEnded()
        return exchange
    }

    /// Bytes that came before a fault are given before the fault is told, be they of one read or of two.
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
            connection: exchange.progress.connection)
        guard code == .refusedStream, !isReceiving, !exchange.response.isRefused else {
            return exchange.breakOff(error)
        }
        exchange.sendUnprocessed("the server refused the stream", counts: !isEarly, orElse: error)
    }

    /// The connection is broken: its session has said why.
    /// - Parameter code: what the peer is told, if the session has not told it.
    private func fail(_ error: WireError, _ code: HTTP2Code? = nil) {
        ending.hasStoppedAccepting = true
        if let code { session.sendGoAway(code) }
        let advice = session.hasBegun ? nil : otherVersionAdvice
        for activeStream in streams.slots where activeStream.exchange != nil {
            tellRead(of: activeStream.stream)
            guard let exchange = activeStream.detach() else { continue }
            exchange.breakOff(
                CallError(
                    error.kind, error.description, phase: exchange.phase, advice: advice, timeout: nil,
                    underlying: error, connection: exchange.progress.connection))
        }
        guard !ending.isClosed else { return }
        if let channel {
            write(to: channel)
            channel.end()
        }
        _ = end()
    }

    func resumeReading(of activeStream: HTTP2ActiveStream, for exchange: Exchange) {
        guard session.isPaused(activeStream.stream) else { return }
        session.resume(activeStream.stream, wasSlow: exchange.response.window?.isReaderSlow ?? false)
        activeStream.setDeadline(.idle, from: MonotonicClock.now)
        flush()
    }
}
