// NIOLoop: an event loop of TsubameSockets as SwiftNIO's types see it.

import Dispatch
import NIOCore
import TsubamePlatform
import TsubameSockets

/// SwiftNIO's channels, promises and TLS run on the library's own loop by this. It adds nothing but timers.
final class NIOLoop: NIOCore.EventLoop {
    let loop: TsubameSockets.EventLoop

    init(_ loop: TsubameSockets.EventLoop) { self.loop = loop }

    var inEventLoop: Bool { loop.isCurrent }

    /// Whether the loop has a thread in this process, which may have been forked.
    var hasThread: Bool { (try? loop.checkFork()) != nil }

    func execute(_ task: @escaping @Sendable () -> Void) { loop.execute(task) }

    func scheduleTask<T>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        let promise = makePromise(of: T.self)
        let timer = LoopTimer(loop, at: MonotonicTime(clamping: deadline.uptimeNanoseconds)) {
            promise.assumeIsolated().completeWith(Result { try task() })
        }
        timer.start()
        return Scheduled(promise: promise) { timer.cancel() }
    }

    func scheduleTask<T>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        scheduleTask(deadline: .now() + time, task)
    }

    /// The loop belongs to the process.
    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        queue.async { callback(EventLoopError.unsupportedOperation) }
    }
}

/// One scheduled task.
// Confined to its loop, but for `start` and `cancel`, which go there.
private final class LoopTimer: LoopMember, @unchecked Sendable {
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
