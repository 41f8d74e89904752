// SocketChannel+Transfer: the bytes between the socket and the pipeline.

import NIOCore
import TsubamePlatform
import TsubameSockets

extension SocketChannel {
    // MARK: Reading

    /// Reads until the socket has no more, and then arms it.
    func read() {
        var budget = EventLoop.bytesPerCall
        while isReading, state == .active {
            guard budget > 0 else { return callAgain() }
            let size = reads.nextBufferSize() ?? 4096
            // Memory that a handler has kept is left to it.
            input.clear(minimumCapacity: size)
            var outcome = Socket.Reading.wouldBlock
            let room = input.writableBytes
            input.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { buffer in
                outcome = socket?.read(into: buffer) ?? .wouldBlock
                if case .bytes(let count) = outcome { return count }
                return 0
            }
            switch outcome {
            case .bytes(let count):
                _ = reads.record(actualReadBytes: count)
                budget -= count
                line.fireChannelRead(input)
                // A handler may have closed the channel.
                if state == .active { line.fireChannelReadComplete() }
                guard state == .active else { return }
                // A read that took less than it could has emptied the socket. Only the end may still be there.
                guard count == room || hasEnded else {
                    arm(.readable)
                    return
                }
            case .wouldBlock:
                arm(.readable)
                return
            case .end: return close(ChannelError.eof, nil)
            case .failed(let error): return fail(Self.ioError(error))
            }
        }
    }

    /// The pipeline takes bytes again, or no more for now.
    func setReading(_ isOn: Bool) {
        guard isReading != isOn else { return }
        isReading = isOn
        // What came meanwhile was reported already.
        if isOn, state == .active { callAgain() }
    }

    // MARK: Writing

    /// More bytes than this wait for the socket: the pipeline should write no more.
    private static let highMark = 64 << 10
    /// Fewer bytes than this wait again.
    private static let lowMark = 32 << 10

    func write(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        guard state != .closed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        pending.append(buffer, promise)
        if takesWrites, pending.bytes > Self.highMark {
            takesWrites = false
            line.fireChannelWritabilityChanged()
        }
    }

    func flush() {
        pending.flush()
        if state == .active { writeOut() }
    }

    /// Writes until the socket takes no more, and then arms it.
    func writeOut() {
        // A promise that is fulfilled here may write and flush: the loop below takes that along.
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        var done: [EventLoopPromise<Void>] = []
        while state == .active, pending.hasFlushed {
            let outcome = pending.withPieces { socket?.write($0) ?? .wouldBlock }
            switch outcome {
            case .bytes(let count):
                pending.remove(count, &done)
                for promise in done { promise.succeed() }
                done.removeAll(keepingCapacity: true)
                tellWritability()
            case .wouldBlock: return arm(.writable)
            case .failed(let error):
                // The peer may have said why before it closed. What it has sent can still be read.
                hasEnded = true
                if isReading { read() }
                return fail(Self.ioError(error))
            }
        }
    }

    private func tellWritability() {
        guard !takesWrites, pending.bytes < Self.lowMark, state == .active else { return }
        takesWrites = true
        line.fireChannelWritabilityChanged()
    }
}
