// LocalSocket: plain sockets of this machine that hold an address or find out the system's permissions.

import TsubamePlatform

/// An address and port that are bound without a listener, so that connections to them are refused.
final class HeldAddress: Sendable {
    struct Unavailable: Error {
        let code: Int32
    }

    private let descriptor: Int32

    /// - Parameter host: an address of the loopback interface, IPv4 or IPv6.
    init(_ host: String, port: Int) throws(Unavailable) {
        let isIPv6 = host.utf8.contains(0x3A)
        let descriptor = LocalSocket.open(isIPv6 ? AF_INET6 : AF_INET)
        let isBound =
            isIPv6 ? LocalSocket.bind6(descriptor, host, port) : LocalSocket.bind4(descriptor, host, port)
        guard isBound else {
            let code = errno
            close(descriptor)
            throw Unavailable(code: code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

enum LocalSocket {
    #if os(Linux)
    /// Whether this process may bind a socket to the loopback interface (`SO_BINDTODEVICE`, socket(7)).
    static let bindsToDevice: Bool = {
        let descriptor = LocalSocket.open(AF_INET)
        defer { close(descriptor) }
        let name: [UInt8] = Array("lo".utf8) + [0]
        return setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(name.count)) == 0
    }()
    #endif

    fileprivate static func open(_ family: Int32) -> Int32 {
        #if canImport(Glibc)
        socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(family, SOCK_STREAM, 0)
        #endif
    }

    fileprivate static func bind4(_ descriptor: Int32, _ host: String, _ port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return false }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    fileprivate static func bind6(_ descriptor: Int32, _ host: String, _ port: Int) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(truncatingIfNeeded: port).bigEndian
        guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return false }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }
}
