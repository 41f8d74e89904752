// ServerHelloReader: reads the cipher suite on its way to the TLS library, which does not tell it.

import NIOCore
import TsubameWire

/// Stands before NIOSSL's handler until the handshake is complete, and passes on every byte unchanged. A verification of
/// the peer's certificate may take its time, and what comes meanwhile lies in memory. So the number of bytes has a limit.
final class ServerHelloReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// More bytes came before the handshake was complete than any handshake needs.
    struct TooManyBytes: Error, CustomStringConvertible {
        var description: String {
            "the peer sent more than \(ServerHelloReader.mostBytes >> 10) KiB before the handshake ended"
        }
    }

    /// A chain of certificates takes some kilobytes, and BoringSSL itself refuses one of more than 100 KiB.
    static let mostBytes = 1 << 20

    /// nil if it is not known.
    private(set) var cipherSuite: CipherSuite?
    private var beginning: [UInt8] = []
    private var hasFound = false
    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        count += bytes.count
        guard count <= Self.mostBytes else {
            context.fireErrorCaught(TooManyBytes())
            return context.close(promise: nil)
        }
        if !hasFound { find(in: bytes) }
        context.fireChannelRead(data)
    }

    private func find(in bytes: ByteBufferView) {
        beginning.append(contentsOf: bytes.prefix(ServerHello.longest - beginning.count))
        let finding = ServerHello.find(in: beginning)
        if case .cipherSuite(let suite) = finding { cipherSuite = suite }
        guard finding != .incomplete else { return }
        hasFound = true
        beginning = []
    }
}
