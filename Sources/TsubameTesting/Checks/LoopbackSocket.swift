// LoopbackSocket: a TCP socket that is bound to an address of the loopback interface.

import TsubamePlatform

/// A bound socket, which closes when its owner is released.
final class LoopbackSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    /// A call of the system that failed, and its error number.
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// - Parameters:
    ///   - host: an IPv4 address of the loopback interface.
    ///   - port: the port; with 0 the system chooses.
    init(_ host: String, port: UInt16) throws(Failure) {
        let descriptor = try Self.open()
        var address = Self.address(host, port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = Self.withPointer(&address) { pointer in
            bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
        }
        guard isBound else {
            let failure = Failure(call: "bind", code: errno)
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// A new TCP socket, which the caller closes.
    static func open() throws(Failure) -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        return descriptor
    }

    /// Begins a connection from another socket to this address, without waiting for it.
    /// - Parameter host: the address that this socket is bound to.
    func beginConnecting(_ client: Int32, host: String) {
        _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
        var address = Self.address(host, port)
        _ = Self.withPointer(&address) { connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }

    private static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return address
    }

    private static func withPointer<R>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> R
    ) -> R {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
