// SOCKS5Handshake: the handshake of SOCKS 5 (RFC 1928), with user name and password (RFC 1929).

package import TsubameCore

package final class SOCKS5Handshake: ProxyHandshake {
    private enum State { case method, authentication, reply, over }

    private let target: [UInt8]
    private let credentials: [UInt8]?
    private var state = State.method

    /// - Parameters:
    ///   - address: the 4 or 16 bytes of the host if it is an IP literal; otherwise the proxy resolves the name.
    ///   - credentials: a user and a password of at most 255 bytes each.
    /// - Throws: kind `invalidRequest` for a name, a user or a password that is too long for the protocol.
    package init(
        host: String, address: [UInt8]?, port: UInt16, credentials: (user: String, password: String)?
    ) throws(WireError) {
        switch address?.count {
        case 4: target = [1] + (address ?? [])
        case 16: target = [4] + (address ?? [])
        default:
            guard let length = UInt8(exactly: host.utf8.count), length > 0 else {
                throw WireError(.invalidRequest, "the host's name is longer than 255 bytes, the limit of SOCKS 5")
            }
            target = [3, length] + host.utf8
        }
        if let credentials {
            let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
            guard let userLength = UInt8(exactly: user.count), let passwordLength = UInt8(exactly: password.count)
            else {
                throw WireError(.invalidRequest, "the proxy's user or password is longer than 255 bytes")
            }
            self.credentials = [1, userLength] + user + [passwordLength] + password
        } else {
            self.credentials = nil
        }
        self.port = [UInt8(port >> 8), UInt8(port & 255)]
    }

    private let port: [UInt8]

    package var greeting: [UInt8] { credentials == nil ? [5, 1, 0] : [5, 2, 0, 2] }

    private var request: [UInt8] { [5, 1, 0] + target + port }

    package func receive(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        switch state {
        case .method: return try method(&input)
        case .authentication: return try authentication(&input)
        case .reply: return try reply(&input)
        case .over: return .free
        }
    }

    private func method(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        if let first = input.first, first != 5 { throw Self.foreign }
        guard input.count >= 2 else { return nil }
        let choice = input[1]
        input.removeFirst(2)
        switch (choice, credentials) {
        case (0, _):
            state = .reply
            return .send(request)
        case (2, let credentials?):
            state = .authentication
            return .send(credentials)
        case (0xFF, nil): throw .proxy("it wants a user and a password")
        case (0xFF, _): throw .proxy("it accepts neither a user with a password nor a client without them")
        default: throw .proxy("it chose an authentication method that it was not offered (\(choice))")
        }
    }

    private func authentication(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        guard input.count >= 2 else { return nil }
        let status = input[1]
        input.removeFirst(2)
        guard status == 0 else { throw .proxy("it refuses the user or the password") }
        state = .reply
        return .send(request)
    }

    private func reply(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        if let first = input.first, first != 5 { throw Self.foreign }
        guard input.count >= 2 else { return nil }
        // A refusal may end after these two bytes.
        if input[1] != 0 { throw .proxy(Self.words(input[1])) }
        guard input.count >= 5 else { return nil }
        let length: Int
        switch input[3] {
        case 1: length = 10
        case 3: length = 7 + Int(input[4])
        case 4: length = 22
        default: throw Self.foreign
        }
        guard input.count >= length else { return nil }
        input.removeFirst(length)
        state = .over
        return .free
    }

    private static var foreign: WireError { .proxy("it does not speak SOCKS 5") }

    /// The meaning of a reply (RFC 1928 section 6).
    private static func words(_ reply: UInt8) -> String {
        switch reply {
        case 1: "it reports a general failure"
        case 2: "its rules do not allow the connection"
        case 3: "it cannot reach the network"
        case 4: "it cannot reach the host"
        case 5: "the host refused its connection"
        case 6: "the time to live of its packets ran out"
        case 7: "it does not know the command"
        case 8: "it does not know the kind of address"
        default: "it answers with the unknown reply \(reply)"
        }
    }
}
