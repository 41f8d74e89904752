// SocketlessPoller: waits for wake-ups alone.

internal import Dispatch
internal import TsubamePlatform

/// The poller of a loop that runs only jobs. It takes no descriptor.
final class SocketlessPoller: Poller {
    private let signal = DispatchSemaphore(value: 0)

    func add(_ descriptor: Int32, _ member: MemberID) throws(SocketError) { throw SocketError(.poll, ENOTSUP) }

    func remove(_ descriptor: Int32) {}

    func arm(_ descriptor: Int32, _ states: Readiness) {}

    func wait(milliseconds: Int32, _ report: (MemberID, Readiness) -> Void) -> Bool {
        if milliseconds < 0 {
            signal.wait()
        } else {
            _ = signal.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
        }
        return true
    }

    func wake() { signal.signal() }
}
