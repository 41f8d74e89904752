// SocketChannel+Channel: the channel as NIOSSL's handler and its pipeline see it.

import NIOCore
import TsubameSockets

extension SocketChannel: Channel {
    var eventLoop: any NIOCore.EventLoop { loop }
    var allocator: ByteBufferAllocator { ByteBufferAllocator() }
    // TLS asks for neither.
    var localAddress: NIOCore.SocketAddress? { nil }
    var remoteAddress: NIOCore.SocketAddress? { nil }
    var parent: (any Channel)? { nil }
    var isActive: Bool { state == .active }
    var _channelCore: any ChannelCore { self }
    var syncOptions: (any NIOSynchronousChannelOptions)? { SocketChannelOptions(channel: self) }

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        loop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        let options = SocketChannelOptions(channel: self)
        return loop.submit { try options.getOption(option) }
    }
}

/// The options that TLS reads.
struct SocketChannelOptions: NIOSynchronousChannelOptions, Sendable {
    let channel: SocketChannel

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
        throw ChannelError.operationUnsupported
    }

    func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
        let value: Any? =
            switch option {
            case is ChannelOptions.Types.AutoReadOption: channel.isReading
            case is ChannelOptions.Types.AllowRemoteHalfClosureOption: notePeerEnd()
            default: nil
            }
        guard let value = value as? Option.Value else { throw ChannelError.operationUnsupported }
        return value
    }

    /// NIOSSLHandler asks when the peer has said its end (close_notify), before it gives the last bytes. The receiver of these
    /// bytes must know of the end, so that no other request goes out.
    private func notePeerEnd() -> Bool {
        channel.input.hasEnded = true
        return false
    }
}

extension SocketChannel: ChannelCore {
    func localAddress0() throws -> NIOCore.SocketAddress { throw ChannelError.operationUnsupported }

    func remoteAddress0() throws -> NIOCore.SocketAddress { throw ChannelError.operationUnsupported }

    func register0(promise: EventLoopPromise<Void>?) { promise?.succeed() }

    func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) { promise?.succeed() }

    func bind0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func connect0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        write(unwrapData(data, as: ByteBuffer.self), promise)
    }

    func flush0() { flush() }

    func read0() {
        // The channel reads by itself for as long as it is to read.
    }

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .all:
            guard state != .closed else {
                promise?.fail(ChannelError.alreadyClosed)
                return
            }
            close(error)
            promise?.succeed()
        case .output, .input: promise?.fail(ChannelError.operationUnsupported)
        }
    }

    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    /// The bytes that TLS has decrypted.
    func channelRead0(_ data: NIOAny) {
        ReceivedBytes.of(unwrapData(data, as: ByteBuffer.self)) { receiver?.receive($0) }
    }

    func errorCaught0(error: any Error) { tellFailed(error) }
}
