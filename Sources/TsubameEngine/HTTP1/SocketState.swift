// SocketState: what the system knows of a TCP connection and its loop has not read, or cannot.

import NIOCore
import TsubamePlatform

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
    /// nil where the system does not tell, and before the connection stands.
    var socketState: SocketState? { context.flatMap { SocketState.of($0.channel) } }
}
