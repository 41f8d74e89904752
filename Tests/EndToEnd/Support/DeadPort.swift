// DeadPort: where nobody listens, for as long as a test needs it.

import Foundation

/// A port of the loopback interface that is taken, and at which nobody listens: to connect to it is refused.
struct DeadPort: Sendable {
    let number: Int
    /// What nobody serves.
    var url: String { "http://127.0.0.1:\(number)" }
    private let descriptor: Int32

    init() throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, size) = (descriptor, length)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard status else { throw ProductError("no port can be taken") }
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    func release() { close(descriptor) }
}
