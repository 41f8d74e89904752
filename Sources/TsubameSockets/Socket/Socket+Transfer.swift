// Socket+Transfer: reads and writes that never block.

package import TsubamePlatform

extension Socket {
    package enum Reading: Sendable, Hashable {
        case bytes(Int)
        /// The peer has ended its direction.
        case end
        /// Nothing has come. The loop reports when something does, once the socket is armed for reading.
        case wouldBlock
        case failed(SocketError)
    }

    package enum Writing: Sendable, Hashable {
        /// The number of bytes that the system has taken, which may be fewer than were given.
        case bytes(Int)
        /// The system takes none. The loop reports when it does, once the socket is armed for writing.
        case wouldBlock
        case failed(SocketError)
    }

    /// Reads at most the buffer's size. An interrupted call is made again.
    @inline(__always)
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        Self.read(descriptor, into: buffer)
    }

    /// Reads from a socket that is lent: its owner keeps it open meanwhile.
    @inline(__always)
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        while true {
            let count = SystemCall.read(descriptor, into: buffer)
            if count > 0 { return .bytes(count) }
            if count == 0 { return buffer.isEmpty ? .bytes(0) : .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case let code: return .failed(SocketError(.read, code))
            }
        }
    }

    /// Whether a read would bring something now: bytes, the end, or an error.
    package borrowing func hasInput() -> Bool {
        peek() >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)
    }

    /// Looks at the next byte without taking it.
    /// - Returns: 1, or 0 at the end, or a negative number with the reason in `errno`.
    @inline(__always)
    borrowing func peek() -> Int {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    }

    /// Writes one piece.
    @inline(__always)
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Writing {
        while true {
            #if canImport(Darwin)
            let count = send(descriptor, bytes.baseAddress, bytes.count, 0)
            #else
            let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #endif
            if count >= 0 { return .bytes(count) }
            if let outcome = Self.failedWrite(errno) { return outcome }
        }
    }

    /// Writes several pieces by one system call, at most ``maximumPieces`` of them.
    package borrowing func write(_ pieces: UnsafeBufferPointer<iovec>) -> Writing {
        var message = msghdr()
        message.msg_iov = UnsafeMutablePointer(mutating: pieces.baseAddress)
        let count = min(pieces.count, Self.maximumPieces)
        #if canImport(Glibc)
        message.msg_iovlen = count
        #else
        message.msg_iovlen = .init(count)
        #endif
        while true {
            #if canImport(Darwin)
            let count = sendmsg(descriptor, &message, 0)
            #else
            let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            #endif
            if count >= 0 { return .bytes(count) }
            if let outcome = Self.failedWrite(errno) { return outcome }
        }
    }

    /// The most pieces of one write: the least that POSIX systems take is 16, those that are known take 1,024.
    package static let maximumPieces = 1_024

    /// nil if the call was interrupted and has to be made again.
    private static func failedWrite(_ code: Int32) -> Writing? {
        switch code {
        case EINTR: nil
        case EAGAIN, EWOULDBLOCK: .wouldBlock
        default: .failed(SocketError(.write, code))
        }
    }
}
