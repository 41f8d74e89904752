// SocketState: what the system knows of a TCP connection and its loop has not read, or cannot.

import NIOCore
import TsubameCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct SocketState {
    let isEstablished: Bool
    /// Nanoseconds since data last came, in steps of some milliseconds.
    let silence: MonotonicTime
    /// Bytes that the peer's system has taken.
    let acknowledgedBytes: UInt64

    /// nil where the system does not tell: anywhere but on Linux.
    static func of(_ channel: any Channel) -> SocketState? {
        #if os(Linux)
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        var state: SocketState?
        // On its own loop the channel answers at once.
        let answer: EventLoopFuture<TCPInfo> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        answer.assumeIsolated().whenSuccess { info in
            state = withUnsafeBytes(of: info) { bytes in
                SocketState(
                    isEstablished: bytes.load(as: UInt8.self) == established,
                    silence: MonotonicTime(bytes.load(fromByteOffset: 52, as: UInt32.self)) * 1_000_000,
                    acknowledgedBytes: bytes.load(fromByteOffset: 120, as: UInt64.self))
            }
        }
        return state
        #else
        return nil
        #endif
    }

    /// Whether a read would give something now: bytes, the end, or an error. False where the channel is no socket.
    static func hasInput(_ channel: any Channel) -> Bool {
        let answer = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
            (socket: NIOBSDSocket.Handle) in
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, peek) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)
        }
        return answer ?? false
    }

    private static let peek = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)

    #if os(Linux)
    /// The first 128 bytes of `struct tcp_info` of linux/tcp.h: tcpi_state at 0, tcpi_last_data_recv at 52,
    /// tcpi_bytes_acked, which the C library's own declaration lacks, at 120.
    private typealias TCPInfo = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )
    /// TCP_ESTABLISHED of linux/tcp.h.
    private static let established: UInt8 = 1
    #endif
}

extension Connection {
    /// A connection that was in use just now is as good as it was.
    private static let freshness: MonotonicTime = 1_000_000_000
    /// The system counts in ticks of a few milliseconds.
    private static let tick: MonotonicTime = 12_000_000

    private var socketState: SocketState? { context.flatMap { SocketState.of($0.channel) } }

    /// The socket is asked before an exchange goes out on it if the request could not be repeated; else the loop, which
    /// reads its sockets all the time, has most likely seen what there was.
    func suits(_ exchange: Exchange) -> Bool {
        let mayBeStale = !exchange.request.mayBeReplayed || MonotonicClock.now &- idleSince > Self.freshness
        return !mayBeStale || !hasUnreadInput
    }

    /// Bytes came while nothing was asked for, or the server has closed: an answer read from here might not be ours
    /// (CVE-2026-1525), and a request sent here would be lost.
    private var hasUnreadInput: Bool {
        guard let state = socketState else { return false }
        return !state.isEstablished || state.silence &+ Self.tick < MonotonicClock.now &- idleSince
    }

    /// A byte of the request's body has moved: the idle time starts anew.
    func markMoved(at now: MonotonicTime) {
        moved = (now, socketState?.acknowledgedBytes ?? 0)
        watchSending(from: now)
    }

    /// Whether the body that is being sent has moved since: a socket takes a piece bit by bit, and only the whole piece is
    /// told, so the system is asked how much the peer has taken.
    func stillMoves(_ idle: UInt64) -> Bool {
        let now = MonotonicClock.now
        if let state = socketState, state.acknowledgedBytes != moved.acknowledged {
            moved = (now, state.acknowledgedBytes)
        } else if now &- moved.at >= idle {
            return false
        }
        watchSending(from: now)
        return true
    }

    /// Looks four times in an idle time.
    private func watchSending(from now: MonotonicTime) {
        let idle = exchange?.call.timeouts.nanoseconds(.idle) ?? 0
        let (ahead, isNegative) = now.subtractingReportingOverflow(idle - idle / 4)
        setDeadline(.idle, from: isNegative ? moved.at : Swift.min(moved.at, ahead))
    }
}
