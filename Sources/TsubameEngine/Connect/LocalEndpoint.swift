// LocalEndpoint: the local address or network interface from which connections are made.

import NIOCore
import TsubameCore
import TsubamePlatform

/// A local address, or on Linux a network interface.
enum LocalEndpoint: Sendable {
    case address(SocketAddress)
    #if os(Linux)
    case device(name: String)
    #endif

    /// - Throws: ``CallError/Kind/invalidRequest`` for what can be neither.
    init(_ text: String) throws(CallError) {
        if let address = try? SocketAddress(ipAddress: text, port: 0) {
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
    func canReach(_ address: SocketAddress) -> Bool {
        if case .address(let source) = self { source.protocol == address.protocol } else { true }
    }

    /// What has to be done to the socket, beside what the bootstrap does.
    func bind(_ channel: any Channel) -> EventLoopFuture<Void> {
        #if os(Linux)
        if case .device(let name) = self, let options = channel as? any SocketOptionProvider {
            // `char[IFNAMSIZ]`, ended by zero (socket(7)).
            var bytes = SIMD16<UInt8>(repeating: 0)
            for (index, byte) in name.utf8.prefix(15).enumerated() { bytes[index] = byte }
            return options.unsafeSetSocketOption(level: .socket, name: .init(rawValue: SO_BINDTODEVICE), value: bytes)
        }
        #endif
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}
