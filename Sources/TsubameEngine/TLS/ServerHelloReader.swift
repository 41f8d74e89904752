// ServerHelloReader: reads the cipher suite on its way to the TLS library, which does not tell it.

import NIOCore
import TsubameWire

/// Stands before NIOSSL's handler until the cipher suite is known. It passes on every byte unchanged.
final class ServerHelloReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// nil if it is not known.
    private(set) var cipherSuite: CipherSuite?
    private var beginning: [UInt8] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        beginning.append(contentsOf: bytes.prefix(ServerHello.longest - beginning.count))
        let finding = ServerHello.find(in: beginning)
        if case .cipherSuite(let suite) = finding { cipherSuite = suite }
        context.fireChannelRead(data)
        if finding != .incomplete { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }
}
