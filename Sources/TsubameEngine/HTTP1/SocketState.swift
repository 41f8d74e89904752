// SocketState: what the system knows of a TCP connection.

import TsubamePlatform
import TsubameSockets

struct SocketState {
    let isEstablished: Bool
    /// Bytes that the peer's system has taken.
    let acknowledgedBytes: UInt64

    /// nil where the system does not tell: anywhere but on Linux.
    static func of(_ channel: SocketChannel) -> SocketState? {
        #if os(Linux)
        return withUnsafeTemporaryAllocation(byteCount: infoBytes, alignment: 8) { bytes in
            guard let count = try? channel.socket?.read(TCP_INFO, at: Int32(IPPROTO_TCP), into: bytes),
                count >= infoBytes
            else { return nil }
            return SocketState(
                isEstablished: bytes.load(as: UInt8.self) == established,
                acknowledgedBytes: bytes.load(fromByteOffset: 120, as: UInt64.self))
        }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    /// The beginning of `struct tcp_info` of linux/tcp.h: tcpi_state at 0, and tcpi_bytes_acked,
    /// which the C library's own declaration lacks, at 120.
    private static let infoBytes = 128
    /// TCP_ESTABLISHED of linux/tcp.h.
    private static let established: UInt8 = 1
    #endif
}

extension HTTP1Connection {
    /// nil where the system does not tell, and before the connection stands.
    var socketState: SocketState? { channel.flatMap { SocketState.of($0) } }
}
