// The idle timeout of a request body: the server must keep taking bytes.

import TsubameCore
import TsubamePlatform

extension HTTP1Connection {
    /// A byte of the request's body has moved: the idle time starts anew.
    func markMoved(at now: MonotonicTime) {
        output.moved = (now, channel?.untakenBytes ?? 0)
        watchSending(from: now)
    }

    /// Whether the body that is being sent has moved since. The socket takes a piece bit by bit, and tells only when it has
    /// the whole piece. So this asks the system how much the peer has taken.
    func stillMoves(_ idle: UInt64) -> Bool {
        let now = MonotonicClock.now
        let untaken = channel?.untakenBytes ?? 0
        if untaken != output.moved.untaken {
            output.moved = (now, untaken)
        } else if now &- output.moved.at >= idle {
            return false
        }
        watchSending(from: now)
        return true
    }

    private func watchSending(from now: MonotonicTime) {
        guard let exchange else { return }
        setDeadline(.idle, from: exchange.idleBegin(at: now, movedAt: output.moved.at))
    }
}
