// Socket: a stream socket that never blocks, and that is closed by its one owner.

internal import TsubamePlatform

/// A TCP or Unix-domain socket. The value cannot be copied, so one place owns the descriptor, and no descriptor number is
/// reused while a reader still has the old socket. The descriptor is closed with the value.
///
/// Every descriptor is closed on `exec`. A write to a closed connection fails, and never raises SIGPIPE.
package struct Socket: ~Copyable, Sendable {
    package let descriptor: Int32

    /// Takes over a descriptor that does not block.
    package init(taking descriptor: Int32) { self.descriptor = descriptor }

    /// Opens a socket of the address's family.
    package init(for address: SocketAddress) throws(SocketError) { descriptor = try Self.open(address.family) }

    #if canImport(Darwin)
    private static func open(_ family: Int32) throws(SocketError) -> Int32 {
        let descriptor = socket(family, SOCK_STREAM, 0)
        guard descriptor >= 0 else { throw .last(.open) }
        var noSignal: Int32 = 1
        let flags = fcntl(descriptor, F_GETFL)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &noSignal, socklen_t(MemoryLayout<Int32>.size)) == 0
        else {
            let error = SocketError.last(.open)
            _ = TsubamePlatform.close(descriptor)
            throw error
        }
        return descriptor
    }
    #else
    /// A stream that does not block, and that no program inherits which another thread starts meanwhile.
    #if canImport(Glibc)
    static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    #else
    static let type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK
    #endif

    private static func open(_ family: Int32) throws(SocketError) -> Int32 {
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .last(.open) }
        return descriptor
    }
    #endif

    deinit { _ = TsubamePlatform.close(descriptor) }

    // MARK: Connecting

    package enum Connecting: Sendable {
        case connected
        /// The socket becomes writable when the attempt has ended. If it has failed, the poller also reports
        /// ``Readiness/ended``, and ``connectionError()`` has the reason.
        case inProgress
    }

    /// Begins to connect.
    package borrowing func connect(to address: SocketAddress) throws(SocketError) -> Connecting {
        let result = address.withSystemForm { TsubamePlatform.connect(descriptor, $0, $1) == 0 ? 0 : errno }
        switch result {
        case 0: return .connected
        // An interrupted attempt goes on by itself (POSIX).
        case EINPROGRESS, EINTR: return .inProgress
        case let code?: throw SocketError(.connect, code)
        case nil: throw SocketError(.connect, ENAMETOOLONG)
        }
    }

    /// The outcome of an attempt that was in progress, or the error that has come since; nil for none.
    package borrowing func connectionError() -> SocketError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .last(.connect) }
        return code == 0 ? nil : SocketError(.connect, code)
    }

    /// Binds the socket to a local address. Port 0 leaves the port to the system.
    package borrowing func bind(to address: SocketAddress) throws(SocketError) {
        let result = address.withSystemForm { TsubamePlatform.bind(descriptor, $0, $1) == 0 ? 0 : errno }
        guard result == 0 else { throw SocketError(.bind, result ?? ENAMETOOLONG) }
    }

    /// Sends and receives by one network interface (socket(7), SO_BINDTODEVICE; on Apple's systems IP_BOUND_IF).
    package borrowing func bind(toDevice name: String) throws(SocketError) {
        #if canImport(Darwin)
        var index = if_nametoindex(name)
        guard index != 0 else { throw .last(.bind) }
        let size = socklen_t(MemoryLayout.size(ofValue: index))
        // A socket has one of the two families.
        guard
            setsockopt(descriptor, Int32(IPPROTO_IP), IP_BOUND_IF, &index, size) == 0
                || setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_BOUND_IF, &index, size) == 0
        else { throw .last(.bind) }
        #elseif os(Linux) || os(Android)
        let bytes = Array(name.utf8)
        guard setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count)) == 0 else {
            throw .last(.bind)
        }
        #else
        throw SocketError(.bind, ENOTSUP)
        #endif
    }

    package borrowing func localAddress() throws(SocketError) -> SocketAddress? { try address(getsockname) }

    package borrowing func remoteAddress() throws(SocketError) -> SocketAddress? { try address(getpeername) }

    private borrowing func address(
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SocketError) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &size) }
        }
        guard result == 0 else { throw .last(.address) }
        return SocketAddress(storage)
    }

    // MARK: Options

    package borrowing func set(_ option: Int32, at level: Int32, to value: Int32) throws(SocketError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .last(.option)
        }
    }

    /// Sends small writes at once (TCP_NODELAY).
    package borrowing func sendAtOnce() throws(SocketError) { try set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1) }

    /// Reads an option's value into the buffer.
    /// - Returns: the number of bytes of the value.
    package borrowing func read(
        _ option: Int32, at level: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SocketError) -> Int {
        var size = socklen_t(buffer.count)
        guard getsockopt(descriptor, level, option, buffer.baseAddress, &size) == 0 else { throw .last(.option) }
        return Int(size)
    }

    // MARK: Ending

    /// Sends the end of the data after all that was written. The other direction stays open.
    package borrowing func endWriting() throws(SocketError) {
        guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw .last(.shutdown) }
    }

    /// Ends both directions. A thread that waits for the socket is woken. The descriptor stays open until the owner closes it, so
    /// another thread may call this.
    package static func endBoth(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Makes ``close()`` of a connection send a reset instead of an orderly end.
    package borrowing func resetOnClose() throws(SocketError) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout.size(ofValue: linger))
        guard setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size) == 0 else { throw .last(.option) }
    }

    /// Closes the descriptor.
    package consuming func close() {}

    /// Gives the descriptor up without closing it. The caller owns it from now on.
    package consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
