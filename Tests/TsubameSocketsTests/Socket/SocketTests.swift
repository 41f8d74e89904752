// SocketTests: connecting, transfer and the ends of a connection, over this machine's own network.

import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(1))) struct SocketTests {
    private static func connected(_ listener: borrowing Listener) throws -> Socket {
        let socket = try Socket(for: listener.address)
        if case .inProgress = try socket.connect(to: listener.address) { socket.waitUntil(POLLOUT) }
        if let error = socket.connectionError() { throw error }
        return socket
    }

    @Test func `a connection carries bytes both ways`() throws {
        let listener = try Listener()
        let near = try Self.connected(listener)
        let far = try listener.accept()
        #expect(try near.remoteAddress() == listener.address)
        #expect(try near.localAddress() == far.remoteAddress())
        try near.sendAtOnce()
        #expect(near.write("ping") == .bytes(4))
        far.waitUntil(POLLIN)
        #expect(far.readAll().text == "ping")
        #expect(far.readAll().last == .wouldBlock)
    }

    @Test func `several pieces go out by one call`() throws {
        let pair = try SocketPair()
        let pieces = (0..<2_000).map { "\($0)," }
        let all = pieces.joined()
        let bytes = Array(all.utf8)
        let written = bytes.withUnsafeBytes { buffer in
            var offset = 0
            let vectors = pieces.map { piece in
                defer { offset += piece.utf8.count }
                return iovec(
                    iov_base: buffer.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + offset) },
                    iov_len: piece.utf8.count)
            }
            return vectors.withUnsafeBufferPointer { pair.near.write($0) }
        }
        let expected = pieces.prefix(Socket.maximumPieces).joined()
        #expect(written == .bytes(expected.utf8.count))
        #expect(pair.far.readAll().text == expected)
    }

    @Test func `a write of nothing is no error`() throws {
        let pair = try SocketPair()
        // The error of an earlier call is still there.
        errno = EPIPE
        #expect(pair.near.write("") == .bytes(0))
        errno = EPIPE
        let none = iovec(iov_base: nil, iov_len: 0)
        #expect(withUnsafePointer(to: none) { pair.near.write(UnsafeBufferPointer(start: $0, count: 1)) } == .bytes(0))
    }

    @Test func `a full socket takes no further piece`() throws {
        let pair = try SocketPair()
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        while case .bytes = bytes.withUnsafeBytes({ pair.near.write($0) }) {}
        let outcome = bytes.withUnsafeBytes { buffer in
            let piece = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: buffer.baseAddress), iov_len: buffer.count)
            return withUnsafePointer(to: piece) { pair.near.write(UnsafeBufferPointer(start: $0, count: 1)) }
        }
        #expect(outcome == .wouldBlock)
    }

    @Test func `an address or an interface of another machine is an error of binding`() throws {
        // An address for documentation (RFC 5737), which no machine has.
        let address = SocketAddress.ipv4(address: 0xC000_0201, port: 0)
        #expect(throws: SocketError(.bind, EADDRNOTAVAIL)) { try Socket(for: address).bind(to: address) }
        #if os(Linux)
        #expect(throws: SocketError.self) { try Socket(for: address).bind(toDevice: "nowhere0") }
        #endif
    }

    @Test func `a descriptor that is no socket has no address, which is an error`() {
        #expect(throws: SocketError(.address, EBADF)) { try Socket(taking: -1).localAddress() }
    }

    @Test func `a socket without a path has no address`() throws {
        let pair = try SocketPair()
        #expect(try pair.near.localAddress() == nil && pair.near.remoteAddress() == nil)
    }

    @Test func `the end of one direction leaves the other open`() throws {
        let pair = try SocketPair()
        #expect(pair.near.write("last") == .bytes(4))
        try pair.near.endWriting()
        let (text, last) = pair.far.readAll()
        #expect(text == "last" && last == .end)
        #expect(pair.far.write("answer") == .bytes(6))
        #expect(pair.near.readAll().text == "answer")
    }

    @Test func `a full socket takes a part, and then none`() throws {
        let pair = try SocketPair()
        let bytes = [UInt8](repeating: 1, count: 8 << 20)
        var sent = 0
        while case .bytes(let count) = bytes.withUnsafeBytes({ pair.near.write($0) }) {
            #expect(count > 0)
            sent += count
        }
        #expect(sent > 0 && sent < bytes.count)
        #expect(pair.far.readAll().text.utf8.count == sent)
    }

    @Test func `the system tells how many bytes the peer has not taken`() throws {
        let pair = try SocketPair()
        let before = pair.near.untakenBytes()
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        while case .bytes = bytes.withUnsafeBytes({ pair.near.write($0) }) {}
        let full = pair.near.untakenBytes() ?? 0
        _ = pair.far.readAll()
        let after = pair.near.untakenBytes()
        #expect(before == 0 && full > 0 && after == 0)
        let file = Socket(taking: open("/dev/null", O_RDWR))
        let ofFile = file.untakenBytes()
        #expect(ofFile == nil)
    }

    @Test(arguments: ["", "unread"]) func `an end of the peer shows before it is read`(text: String) throws {
        let listener = try Listener()
        let near = try Self.connected(listener)
        let far = try listener.accept()
        let before = near.isEstablished()
        _ = far.write(text)
        try far.endWriting()
        near.waitUntil(POLLIN)
        while near.isEstablished() { sched_yield() }
        let rest = near.readAll().text
        let after = near.isEstablished()
        #expect(before && rest == text && !after)
    }

    @Test func `without TCP an end shows when nothing is unread`() throws {
        let pair = try SocketPair()
        let before = pair.near.isEstablished()
        _ = pair.far.write("x")
        try pair.far.endWriting()
        let unread = pair.near.isEstablished()
        _ = pair.near.readAll()
        let after = pair.near.isEstablished()
        #expect(before && unread && !after)
    }

    @Test func `a write to a closed connection fails, and raises no signal`() throws {
        let ends = try connectedPair()
        let near = Socket(taking: ends.near)
        let far = Socket(taking: ends.far)
        far.close()
        #expect(near.write("x") == .failed(SocketError(.write, EPIPE)))
        #expect(near.readAll().last == .end)
    }

    @Test func `a reset is an error of the next read`() throws {
        let listener = try Listener()
        let near = try Self.connected(listener)
        let far = try listener.accept()
        try far.resetOnClose()
        far.close()
        near.waitUntil(POLLIN)
        #expect(near.readAll().last == .failed(SocketError(.read, ECONNRESET)))
    }

    @Test func `a refused connection says so`() throws {
        // Bound, so that no other socket gets its port, and without a queue.
        let any = SocketAddress.ipv4(address: 0x7F00_0001, port: 0)
        let bound = try Socket(for: any)
        try bound.bind(to: any)
        let address = try #require(try bound.localAddress())
        let socket = try Socket(for: address)
        do {
            if case .inProgress = try socket.connect(to: address) { socket.waitUntil(POLLOUT) }
            #expect(socket.connectionError() == SocketError(.connect, ECONNREFUSED))
        } catch {
            #expect(error == SocketError(.connect, ECONNREFUSED))
        }
        #expect("\(SocketError(.connect, ECONNREFUSED))" == "cannot connect: Connection refused")
        #expect(SocketError(.open, EMFILE).isShortOfDescriptors && !SocketError(.open, EACCES).isShortOfDescriptors)
    }

    @Test func `a descriptor is closed with its socket, on exec too, and never blocks`() throws {
        let number: Int32
        do {
            let socket = try Socket(for: .ipv6(high: 0, low: 1, port: 0, scope: 0))
            number = socket.descriptor
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        }
        // Another test may have taken the number meanwhile: that one is no socket of ours.
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var storage = sockaddr_storage()
        let named = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        #expect(named != 0 || Int32(storage.ss_family) != AF_INET6)
    }
}
