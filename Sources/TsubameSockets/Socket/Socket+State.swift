// Socket+State: what the system knows of a connection, in the form of each system.

import TsubamePlatform

extension Socket {
    /// The number of written bytes that the peer has not taken yet; nil where the system does not tell.
    package borrowing func untakenBytes() -> Int? {
        var count: Int32 = 0
        #if canImport(Darwin)
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 else { return nil }
        return Int(count)
        #elseif os(Linux) || os(Android)
        // tcp(7), SIOCOUTQ, which has the same number.
        guard ioctl(descriptor, .init(TIOCOUTQ), &count) == 0 else { return nil }
        return Int(count)
        #else
        return nil
        #endif
    }

    /// Whether the peer has neither ended nor reset the connection, as far as the system knows. Where it does not tell the
    /// state of TCP, an end behind unread bytes is not seen.
    package borrowing func isEstablished() -> Bool {
        #if os(Linux) || os(Android)
        // tcpi_state, the first byte of `struct tcp_info` of linux/tcp.h.
        let established: UInt8 = 1
        var state: UInt8 = 0
        let count = withUnsafeMutableBytes(of: &state) { bytes in
            try? read(TCP_INFO, at: Int32(IPPROTO_TCP), into: bytes)
        }
        if count == 1 { return state == established }
        #endif
        let received = peek()
        return received > 0 || (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    }
}
