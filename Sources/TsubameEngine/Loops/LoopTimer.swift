// LoopTimer: one task of SwiftNIO that an event loop runs at its time.

import TsubamePlatform
import TsubameSockets

/// One scheduled task.
// Confined to its loop, but for `start` and `cancel`, which go there.
final class LoopTimer: LoopMember, @unchecked Sendable {
    private let loop: TsubameSockets.EventLoop
    private let due: MonotonicTime
    private var work: (@Sendable () -> Void)?
    private var id: MemberID?

    init(_ loop: TsubameSockets.EventLoop, at due: MonotonicTime, _ work: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.due = due
        self.work = work
    }

    func start() {
        if loop.isCurrent { arm() } else { loop.execute { self.arm() } }
    }

    func cancel() {
        if loop.isCurrent { end() } else { loop.execute { self.end() } }
    }

    private func arm() {
        guard work != nil else { return }
        let id = loop.add(self)
        self.id = id
        loop.setDeadline(of: id, to: due)
    }

    private func end() {
        work = nil
        if let id { loop.remove(id) }
        id = nil
    }

    func ready(_ states: Readiness) {}

    func deadlinePassed() {
        let work = work
        end()
        work?()
    }
}
