// How an exchange receives its response, over either version of HTTP.

import HTTPTypes
import TsubameCore
import TsubamePlatform

extension Exchange {
    private static let progressInterval: MonotonicTime = 50_000_000

    /// The whole response lay in one read: the way of most requests.
    func finish(_ head: ReceivedHead, body: Bytes) {
        do throws(CallError) {
            if try answersRefusal(head) { return restart(afterRefusal: true) }
        } catch {
            return fail(error)
        }
        let now = MonotonicClock.now
        progress.timings.headAt = now
        progress.timings.endAt = now
        let response = makeResponse(head, ResponseBody(body), trailers: nil)
        if outgoing.isObserved { tell(response, body) }
        setOver()
        answer(response)
    }

    @inline(never)
    private func tell(_ response: Response, _ body: Bytes) {
        var head = response
        head.body = ResponseBody()
        call.emit(.headReceived(head))
        call.emit(.receiving(TransferProgress(bytes: Int64(body.count), total: Int64(body.count))))
        if outgoing.shownBytes > 0 { call.emit(.responseBody(body.part(0..<outgoing.shownBytes), at: 0)) }
    }

    /// The head has come, a body follows.
    func begin(_ head: ReceivedHead, length: Int64?) {
        do throws(CallError) {
            if try answersRefusal(head) { return response.refuse() }
        } catch {
            return fail(error)
        }
        enter(.receivingBody)
        progress.timings.headAt = MonotonicClock.now
        response.begin(head, length: length)
        guard outgoing.isObserved else { return }
        progress.shown = ObservedBeginning(limit: outgoing.shownBytes)
        call.emit(.headReceived(makeResponse(head, ResponseBody(), trailers: nil)))
    }

    /// A piece of the body.
    /// - Returns: whether reading is to pause.
    func receive(_ piece: Bytes) -> Bool {
        if response.isRefused {
            // With a refusal that is too long its connection goes.
            if !response.drain(piece) {
                carrier?.abandon(self)
                restart(afterRefusal: true)
            }
            return false
        }
        // The reader may end the call as soon as it has the piece.
        if outgoing.isObserved { tell(progress.shown.next(piece)) }
        let pauses = response.append(piece, isShared: sharesReads)
        if outgoing.isObserved { tellReceived(isLast: false) }
        return pauses
    }

    /// The reader of the body has received so many bytes of it by itself.
    func receivedOnLoan(_ count: Int64) { response.countLent(count) }

    /// Everything that one read held has been given. A response that is not over, and is not to be gathered, is streamed.
    /// - Returns: whether reading is to pause.
    @discardableResult
    func endOfRead() -> Bool {
        guard response.wantsWindow(for: call), let head = response.head else { return false }
        let window = response.openWindow(self, call: call, isShared: sharesReads)
        answer(makeResponse(head, ResponseBody(BodyPull(window)), trailers: response.trailers), body: window)
        return window.isPaused
    }

    /// The response is complete.
    func end(trailers: HTTPFields?) {
        if response.isRefused { return restart(afterRefusal: true) }
        guard let head = response.head else { return }
        progress.timings.endAt = MonotonicClock.now
        if outgoing.isObserved {
            tellReceived(isLast: true)
            tell(progress.shown.end())
        }
        setOver()
        if let body = response.end(trailers: trailers) {
            answer(makeResponse(head, body, trailers: response.trailers))
        } else {
            bodyEnded()
        }
    }

    /// Whether one read of the connection may bring pieces of several bodies.
    private var sharesReads: Bool { carrier?.sharesReads ?? false }

    func makeResponse(_ head: ReceivedHead, _ body: ResponseBody, trailers: ResponseTrailers?) -> Response {
        Response(
            head: head, body: body,
            details: ResponseDetails(
                .connection(head), request: sentRequest, connection: progress.connection, timings: progress.timings,
                history: [], trailers: trailers, bufferedBody: call.options.limits.bufferedBody))
    }

    private func tellReceived(isLast: Bool) {
        let now = MonotonicClock.now
        guard isLast || now &- progress.lastReceiveEvent >= Self.progressInterval else { return }
        progress.lastReceiveEvent = now
        call.emit(.receiving(TransferProgress(bytes: response.receivedBytes, total: response.expectedLength)))
    }

    /// Tells a part of the response's body to the observers that want it.
    private func tell(_ shown: ObservedBeginning.Piece?) {
        if let shown { call.emit(.responseBody(shown.bytes, at: shown.offset)) }
    }
}

extension Exchange: BodyProducer {
    func resumeReading(of window: BodyWindow) {
        if loopPool.loop.inEventLoop {
            carrier?.resumeReading(for: self)
        } else {
            loopPool.loop.execute { self.carrier?.resumeReading(for: self) }
        }
    }

    func readerGaveUp(_ window: BodyWindow) { cancel() }
}
