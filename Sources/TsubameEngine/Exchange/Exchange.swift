// Exchange: one request and its response on one connection.

import HTTPTypes
import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameWire

/// One request on its way through the engine. Made where the call runs; from the hand-over on confined to the loop of
/// its loop pool, until the waiting call is resumed with its outcome.
// Guarded by confinement to `loopPool.loop`, where no two accesses overlap; `outcome` is written before `isSettled` is set,
// and read after.
final class Exchange: CallCancellable, @unchecked Sendable {
    /// Collected on the loop rather than streamed, so that the call needs one resume.
    static let gatheredBytes = 256 << 10
    private static let progressInterval: UInt64 = 50_000_000

    /// Changed once at most: when the server refuses its Expect.
    @exclusivity(unchecked) private(set) var request: Request
    /// Whether the request may be sent again. Asking the request itself would copy it.
    let mayBeReplayed: Bool
    let uri: TargetURI
    let call: Call
    let key: ConnectionKey
    let loopPool: LoopPool
    private(set) var upload: RequestBodySource
    private var continuation: UnsafeContinuation<Void, Never>?
    private var outcome: Result<Response, CallError>?
    /// A continuation that is resumed before it is awaited orders memory, but not so that ThreadSanitizer would see it.
    private let isSettled = Atomic(false)

    /// The connection it runs on; nil while it waits and once it is over.
    var connection: (any PooledConnection)?
    /// It only has a connection made.
    let isWarmUp: Bool
    /// Its loop pool counts it until it is over.
    var isFromElsewhere = false
    var info: ConnectionInfo?
    var isWaiting = false
    /// Its place among the waiting exchanges of its pool.
    var waiterID: (origin: OriginPool, id: OriginPool.Pool.WaiterID)?
    var phase = CallError.Phase.waiting
    @exclusivity(unchecked) var timings = Timings()
    /// Its stream, where the connection has several.
    var stream: HTTP2Stream?
    /// How often a server has said that it did not process it.
    var refusals = 0
    /// How often it has been sent; after a lost reused connection only a new one will do, since others that were idle
    /// may be dead as well.
    @exclusivity(unchecked) var sendings = 0
    /// When waiting without a connection ends, and by which limit.
    var waitDeadline = MonotonicClock.never
    var waitLimit = Timeouts.Name.pool
    var isObserved = false
    /// As much of each body as observers want to be told.
    let shownBytes: Int
    @exclusivity(unchecked) private var shown = GatheredBytes()

    /// Of a request that a proxy forwards: what it is told of who asks.
    var proxyCredentials: ProxyCredentials?
    /// The proxy's refusal is answered once the rest of it has been read, of which so many bytes have been.
    var refusedBytes: Int?
    private var head: ReceivedHead?
    private var expectedLength: Int64?
    @exclusivity(unchecked) private var gathered = GatheredBytes()
    private var receivedBytes: Int64 = 0
    /// Of the request's body: what the socket has taken.
    var sentBytes: Int64 = 0
    private var lastReceiveEvent: MonotonicTime = 0
    private(set) var window: BodyWindow?
    private var trailers: ResponseTrailers?
    private var isOver = false
    private var hasBegun = false
    private var isCancelled = false

    init(
        _ request: Request, uri: TargetURI, call: Call, key: ConnectionKey, loopPool: LoopPool,
        upload: RequestBodySource,
        isWarmUp: Bool = false
    ) {
        self.isWarmUp = isWarmUp
        mayBeReplayed = request.mayBeReplayed
        self.request = request
        self.uri = uri
        self.call = call
        self.key = key
        self.loopPool = loopPool
        self.upload = upload
        timings.start = call.start
        isObserved = call.isObserved
        shownBytes = isObserved ? call.observedBodyBytes : 0
    }

    /// What the waiting call was resumed with. It is kept no longer: a streamed body refers back to this exchange.
    func takeOutcome() -> Result<Response, CallError>? {
        guard isSettled.load(ordering: .acquiring) else { return nil }
        return outcome.take()
    }

    func wait(_ continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }

    /// From any thread: ends the exchange, wherever it is.
    func cancel() {
        if loopPool.loop.inEventLoop {
            cancelHere()
        } else {
            loopPool.loop.execute { self.cancelHere() }
        }
    }

    private func cancelHere() {
        // Before it has begun, nobody can be resumed yet.
        guard hasBegun else { return isCancelled = true }
        fail(call.cancelled(phase))
    }

    // MARK: On the loop

    /// The exchange is in the hands of its loop; false if it has been ended at once.
    func begin() -> Bool {
        if isOver { return false }
        hasBegun = true
        guard !isCancelled, call.onCancel(self) else {
            fail(call.cancelled(phase))
            return false
        }
        return true
    }

    /// The connector that was made for this exchange has made its connection.
    func take(_ facts: ConnectorFacts) {
        timings.resolvedAt = facts.resolvedAt
        timings.connectedAt = facts.connectedAt
        timings.securedAt = facts.securedAt
    }

    /// Why the request cannot be sent, if it cannot.
    var invalidity: CallError? {
        do throws(WireError) {
            try RequestEncoder.validate(
                method: request.method.rawValue, target: uri.target, headers: request.headers.fields)
            return nil
        } catch {
            return CallError(error, phase: .preparing)
        }
    }

    var isDone: Bool { isOver }

    private func resume(_ outcome: Result<Response, CallError>) {
        guard let continuation else { return }
        self.continuation = nil
        self.outcome = outcome
        isSettled.store(true, ordering: .releasing)
        continuation.resume()
    }

    private func tellShown() {
        guard shownBytes > 0, head != nil else { return }
        call.emit(.responseBody(shown.joined()))
        shown = GatheredBytes()
    }

    /// Ends it with an error, wherever it is; its connection is closed.
    func fail(_ error: CallError) {
        guard !isOver else { return }
        setOver()
        tellShown()
        loopPool.forget(self)
        let error = error.with(request: request, progress: progress)
        let connection = connection
        self.connection = nil
        connection?.abandon(self)
        if let window {
            self.window = nil
            window.end(.failure(error))
        } else {
            resume(.failure(error))
        }
        gathered = GatheredBytes()
    }

    /// How far the body has come that was on its way, for the text of an error.
    private var progress: String? {
        switch phase {
        case .sendingBody:
            guard case .pieces(_, let length) = upload else { return nil }
            return "\(sentBytes)\(length.map { " of \($0)" } ?? "") bytes of the body sent"
        case .receivingBody:
            return "\(receivedBytes)\(expectedLength.map { " of \($0)" } ?? "") bytes of the body received"
        default: return nil
        }
    }

    func timedOut(_ limit: Timeouts.Name, _ reason: String) {
        fail(
            CallError(
                .timeout, reason, phase: phase, timeout: limit, request: request, connection: info))
    }

    private func setOver() {
        isOver = true
        if isFromElsewhere { loopPool.load.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// The connection that it was to have made is there.
    func warmedUp() {
        guard isWarmUp, !isOver else { return }
        setOver()
        isWaiting = false
        resume(.success(Response(status: .noContent, request: request)))
    }

    /// Credentials are for proxies, and a server that is none asks for them to get at those of one.
    private func refuse(_ head: ReceivedHead) -> Bool {
        guard head.status == 407, !key.isForwarded else { return false }
        fail(
            CallError(
                .invalidResponse, "407 (Proxy Authentication Required) from a server that is no proxy",
                phase: .waitingForHead, timeout: nil, connection: info))
        return true
    }

    /// Whether the request goes out again because of this head, the rest of which is only read.
    private func answersRefusal(_ head: ReceivedHead) -> Bool {
        if head.status == 417, answersExpectation(head) {
            request.headers[.expect] = nil
            return true
        }
        return key.isForwarded && answersProxy(head)
    }

    /// The whole response lay in one read: the way of most requests.
    func finish(_ head: ReceivedHead, body: Bytes) {
        guard !isOver, !refuse(head) else { return }
        if answersRefusal(head) { return resend(afterRefusal: true) }
        // The call may have no exchange left for the answer.
        guard !isOver else { return }
        timings.headAt = MonotonicClock.now
        timings.endAt = timings.headAt
        let response = response(head, ResponseBody(body), trailers: nil)
        if isObserved {
            call.emit(.headReceived(response))
            call.emit(.receiving(TransferProgress(bytes: Int64(body.count), total: Int64(body.count))))
            if shownBytes > 0 { call.emit(.responseBody(body.slice(0..<shownBytes))) }
        }
        setOver()
        resume(.success(response))
    }

    /// The head has come, a body follows.
    func begin(_ head: ReceivedHead, length: Int64?) {
        guard !isOver, !refuse(head) else { return }
        if answersRefusal(head) { return refusedBytes = 0 }
        guard !isOver else { return }
        phase = .receivingBody
        timings.headAt = MonotonicClock.now
        self.head = head
        expectedLength = length
        trailers = ResponseTrailers()
        if isObserved { call.emit(.headReceived(response(head, ResponseBody(), trailers: nil))) }
    }

    /// Whether one read of the connection may bring pieces of several bodies.
    private var sharesReads: Bool { connection?.isShared ?? false }

    /// A piece of the body; true if reading is to pause.
    func receive(_ piece: Bytes) -> Bool {
        guard !isOver else { return false }
        if refusedBytes != nil { return receiveRefusal(piece) }
        receivedBytes += Int64(piece.count)
        if isObserved {
            if shownBytes > shown.count { shown.append(piece.slice(0..<(shownBytes - shown.count))) }
            tellReceived(isLast: false)
        }
        if let window { return window.append(piece, isShared: sharesReads) }
        gathered.append(piece)
        return false
    }

    /// Everything that one read held has been given; what is not over by now, and is not to be gathered, is streamed.
    /// - Returns: whether reading is to pause.
    @discardableResult
    func endOfRead() -> Bool {
        guard !isOver, window == nil, let head else { return false }
        guard
            call.wantsStream || receivedBytes > Self.gatheredBytes
                || call.statusesPassedOnEarly?.contains(head.status) == true
        else { return false }
        let window = BodyWindow(
            self, call: call, initial: gathered.all(), isShared: sharesReads, isCollected: !call.wantsStream)
        gathered = GatheredBytes()
        self.window = window
        resume(.success(response(head, ResponseBody(BodyPull(window)), trailers: trailers)))
        return window.isPaused
    }

    /// The body is complete.
    func end(trailers fields: HTTPFields?) {
        if refusedBytes != nil, !isOver { return resend(afterRefusal: true) }
        guard !isOver, let head else { return }
        setOver()
        timings.endAt = MonotonicClock.now
        if isObserved {
            tellReceived(isLast: true)
            tellShown()
        }
        if let fields { trailers?.set(fields) }
        if let window {
            self.window = nil
            window.end(.success(()))
        } else {
            resume(.success(response(head, ResponseBody(gathered.joined()), trailers: trailers)))
            gathered = GatheredBytes()
        }
    }

    func response(_ head: ReceivedHead, _ body: ResponseBody, trailers: ResponseTrailers?) -> Response {
        Response(
            head: head, body: body,
            details: ResponseDetails(
                head: head, request: request, connection: info, timings: timings, history: [], trailers: trailers,
                bufferedBody: call.limits.bufferedBody))
    }

    private func tellReceived(isLast: Bool) {
        let now = MonotonicClock.now
        guard isLast || now &- lastReceiveEvent >= Self.progressInterval else { return }
        lastReceiveEvent = now
        call.emit(.receiving(TransferProgress(bytes: receivedBytes, total: expectedLength)))
    }

    /// Starts over, with its body from the beginning: on another connection, or, after a refusal, on whichever there is.
    func resend(afterRefusal: Bool = false) {
        if afterRefusal { sendings = 0 }
        refusedBytes = nil
        connection = nil
        stream = nil
        info = nil
        phase = .waiting
        head = nil
        gathered = GatheredBytes()
        shown = GatheredBytes()
        receivedBytes = 0
        sentBytes = 0
        if case .pieces = upload {
            do throws(CallError) {
                upload = try RequestBodySource(request.body)
            } catch {
                return fail(error)
            }
        }
        loopPool.start(self)
    }

    /// Opens the file that is the body, and starts again; the total time runs meanwhile.
    func openFile(_ path: String) {
        phase = .preparing
        let timer =
            call.deadline == MonotonicClock.never
            ? nil
            : loopPool.loop.scheduleTask(deadline: .uptimeNanoseconds(call.deadline)) {
                self.fail(self.call.expired(self.phase))
            }
        FileReader.open(path, on: loopPool.loop).assumeIsolated().whenComplete { result in
            timer?.cancel()
            guard !self.isOver else { return }
            switch result {
            case .success(let reader):
                self.upload = .pieces(reader, length: reader.length)
                self.phase = .waiting
                self.loopPool.start(self)
            case .failure(let error):
                self.fail(
                    error as? CallError
                        ?? CallError(.requestBody, "the file \(path) cannot be read: \(error)", underlying: error))
            }
        }
    }
}
