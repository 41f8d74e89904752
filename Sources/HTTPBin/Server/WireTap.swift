// Keeps the bytes of a request's head as they come from the socket.
#if Server
import NIOCore

final class WireTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// More than the decoder accepts as a head, so that nothing it accepts is cut.
    private static let limit = 256 * 1024

    private var bytes: [UInt8] = []
    private var isCollecting = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isCollecting, bytes.count < Self.limit {
            bytes.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        }
        context.fireChannelRead(data)
    }

    /// The head that the decoder has just accepted, or nil if its bytes came in one read with an earlier request.
    func takeHead() -> [UInt8]? {
        defer {
            isCollecting = false
            bytes = []
        }
        let start = bytes.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? bytes.endIndex
        var lineIsEmpty = false
        for index in start..<bytes.endIndex {
            switch bytes[index] {
            case 0x0A where lineIsEmpty: return Array(bytes[start...index])
            case 0x0A: lineIsEmpty = true
            case 0x0D: break
            default: lineIsEmpty = false
            }
        }
        return nil
    }

    /// The request has ended: what is read from now on belongs to the next one.
    func requestEnded() {
        isCollecting = true
        bytes = []
    }
}

#endif
