// Exchange: one request and its response, from the moment the engine has it until the call goes on.

import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform

/// One request on its way through the engine: what is sent (``OutgoingRequest``), its place among those that wait for a
/// connection (``Waiter``), and what has come of the response (``ResponseAssembler``).
///
/// Made where the call runs. All but its outcome and its cancellation happens on the loop of its loop pool. A call gets
/// the first outcome that there is. A cancelled call is answered at once, and the loop then ends the exchange
/// by itself. So nothing that the loop tells an observer ends an exchange in the middle of something.
// Guarded by confinement to `loopPool.loop`, where no two accesses overlap, but for the settlement and the phase.
final class Exchange: CallCancellable, @unchecked Sendable {
    /// How far it has come.
    struct Progress {
        var timings = Timings()
        /// Since when it waits for a connection; 0 while it does not.
        var waitsSince: MonotonicTime = 0
        /// The connection on which it runs, or ran.
        var connection: ConnectionInfo?
        /// Of the request's body: what the socket has taken.
        var sentBytes: Int64 = 0
        /// Cuts the beginning of the response's body for observers.
        var shown = ObservedBeginning(limit: 0)
        /// When an observer was last told how much has come.
        var lastReceiveEvent: MonotonicTime = 0
    }

    /// The consequences of earlier sendings for the next one.
    struct Sendings {
        /// After a lost reused connection only a new one will do, since others that were idle may be dead as well.
        var needsNewConnection = false
        /// How often a server has said that it did not process it.
        var refusals = 0
        /// A server has refused its Expect.
        var isWithoutExpect = false
        /// The credentials for a proxy that forwards the request: one object for all sendings.
        var proxyCredentials: ProxyCredentials?
    }

    let outgoing: OutgoingRequest
    let loopPool: LoopPool
    private let settlement = Settlement<Response>()
    private let currentPhase = AtomicPhase(.waiting)
    @exclusivity(unchecked) private(set) var upload: RequestBodySource
    /// nil unless it waits for a connection.
    @exclusivity(unchecked) private(set) var waiter: Waiter?
    /// The connection or stream that it runs on; nil while it waits, and once it is over.
    @exclusivity(unchecked) private(set) var carrier: (any ExchangeCarrier)?
    @exclusivity(unchecked) var progress = Progress()
    @exclusivity(unchecked) private(set) var sendings = Sendings()
    @exclusivity(unchecked) var response = ResponseAssembler()
    @exclusivity(unchecked) private(set) var isOver = false
    /// Whether the call's cancellation ends it.
    @exclusivity(unchecked) private var isListening = false

    init(
        _ request: Request, uri: TargetURI, call: Call, key: ConnectionKey, loopPool: LoopPool,
        upload: RequestBodySource, isHere: Bool
    ) {
        outgoing = OutgoingRequest(request, uri: uri, call: call, key: key, isFromElsewhere: !isHere)
        self.loopPool = loopPool
        self.upload = upload
        progress.timings.start = call.start
    }

    @inline(__always) var call: Call { outgoing.call }
    @inline(__always) var key: ConnectionKey { outgoing.key }
    /// Whether it may go out once more after its connection was lost before a byte of its answer.
    var mayBeReplayed: Bool { outgoing.mayBeReplayed }
    var phase: CallError.Phase { currentPhase.value }

    // MARK: The waiting call

    /// The call waits for the outcome.
    /// - Returns: false if the exchange was cancelled before. It then must not start.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool { settlement.wait(continuation) }

    func takeOutcome() -> Result<Response, CallError>? { settlement.take() }

    var cancellationPhase: CallError.Phase? { phase }

    /// Ends the exchange, from any thread.
    func cancel() {
        settlement.cancel(call.cancelled(phase).with(request: outgoing.request), thenOn: loopPool.loop) {
            self.endCancelled()
        }
    }

    private func endCancelled() { fail(call.cancelled(phase)) }

    /// Whether it was cancelled. Nothing more of its request goes out then. A response that has begun is no reason to stop:
    /// the server may answer while it reads.
    var isCancelled: Bool { settlement.isCancelled }

    var hasEnded: Bool { settlement.isOver }

    // MARK: On the loop

    /// The exchange is in the hands of its loop.
    /// - Returns: false if it is over already.
    func begin() -> Bool {
        if isOver { return false }
        // The call may have gone on without it, and have another one.
        if !isCancelled, isListening || listen() { return true }
        fail(call.cancelled(phase))
        return false
    }

    /// From now on the call's cancellation ends it, also while the loop has not begun it.
    /// - Returns: false if the call is cancelled already.
    @inline(__always)
    func listen() -> Bool {
        isListening = call.onCancel(self)
        return isListening
    }

    /// From now on it goes out with these.
    func use(_ credentials: ProxyCredentials) { sendings.proxyCredentials = credentials }

    func enter(_ phase: CallError.Phase) { currentPhase.value = phase }

    /// Begins to wait for a connection.
    func startWaiting() -> Waiter {
        let waiter = Waiter(.exchange(self), loopPool: loopPool)
        self.waiter = waiter
        return waiter
    }

    /// It has a connection, or waits for another reason.
    func endWaiting() {
        waiter = nil
        enter(.waiting)
    }

    /// The connector that was made for this exchange has made its connection.
    func take(_ facts: ConnectorFacts) {
        progress.timings.resolvedAt = facts.resolvedAt
        progress.timings.connectedAt = facts.connectedAt
        progress.timings.securedAt = facts.securedAt
    }

    /// It runs on a connection.
    @inline(__always)
    func run(on carrier: any ExchangeCarrier, of connection: ConnectionInfo) {
        self.carrier = carrier
        progress.connection = connection
    }

    /// It has nothing to do with its connection any more.
    @inline(__always)
    func detach() { carrier = nil }

    /// Ends it with an error, wherever it is. Its connection over HTTP/1.1 is closed, its stream over HTTP/2 reset.
    func fail(_ error: CallError) {
        guard !isOver else { return }
        setOver()
        if let waiter {
            self.waiter = nil
            loopPool.leave(waiter)
        }
        let error = error.with(request: sentRequest, progress: progressText)
        if let carrier {
            self.carrier = nil
            carrier.abandon(self)
        }
        if response.fail(error) { settlement.bodyEnded() } else { settlement.settle(.failure(error)) }
    }

    func timedOut(_ limit: Timeouts.Name, _ reason: String) {
        fail(
            CallError(
                .timeout, reason, phase: phase, timeout: limit, request: sentRequest, connection: progress.connection))
    }

    /// Gives the call its response.
    /// - Parameter body: the body, if it still comes.
    @inline(__always)
    func answer(_ response: consuming Response, body: BodyWindow? = nil) {
        settlement.settle(.success(consume response), body: body)
    }

    /// The body that came after its response has ended.
    func bodyEnded() { settlement.bodyEnded() }

    func setOver() {
        isOver = true
        if outgoing.isFromElsewhere { loopPool.load.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// How far the body has come that was on its way, for the text of an error.
    private var progressText: String? {
        switch phase {
        case .sendingBody:
            guard case .pieces(_, let length) = upload else { return nil }
            return "\(progress.sentBytes)\(length.map { " of \($0)" } ?? "") bytes of the body sent"
        case .receivingBody:
            let total = response.expectedLength.map { " of \($0)" } ?? ""
            return "\(response.receivedBytes + (carrier?.lentBytes ?? 0))\(total) bytes of the body received"
        default: return nil
        }
    }

    // MARK: Beginning anew

    /// Starts over, with its body from the beginning: on another connection, or, after a refusal, on whichever there is.
    func restart(afterRefusal: Bool) {
        sendings.needsNewConnection = !afterRefusal
        response = ResponseAssembler()
        carrier = nil
        progress.connection = nil
        progress.sentBytes = 0
        enter(.waiting)
        if case .pieces(let reader, let length) = upload {
            do throws(CallError) {
                if let file = reader as? any RewindableReader {
                    upload = .pieces(file.rewound(), length: length)
                } else {
                    upload = try RequestBodySource(outgoing.request.body)
                }
            } catch {
                return fail(error)
            }
        }
        loopPool.start(self)
    }

    /// A server has said that it did not process the request.
    func countRefusal() { sendings.refusals += 1 }

    /// The request goes out without its Expect from now on.
    func dropExpect() { sendings.isWithoutExpect = true }
}
