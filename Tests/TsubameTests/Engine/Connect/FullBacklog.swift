// FullBacklog: an address that neither accepts nor refuses connections. Only this file and LocalSocket.swift use
// sockets.

import TsubamePlatform

/// A listening socket without an accepting program and with a full queue. The system drops further connection requests,
/// so that a client waits for its deadline.
/// The descriptors are written in `init` and closed in `deinit`.
final class FullBacklog: @unchecked Sendable {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private var sockets: [Int32] = []
    private(set) var port: UInt16 = 0

    /// - Parameters:
    ///   - host: an IPv4 address of the loopback interface.
    ///   - port: the port; a free one unless given.
    init(_ host: String = "127.0.0.1", port: Int = 0) throws {
        let listener = try open()
        var address = Self.address(host, port)
        try check("bind", withSocketAddress(&address) { bind(listener, $0, $1) })
        try check("listen", listen(listener, 0))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        try check("getsockname", status)
        self.port = UInt16(bigEndian: address.sin_port)
        // A connection over loopback is established at once or not at all.
        for _ in 0..<16 {
            let client = try open()
            guard fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK) == 0 else { break }
            _ = withSocketAddress(&address) { connect(client, $0, $1) }
            var event = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
            if poll(&event, 1, 20) == 0 { return }
        }
        throw Failure(call: "fill", code: 0)
    }

    deinit { for socket in sockets { close(socket) } }

    private func open() throws -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        try check("socket", descriptor)
        sockets.append(descriptor)
        return descriptor
    }

    private func check(_ call: String, _ status: Int32) throws {
        if status < 0 { throw Failure(call: call, code: errno) }
    }

    private static func address(_ host: String, _ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return address
    }

    private func withSocketAddress<R>(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
