// ProxyConversation: speaks to a proxy until the connection leads to the origin.

import NIOCore
import TsubameCore
import TsubameWire

/// Carries a ``ProxyHandshake`` over a connected channel.
// Guarded by confinement to its channel's loop.
final class ProxyConversation: ConnectStep, ChannelReceiver, @unchecked Sendable {
    enum Outcome {
        /// From here on the channel leads to the origin.
        case free
        /// The proxy wants the rest of the conversation on another connection.
        case elsewhere
        case failed(any Error)
    }

    private let channel: SocketChannel
    private let handshake: any ProxyHandshake
    private var input: [UInt8] = []
    /// nil once the outcome is told.
    private var done: ((Outcome) -> Void)?

    init(_ channel: SocketChannel, _ handshake: any ProxyHandshake, done: @escaping (Outcome) -> Void) {
        self.channel = channel
        self.handshake = handshake
        self.done = done
    }

    func start() {
        channel.receiver = self
        guard channel.state == .active else { return lose(ChannelError.eof) }
        channel.send(ByteBuffer(bytes: handshake.greeting))
    }

    func receive(_ read: ReceivedBytes) {
        guard done != nil else { return }
        input += read.bytes
        do throws(WireError) {
            while let answer = try handshake.receive(&input) {
                switch answer {
                case .send(let bytes): channel.send(ByteBuffer(bytes: bytes))
                case .free:
                    // The origin does not speak first, so these are the proxy's.
                    guard input.isEmpty else { throw WireError(.proxy, "it says more than belongs to its answer") }
                    return tell(.free)
                case .elsewhere: return tell(.elsewhere)
                }
            }
        } catch {
            tell(.failed(error))
        }
    }

    func failed(_ error: any Error) { lose(error) }

    func closed() { lose(ChannelError.eof) }

    private func lose(_ error: any Error) { tell(handshake.mayBeginAnew ? .elsewhere : .failed(error)) }

    private func tell(_ outcome: Outcome) {
        let done = done
        self.done = nil
        done?(outcome)
    }

    func cancel() { done = nil }
}
