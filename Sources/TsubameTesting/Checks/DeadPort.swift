// DeadPort: a port that refuses every connection for as long as a test needs it.

import TsubamePlatform

/// A TCP port of the loopback interface that is bound but does not listen, so that it refuses connections.
///
/// A port that was merely free a moment ago may belong to another process by the time a test uses it.
public final class DeadPort: Sendable {
    /// The port, on 127.0.0.1.
    public let number: Int
    private let descriptor: Int32

    /// The URL of the port, without a slash at the end.
    public var url: String { "http://127.0.0.1:\(number)" }

    /// The system could not provide a port.
    public struct Unavailable: Error {}

    /// Binds a port, which stays bound for as long as this object lives.
    /// - Throws: ``Unavailable`` if the system provides no port.
    public init() throws(Unavailable) {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw Unavailable()
        }
        self.descriptor = descriptor
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
