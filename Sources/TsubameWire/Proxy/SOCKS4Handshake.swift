// SOCKS4Handshake: the handshake of SOCKS 4 and of its extension 4A, in which the proxy resolves the name.

package import TsubameCore

package final class SOCKS4Handshake: ProxyHandshake {
    package let greeting: [UInt8]
    private var isOver = false

    /// - Parameters:
    ///   - address: the 4 bytes of the host if it is an IPv4 literal; otherwise the proxy resolves the name.
    /// - Throws: kind `invalidRequest` for an IPv6 address, and for a user with a zero byte.
    package init(host: String, address: [UInt8]?, port: UInt16, user: String) throws(WireError) {
        guard !user.utf8.contains(0) else { throw WireError(.invalidRequest, "the proxy's user holds a zero byte") }
        guard address?.count != 16 else {
            throw WireError(.invalidRequest, "SOCKS 4 does not support IPv6 addresses; use SOCKS 5")
        }
        // 0.0.0.1 means that a name follows.
        let named: [UInt8] = address == nil ? Array(host.utf8) + [0] : []
        greeting =
            [4, 1, UInt8(port >> 8), UInt8(port & 255)] + (address ?? [0, 0, 0, 1]) + Array(user.utf8) + [0] + named
    }

    package func receive(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        if isOver { return .free }
        if let first = input.first, first != 0 { throw .proxy("it does not speak SOCKS 4") }
        guard input.count >= 2 else { return nil }
        switch input[1] {
        case 90: break
        case 91: throw .proxy("it refuses the connection, or cannot make it")
        case 92, 93: throw .proxy("it refuses the user")
        default: throw .proxy("it answers with the unknown reply \(input[1])")
        }
        guard input.count >= 8 else { return nil }
        input.removeFirst(8)
        isOver = true
        return .free
    }
}
