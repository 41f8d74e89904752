// Waiter: what waits for a connection, and what its connector is told of it.

import TsubameCore
import TsubamePlatform

/// An exchange that waits for a connection, or a call that only wants one made. Its connector, if it has one, keeps the
/// limits of its call, and tells its observers.
///
/// It has gone once it has a connection or has ended. The connector may then go on for others that wait, in silence.
// Confined to the loop of its loop pool.
final class Waiter {
    enum Purpose {
        case exchange(Exchange)
        case warmUp(WarmUp)
    }

    let key: ConnectionKey
    let call: Call
    let loopPool: LoopPool
    /// nil once it has gone.
    private(set) var purpose: Purpose?
    private(set) var phase = CallError.Phase.waiting
    /// Its place among the waiting exchanges of its pool.
    private(set) var place: (origin: OriginPool, id: OriginPool.Pool.WaiterID)?
    private var hasConnector = false
    /// When waiting ends, and by which limit.
    private(set) var due = MonotonicClock.never
    private var limit = Timeouts.Name.pool

    init(_ purpose: Purpose, loopPool: LoopPool) {
        switch purpose {
        case .exchange(let exchange): (key, call) = (exchange.key, exchange.call)
        case .warmUp(let warmUp): (key, call) = (warmUp.key, warmUp.call)
        }
        self.purpose = purpose
        self.loopPool = loopPool
    }

    var isWaiting: Bool { purpose != nil }

    /// The exchange, unless it has gone or there is none.
    var exchange: Exchange? {
        if case .exchange(let exchange) = purpose { exchange } else { nil }
    }

    func stand(at place: OriginPool.Pool.WaiterID, in origin: OriginPool) { self.place = (origin, place) }

    /// It has gone.
    func leave() { purpose = nil }

    // MARK: Limits

    /// Begins the time in which it must have a connection, or a connector that makes one for it.
    func startPoolTime(at now: MonotonicTime) {
        guard isWaiting, !hasConnector else { return }
        let (time, overflow) = now.addingReportingOverflow(call.options.timeouts.nanoseconds(.pool))
        (due, limit) = overflow || time >= call.deadline ? (call.deadline, .total) : (time, .pool)
    }

    /// From here on the connector keeps the limits, but for the total time.
    func connectorBegins() {
        hasConnector = true
        (due, limit) = (call.deadline, .total)
    }

    /// It has waited too long.
    func expire() {
        if limit == .total { return fail(call.expired(phase)) }
        let time = Duration.nanoseconds(clamping: call.options.timeouts.nanoseconds(limit)).inSeconds
        fail(
            CallError(
                .timeout, "no connection to \(key.origin.authority) was free within \(time)", phase: phase,
                timeout: limit))
    }

    // MARK: The connector

    /// The connector has come to its next step.
    func enter(_ phase: CallError.Phase, _ event: @autoclosure () -> CallEvent.Kind? = nil) {
        guard let purpose else { return }
        self.phase = phase
        switch purpose {
        case .exchange(let exchange): exchange.enter(phase)
        case .warmUp(let warmUp): warmUp.enter(phase)
        }
        if call.isObserved, let event = event() { call.emit(event) }
    }

    func tell(_ event: @autoclosure () -> CallEvent.Kind) {
        if isWaiting { call.emit(event()) }
    }

    /// The connector has made a connection. Nothing is noted if the exchange has ended.
    func take(_ facts: ConnectorFacts) { exchange?.take(facts) }

    func fail(_ error: CallError) {
        switch purpose {
        case .exchange(let exchange): exchange.fail(error)
        case .warmUp(let warmUp): warmUp.end(.failure(error))
        case nil: break
        }
    }
}
