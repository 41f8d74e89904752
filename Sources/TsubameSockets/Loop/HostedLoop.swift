// HostedLoop: serves a loop without a thread while no thread runs it.

import Synchronization
import TsubamePlatform

/// What a host, a loop with a thread, keeps of a loop without one. The host turns that loop when work comes, and at its deadlines.
// `loop` is set once, before another thread knows this object. `id` is confined to the host.
final class HostedLoop: LoopMember, @unchecked Sendable {
    /// In nanoseconds: how often the host looks after the sockets of a loop whose thread is busy within a call.
    static let visitInterval: MonotonicTime = 50_000_000

    /// nil for a loop that has nothing to be served.
    private let host: EventLoop?
    weak var loop: EventLoop?
    /// When the host turns the loop next.
    private let planned = Atomic(MonotonicClock.never)
    private var id: MemberID?

    init(on host: EventLoop?) { self.host = host }

    /// Turns the loop soon, unless a thread runs it.
    func turnSoon() { host?.execute { self.turn() } }

    /// Turns the loop at a deadline, unless the host turns it earlier.
    func plan(_ due: MonotonicTime) {
        guard due < planned.load(ordering: .sequentiallyConsistent) else { return }
        if let host { host.execute { self.schedule(due, on: host) } }
    }

    private func schedule(_ due: MonotonicTime, on host: EventLoop) {
        guard due < planned.load(ordering: .sequentiallyConsistent) else { return }
        planned.store(due, ordering: .sequentiallyConsistent)
        let id = id ?? host.add(self)
        self.id = id
        host.setDeadline(of: id, to: due)
    }

    func deadlinePassed() {
        planned.store(MonotonicClock.never, ordering: .sequentiallyConsistent)
        turn()
    }

    private func turn() {
        if let loop { return loop.turnOnHost() }
        if let id { host?.remove(id) }
        id = nil
    }

    func ready(_ states: Readiness) {}
}
