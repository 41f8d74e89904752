// SocketChannelTests: what a plain channel tells its receiver, and what it does with the receiver's bytes.

import NIOCore
import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(2))) struct SocketChannelTests {
    @Test func `bytes that came with the end are received before the end`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            // The loop is held, so the bytes and the end come in one report.
            try await loop.submit {
                peer.write(Array("abc".utf8))
                peer.end()
            }.get()
            await receiver.waitUntilClosed()
            #expect(receiver.calls == [.connected, .bytes("abc"), .closed])
        }
    }

    @Test func `bytes that came before a reset are received before the error`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            try await loop.submit {
                peer.write(Array("abc".utf8))
                peer.reset()
            }.get()
            await receiver.waitUntilClosed()
            #expect(receiver.calls == [.connected, .bytes("abc"), .failed, .closed])
        }
    }

    @Test func `a reset that a write finds first does not hide the bytes before it`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            try await loop.submit {
                peer.write(Array("abc".utf8))
                peer.reset()
                channel.send(ByteBuffer(string: "x"))
                channel.send(ByteBuffer(string: "y"))
            }.get()
            await receiver.waitUntilClosed()
            #expect(receiver.calls == [.connected, .bytes("abc"), .failed, .closed])
        }
    }

    @Test func `a write that fails while the receiver receives changes no order`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            // More than one read takes. The receiver fills the socket's rest from within each read.
            let bytes = (0..<(40 << 10)).map { UInt8(0x61 + $0 % 26) }
            receiver.onBytes = { channel.send(ByteBuffer(string: "x")) }
            try await loop.submit {
                peer.write(bytes)
                peer.reset()
            }.get()
            await receiver.waitUntilClosed()
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(receiver.calls == [.connected, .bytes(text), .failed, .closed])
        }
    }

    @Test func `a write that fails is told after the call that wrote`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            let during = try await loop.submit {
                peer.reset()
                channel.send(ByteBuffer(string: "x"))
                channel.send(ByteBuffer(string: "y"))
                #expect(channel.hasFailedWriting)
                return receiver.calls
            }.get()
            #expect(during == [.connected])
            await receiver.waitUntilClosed()
            #expect(receiver.calls == [.connected, .failed, .closed])
        }
    }

    @Test func `an orderly end that a write finds first is no error`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            try await loop.submit {
                peer.write(Array("abc".utf8))
                peer.end()
                channel.send(ByteBuffer(string: "x"))
                channel.send(ByteBuffer(string: "y"))
            }.get()
            await receiver.waitUntilClosed()
            #expect(receiver.calls == [.connected, .bytes("abc"), .closed])
        }
    }

    @Test func `a paused channel gives nothing, and everything once it reads again`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            try await loop.submit { channel.setReading(false) }.get()
            peer.write(Array("abc".utf8))
            peer.end()
            // The loop has had two turns, in which it would have read.
            for _ in 0..<2 { try await loop.submit {}.get() }
            #expect(receiver.calls == [.connected])
            try await loop.submit { channel.setReading(true) }.get()
            await receiver.waitUntilClosed()
            #expect(receiver.calls == [.connected, .bytes("abc"), .closed])
        }
    }

    @Test func `bytes that the socket does not take wait, and go out in their order`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            let pieces = (0..<64).map { [UInt8](repeating: UInt8($0), count: 256 << 10) }
            let done = Log<Int>()
            try await loop.submit {
                for (index, piece) in pieces.enumerated() {
                    // Every third one is sent without a promise, by the other way through the channel.
                    guard index % 3 != 0 else {
                        channel.send(ByteBuffer(bytes: piece))
                        continue
                    }
                    let promise = channel.loop.makePromise(of: Void.self)
                    promise.futureResult.whenSuccess { done.add(index) }
                    channel.send(ByteBuffer(bytes: piece), promise: promise)
                }
                #expect(!channel.isWritable)
            }.get()
            let received = peer.read(pieces.reduce(0) { $0 + $1.count })
            #expect(received == pieces.flatMap { $0 })
            try await loop.submit { #expect(channel.isWritable) }.get()
            #expect(done.all == (0..<64).filter { $0 % 3 != 0 })
            // Each time after the channel had taken too much.
            #expect(receiver.calls.last == .writable)
            #expect(receiver.calls.dropFirst().allSatisfy { $0 == .writable })
        }
    }

    @Test func `a write to a closed channel fails, and the receiver hears no more`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            let isWritten = Log<Bool>()
            try await loop.submit {
                peer.write(Array("abc".utf8))
                channel.end()
                channel.end()
                let promise = channel.loop.makePromise(of: Void.self)
                promise.futureResult.whenComplete {
                    if case .success = $0 { isWritten.add(true) } else { isWritten.add(false) }
                }
                channel.send(ByteBuffer(string: "x"), promise: promise)
                channel.send(ByteBuffer(string: "y"))
            }.get()
            #expect(peer.readToEnd().isEmpty)
            #expect(isWritten.all == [false])
            #expect(receiver.calls == [.connected, .closed])
        }
    }

    @Test func `a receiver can close the channel while it receives`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            receiver.onBytes = { channel.end() }
            // More than one read takes.
            try await loop.submit { peer.write([UInt8](repeating: 0x61, count: 64 << 10)) }.get()
            await receiver.waitUntilClosed()
            #expect(receiver.calls.count == 3)
            #expect(receiver.calls.first == .connected)
            #expect(receiver.calls.last == .closed)
        }
    }

    @Test func `the next receiver gets what follows`() async throws {
        try await Self.with { loop, channel, receiver, peer in
            let next = RecordingReceiver()
            receiver.onBytes = { channel.receiver = next }
            peer.write(Array("one".utf8))
            await receiver.waitUntil { $0.contains(.bytes("one")) }
            peer.write(Array("two".utf8))
            peer.end()
            await next.waitUntilClosed()
            #expect(receiver.calls == [.connected, .bytes("one")])
            #expect(next.calls == [.bytes("two"), .closed])
        }
    }

    @Test func `a refused connection is told to the caller and not to the receiver`() async throws {
        let loop = NIOLoop(try TsubameSockets.EventLoop())
        defer { loop.loop.stop() }
        let address = try Peer().address
        let receiver = RecordingReceiver()
        let (errors, closes) = (Log<Bool>(), Log<Bool>())
        try await loop.submit {
            let channel = SocketChannel(loop, try Socket(for: address)) { closes.add(true) }
            channel.receiver = receiver
            channel.connect(to: address) { errors.add($0 != nil) }
        }.get()
        while errors.all.isEmpty { try await loop.submit {}.get() }
        #expect(errors.all == [true])
        #expect(closes.all == [true])
        #expect(receiver.calls.isEmpty)
    }

    @Test func `a channel receives no more in one turn than its budget`() async throws {
        /// Counts turns for as long as it lives. Confined to the loop.
        final class Turns: @unchecked Sendable {
            var bytes: [Int] = [0]
            var isOver = false

            func next(on loop: NIOLoop) {
                bytes.append(0)
                if !isOver { loop.execute { self.next(on: loop) } }
            }
        }
        try await Self.with { loop, channel, receiver, peer in
            let (turns, size) = (Turns(), 4 << 20)
            try await loop.submit {
                receiver.onCount = { turns.bytes[turns.bytes.count - 1] += $0 }
                turns.next(on: loop)
            }.get()
            // More than the buffers of both sockets hold at once.
            await Task.detached { peer.write([UInt8](repeating: 0x61, count: size)) }.value
            peer.end()
            await receiver.waitUntilClosed()
            let bytes = try await loop.submit {
                turns.isOver = true
                receiver.onCount = { _ in }
                return turns.bytes
            }.get()
            let most = bytes.max() ?? 0
            #expect(bytes.reduce(0, +) == size && most <= TsubameSockets.EventLoop.bytesPerTurn, "\(most)")
        }
    }

    // MARK: Support

    /// Runs the test with a connected channel on a loop of its own, and closes all of it.
    private static func with(
        _ body: (NIOLoop, SocketChannel, RecordingReceiver, Peer) async throws -> Void
    ) async throws {
        let loop = NIOLoop(try TsubameSockets.EventLoop())
        defer { loop.loop.stop() }
        let (peer, receiver, closes) = (try Peer(), RecordingReceiver(), Log<Bool>())
        let channel = try await loop.submit {
            let channel = SocketChannel(loop, try Socket(for: peer.address)) { closes.add(true) }
            channel.receiver = receiver
            channel.connect(to: peer.address) { error in
                #expect(error == nil)
                receiver.connected()
            }
            return channel
        }.get()
        try peer.accept()
        await receiver.waitUntil { $0 == [.connected] }
        try await body(loop, channel, receiver, peer)
        try await loop.submit {
            receiver.onBytes = {}
            channel.end()
            #expect(channel.socket == nil && channel.receiver == nil)
        }.get()
        #expect(closes.all == [true])
    }
}

/// The other end of a channel. Its calls wait on the caller's thread.
// Used by one thread at a time: the test's, or the loop while the test waits for it.
private final class Peer: @unchecked Sendable {
    let address: TsubameSockets.SocketAddress
    private let listener: Int32
    private var socket: Socket?

    /// A peer that listens, and refuses again as soon as nothing refers to it.
    init() throws {
        let any = TsubameSockets.SocketAddress.ipv4(address: 0x7F00_0001, port: 0)
        let socket = try Socket(for: any)
        try socket.bind(to: any)
        guard listen(socket.descriptor, 8) == 0, let bound = try socket.localAddress() else {
            throw SocketError.last(.open)
        }
        address = bound
        listener = socket.release()
    }

    deinit { close(listener) }

    func accept() throws {
        Self.wait(for: listener, POLLIN)
        let descriptor = TsubamePlatform.accept(listener, nil, nil)
        guard descriptor >= 0 else { throw SocketError.last(.open) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        socket = Socket(taking: descriptor)
    }

    private static func wait(for descriptor: Int32, _ events: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = poll(&polled, 1, 60_000)
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, let descriptor = socket?.descriptor {
            let outcome = rest.withUnsafeBytes { socket?.write($0) }
            guard case .bytes(let count)? = outcome else {
                Self.wait(for: descriptor, POLLOUT)
                continue
            }
            rest = rest.dropFirst(count)
        }
    }

    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let descriptor = socket?.descriptor {
            Self.wait(for: descriptor, POLLIN)
            let reading = withUnsafeTemporaryAllocation(byteCount: min(64 << 10, count - bytes.count), alignment: 1) {
                let reading = socket?.read(into: $0)
                if case .bytes(let count)? = reading { bytes.append(contentsOf: $0[..<count]) }
                return reading
            }
            guard case .bytes? = reading else { return bytes }
        }
        return bytes
    }

    func readToEnd() -> [UInt8] { read(.max) }

    func end() { socket = nil }

    func reset() {
        try? socket?.resetOnClose()
        socket = nil
    }
}

/// Keeps the calls in their order. Reads that follow one another are one call.
// `onBytes`, `onCount` and `isReceiving` belong to the loop.
private final class RecordingReceiver: ChannelReceiver, @unchecked Sendable {
    enum Call: Equatable, Sendable { case connected, bytes(String), nested, writable, failed, closed }

    private struct State {
        var calls: [Call] = []
        var waiter: (isMet: @Sendable ([Call]) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())
    var onBytes: () -> Void = {}
    /// Takes the number of bytes of each read.
    var onCount: (Int) -> Void = { _ in }
    private var isReceiving = false

    var calls: [Call] { state.withLock { $0.calls } }

    func waitUntil(_ isMet: @escaping @Sendable ([Call]) -> Bool) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if isMet(state.calls) { return continuation.resume() }
                state.waiter = (isMet, continuation)
            }
        }
    }

    func waitUntilClosed() async { await waitUntil { $0.last == .closed } }

    private func add(_ call: Call) {
        state.withLock { state in
            if case .bytes(let new) = call, case .bytes(let old)? = state.calls.last {
                state.calls[state.calls.count - 1] = .bytes(old + new)
            } else {
                state.calls.append(call)
            }
            if let waiter = state.waiter, waiter.isMet(state.calls) {
                state.waiter = nil
                waiter.continuation.resume()
            }
        }
    }

    func connected() { add(.connected) }

    func receive(_ read: ReceivedBytes) {
        if isReceiving { add(.nested) }
        isReceiving = true
        defer { isReceiving = false }
        add(.bytes(String(decoding: read.bytes, as: UTF8.self)))
        onBytes()
        onCount(read.count)
    }

    func becameWritable() { add(.writable) }

    func failed(_ error: any Error) { add(.failed) }

    func closed() { add(.closed) }
}
