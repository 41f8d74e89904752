// Deadline: one lazily re-armed timer.

import NIOCore
import TsubameCore
import TsubamePlatform

/// A deadline that moves often, while its timer hardly ever does. Moving it later costs a store. A timer that fires too early
/// is armed again for what is left. Confined to its loop.
struct Deadline {
    private(set) var due = MonotonicClock.never
    private var armedFor = MonotonicClock.never
    private var timer: Scheduled<Void>?

    /// Sets when it is due; `fire` is called on the loop, and is to ask ``hasPassed(on:_:)``.
    @inline(__always)
    mutating func set(_ time: MonotonicTime, on loop: any EventLoop, _ fire: @autoclosure () -> @Sendable () -> Void) {
        due = time
        if time < armedFor { arm(on: loop, fire()) }
    }

    mutating func arm(on loop: any EventLoop, _ fire: @escaping @Sendable () -> Void) {
        timer?.cancel()
        armedFor = due
        timer = loop.scheduleTask(deadline: .uptimeNanoseconds(due), fire)
    }

    @inline(__always)
    mutating func clear() { due = MonotonicClock.never }

    /// After the timer fired: true if the deadline has really passed; else it is armed again if something is due.
    mutating func hasPassed(on loop: any EventLoop, _ fire: @escaping @Sendable () -> Void) -> Bool {
        armedFor = MonotonicClock.never
        timer = nil
        if due == MonotonicClock.never { return false }
        if MonotonicClock.now >= due { return true }
        arm(on: loop, fire)
        return false
    }

    mutating func cancel() {
        timer?.cancel()
        timer = nil
        armedFor = MonotonicClock.never
        due = MonotonicClock.never
    }
}
