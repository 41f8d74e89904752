// NIOLoop: an event loop of TsubameSockets as SwiftNIO's types see it.

import Dispatch
import NIOCore
import TsubamePlatform
import TsubameSockets

/// SwiftNIO's channels, promises and TLS run on the library's own loop by this. It adds nothing but timers (``LoopTimer``).
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
