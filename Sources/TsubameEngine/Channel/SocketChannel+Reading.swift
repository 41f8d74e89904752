// How a channel reads its socket.

import NIOCore
import TsubamePlatform
import TsubameSockets

extension SocketChannel {
    /// Reads until the socket has no more, and then arms it. After a failed write, reads until the end.
    func read() {
        input.isInRead = true
        defer { input.isInRead = false }
        readAll()
        // A receiver that wants no more bytes does not learn the rest of a broken connection.
        if let error = output.error, state == .active, !input.isOn { fail(Self.ioError(error)) }
    }

    private func readAll() {
        input.budget.begin(in: loop.loop.turnNumber)
        while input.isOn, state == .active {
            // The first read may take all of the budget, and a later one only what is left.
            guard input.budget.left >= input.size.value else { return callAgain() }
            switch isSecured ? readEncrypted() : readPlain() {
            case .bytes(let count):
                input.budget.take(count)
                // A receiver may have closed the channel.
                guard state == .active else { return }
                // A read that took less than it could has emptied the socket. Only the end may still be there.
                let wasFull = count >= input.size.value
                input.size.record(count)
                guard wasFull || input.hasEnded else {
                    loop.loop.arm(registration.descriptor, .readable)
                    return
                }
            case .wouldBlock:
                if let error = output.error { return fail(Self.ioError(error)) }
                loop.loop.arm(registration.descriptor, .readable)
                return
            case .end: return ended()
            case .failed(let error): return fail(Self.ioError(error))
            }
        }
    }

    /// The socket has no more bytes, and there will be none.
    private func ended() {
        // After a reset this is no orderly end, and a body that ends with the connection is not whole. The system says
        // EPIPE if the peer had ended its direction before.
        if let error = output.error, error.code != EPIPE { return fail(Self.ioError(error)) }
        close(ChannelError.eof)
    }

    /// Reads into the loop's memory, and gives the bytes to the receiver.
    @inline(__always)
    private func readPlain() -> Socket.Reading {
        let (chunk, size) = (loop.loop.takeInput(), input.size.value)
        let outcome = socket?.read(into: UnsafeMutableRawBufferPointer(start: chunk.base, count: size)) ?? .wouldBlock
        if case .bytes(let count) = outcome {
            receiver?.receive(ReceivedBytes(chunk, count: count))
        }
        return outcome
    }

    /// Reads into memory of its own, since TLS keeps it until a record is whole, and gives the bytes to TLS. The memory of a
    /// large body does not stay with a connection whose responses have become small.
    private func readEncrypted() -> Socket.Reading {
        var outcome = Socket.Reading.wouldBlock
        let size = input.size.value
        if input.encrypted.capacity > 4 * size { input.encrypted = ByteBuffer() }
        input.encrypted.clear(minimumCapacity: size)
        input.encrypted.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { buffer in
            outcome =
                socket?.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(size)))
                ?? .wouldBlock
            if case .bytes(let count) = outcome { return count }
            return 0
        }
        if case .bytes = outcome {
            pipeline.fireChannelRead(input.encrypted)
            if state == .active { pipeline.fireChannelReadComplete() }
        }
        return outcome
    }

    /// Pauses reading, or goes on in the loop's next turn.
    func setReading(_ isOn: Bool) {
        guard input.isOn != isOn else { return }
        input.isOn = isOn
        if isOn, state == .active { callAgain() }
    }

    /// The memory for encrypted bytes that an idle connection may keep, in bytes.
    private static let idleInput = 64 << 10

    /// The connection has nothing to receive for now. The memory of a large body goes.
    func rest() {
        if input.encrypted.capacity > Self.idleInput { input.encrypted = ByteBuffer() }
    }

    /// Begins with the first size of a read again.
    func resetReadSize() {
        input.size = ReadSize()
        input.encrypted = ByteBuffer()
    }
}
