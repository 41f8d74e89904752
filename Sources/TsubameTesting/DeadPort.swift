// DeadPort: where nobody listens, for as long as a test needs it.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP port of the loopback interface that is taken, and at which nobody listens: to connect to it is refused.
///
/// A port that was merely free a moment ago may be somebody else's by the time it is used.
public final class DeadPort: Sendable {
    /// The port, on 127.0.0.1.
    public let number: Int
    private let descriptor: Int32

    /// What nobody serves.
    public var url: String { "http://127.0.0.1:\(number)" }

    /// The system gave no port.
    public struct Unavailable: Error {}

    /// A port that stays taken for as long as this object is there.
    /// - Throws: ``Unavailable`` if the system gives no port.
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
