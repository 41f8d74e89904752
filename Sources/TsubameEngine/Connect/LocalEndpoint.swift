// LocalEndpoint: the local address or network interface from which connections are made.

import TsubameCore
import TsubameSockets

/// A local address, or a network interface.
enum LocalEndpoint: Sendable {
    case address(SocketAddress)
    case device(name: String)

    /// - Throws: ``CallError/Kind/invalidRequest`` for what can be neither.
    init(_ text: String) throws(CallError) {
        if let address = SocketAddress(ip: text, port: 0) {
            self = .address(address)
            return
        }
        if !text.isEmpty, text.utf8.count < 16, !text.holdsControlCharacter {
            self = .device(name: text)
            return
        }
        let advice = "give an address of this machine, or the name of a network interface"
        throw CallError(
            .invalidRequest, "connection.interface is no address: \(Redaction.printable(text))", advice: advice)
    }

    /// Whether connections from here can go there.
    func canReach(_ address: SocketAddress) -> Bool {
        if case .address(let source) = self { source.family == address.family } else { true }
    }

    /// Binds a socket that is not connected yet.
    func bind(_ socket: borrowing Socket) throws(SocketError) {
        switch self {
        case .address(let address): try socket.bind(to: address)
        case .device(let name): try socket.bind(toDevice: name)
        }
    }
}
