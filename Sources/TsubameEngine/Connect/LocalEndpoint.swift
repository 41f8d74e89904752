// LocalEndpoint: the local address or network interface from which connections are made.

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameSockets

/// A local address, or on Linux a network interface.
enum LocalEndpoint: Sendable {
    case address(NIOCore.SocketAddress)
    #if os(Linux)
    case device(name: String)
    #endif

    /// - Throws: ``CallError/Kind/invalidRequest`` for what can be neither.
    init(_ text: String) throws(CallError) {
        if let address = try? NIOCore.SocketAddress(ipAddress: text, port: 0) {
            self = .address(address)
            return
        }
        #if os(Linux)
        if !text.isEmpty, text.utf8.count < 16, !text.holdsControlCharacter {
            self = .device(name: text)
            return
        }
        let advice = "give an address of this machine, or the name of a network interface"
        #else
        let advice = "give an address of this machine"
        #endif
        throw CallError(
            .invalidRequest, "connection.interface is no address: \(Redaction.printable(text))", advice: advice)
    }

    /// Whether connections from here can go there.
    func canReach(_ address: NIOCore.SocketAddress) -> Bool {
        if case .address(let source) = self { source.protocol == address.protocol } else { true }
    }

    /// Binds a socket that is not connected yet.
    func bind(_ socket: borrowing Socket) throws(SocketError) {
        switch self {
        case .address(let address):
            guard let address = TsubameSockets.SocketAddress(address) else { throw SocketError(.bind, EAFNOSUPPORT) }
            try socket.bind(to: address)
        #if os(Linux)
        case .device(let name): try socket.bind(toDevice: name)
        #endif
        }
    }
}
