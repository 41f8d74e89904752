// FrameReceiver: splits a client's bytes into frames, and sends the required answers.

import NIOCore
import NIOHPACK

/// The innermost handler of a connection of a ``FramePeer``. Confined to its event loop.
final class FrameReceiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let connection: FrameConnection
    private let isAutomatic: Bool
    private let ready: @Sendable (FrameConnection) -> Void
    private let maximumFrameSize: Int
    private var input = ByteBuffer()
    private var hasPreface = false
    private var hasFailed = false
    private var decoder: HPACKDecoder
    /// The block that is arriving: its stream, its bytes so far, and whether it ends the stream.
    private var block: (stream: UInt32, bytes: [UInt8], endsStream: Bool)?

    /// - Parameters:
    ///   - settings: the peer's settings, sent at once; nil to send and to acknowledge nothing.
    ///   - ready: called when frames can be sent.
    init(
        _ connection: FrameConnection, settings: [(UInt16, UInt32)]?,
        ready: @escaping @Sendable (FrameConnection) -> Void
    ) {
        self.connection = connection
        self.ready = ready
        isAutomatic = settings != nil
        let settings = Dictionary(settings ?? []) { _, last in last }
        maximumFrameSize = Int(settings[5] ?? 16_384)
        // Until it has read our settings, a client may use the default table of RFC 9113 section 6.5.2.
        decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(), maxDynamicTableSize: max(4_096, Int(settings[1] ?? 4_096)),
            maxHeaderListSize: 16 << 20)
    }

    func channelActive(context: ChannelHandlerContext) {
        ready(connection)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        do {
            while !hasFailed, try takeOne() {}
            input.discardReadBytes()
        } catch {
            hasFailed = true
            connection.fail(FramePeer.Violation(description: "connection \(connection.number): \(error)"))
            context.triggerUserOutboundEvent(FrameConnection.cutOff, promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.triggerUserOutboundEvent(FrameConnection.cutOff, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { connection.end() }

    /// - Returns: whether there may be more frames.
    private func takeOne() throws -> Bool {
        guard hasPreface else {
            let start = input.readableBytesView.prefix(Self.preface.count)
            guard start.elementsEqual(Self.preface.prefix(start.count)) else { throw Fault("no preface") }
            guard input.readBytes(length: Self.preface.count) != nil else { return false }
            hasPreface = true
            return true
        }
        guard let head = input.getBytes(at: input.readerIndex, length: 9) else { return false }
        let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
        guard length <= maximumFrameSize else { throw Fault("a frame of \(length) bytes") }
        guard input.readableBytes >= 9 + length else { return false }
        input.moveReaderIndex(forwardBy: 9)
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        try take(PeerFrame(head[3], flags: head[4], stream: stream, input.readBytes(length: length) ?? []))
        return true
    }

    private func take(_ frame: PeerFrame) throws {
        var frame = frame
        if connection.frames.isEmpty, frame.kind != .settings || frame.isAcknowledgement {
            throw Fault("the first frame is no SETTINGS: \(frame)")
        }
        if let block, frame.kind != .continuation || frame.stream != block.stream {
            throw Fault("within the block of stream \(block.stream): \(frame)")
        }
        switch frame.kind {
        case .headers:
            block = (frame.stream, frame.content, frame.flags & PeerFrame.Flag.endStream != 0)
            frame.block = try endOfBlock(frame)
        case .continuation:
            guard block != nil else { throw Fault("outside a block: \(frame)") }
            block?.bytes += frame.payload
            frame.block = try endOfBlock(frame)
        case .settings where !frame.isAcknowledgement:
            guard frame.payload.count % 6 == 0 else { throw Fault("\(frame)") }
            connection.take(settings: frame.settings)
            if isAutomatic { connection.answer(PeerFrame(.settings, flags: PeerFrame.Flag.acknowledgement)) }
        case .ping where !frame.isAcknowledgement && isAutomatic:
            connection.answer(PeerFrame(.ping, flags: PeerFrame.Flag.acknowledgement, frame.payload))
        default: break
        }
        connection.add(frame)
    }

    private func endOfBlock(_ frame: PeerFrame) throws -> PeerFrame.Block? {
        guard frame.flags & PeerFrame.Flag.endHeaders != 0, let whole = block else { return nil }
        block = nil
        var bytes = ByteBuffer(bytes: whole.bytes)
        let fields = try decoder.decodeHeaders(from: &bytes).map { PeerField(name: $0.name, value: $0.value) }
        return PeerFrame.Block(fields: fields, endsStream: whole.endsStream)
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
