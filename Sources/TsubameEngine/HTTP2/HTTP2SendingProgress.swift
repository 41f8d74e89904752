// The idle timeout of a request body over HTTP/2: the server must keep taking bytes.

import TsubameCore
import TsubamePlatform

/// How far the body of one stream has come. Positions count the bytes that the connection has given to its channel.
struct HTTP2SendingProgress {
    /// When a byte moved last, as far as is known.
    var movedAt: MonotonicTime = 0
    /// How far the peer had taken the connection's bytes at the last look.
    var taken: Int64 = 0
    /// Where the bytes of this stream end.
    var end: Int64 = 0
}

extension HTTP2Connection {
    /// How far the peer has taken what the channel was given. TLS makes it seem a little less than it is.
    var takenBytes: Int64 { use.writtenBytes - Int64(channel?.untakenBytes ?? 0) }
}

extension HTTP2ActiveStream {
    /// Bytes of the request's body have moved: the idle time starts anew.
    func markMoved(at now: MonotonicTime) {
        progress = HTTP2SendingProgress(
            movedAt: now, taken: connection.takenBytes, end: connection.use.writtenBytes + Int64(connection.unsentBytes)
        )
        watchSending(from: now)
    }

    /// Whether bytes of the body have moved since. The system takes as many as a window allows at once, and sends them for as
    /// long as the peer needs. Bytes of other streams do not count, so this asks only until the peer has this stream's.
    func stillMoves(at now: MonotonicTime) -> Bool {
        guard limit == .idle, sender.isSendingBody, let exchange else { return false }
        let taken = connection.takenBytes
        if progress.taken < progress.end, taken > progress.taken {
            (progress.movedAt, progress.taken) = (now, taken)
        } else if now &- progress.movedAt >= exchange.call.options.timeouts.nanoseconds(.idle) {
            return false
        }
        watchSending(from: now)
        return true
    }

    private func watchSending(from now: MonotonicTime) {
        guard let exchange else { return }
        setDeadline(.idle, from: exchange.idleBegin(at: now, movedAt: progress.movedAt))
    }
}
