// Peers: sockets of this machine for the tests, and members that record what they are told.

import Synchronization
import TsubamePlatform
import TsubameSockets

/// Two descriptors of a pair of connected sockets.
func connectedPair() throws -> (near: Int32, far: Int32) {
    var ends: (near: Int32, far: Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &ends) {
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0.baseAddress?.assumingMemoryBound(to: Int32.self))
    }
    guard result == 0 else { throw SocketError.last(.open) }
    for end in [ends.near, ends.far] {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    return ends
}

/// A pair of connected sockets.
struct SocketPair: ~Copyable {
    let near: Socket
    let far: Socket

    init() throws {
        let ends = try connectedPair()
        near = Socket(taking: ends.near)
        far = Socket(taking: ends.far)
    }
}

/// A TCP server of this machine that accepts one connection at a time.
struct Listener: ~Copyable {
    let socket: Socket
    let address: SocketAddress

    init(backlog: Int32 = 128) throws {
        let any = SocketAddress.ipv4(address: 0x7F00_0001, port: 0)
        let socket = try Socket(for: any)
        try socket.bind(to: any)
        guard listen(socket.descriptor, backlog) == 0, let bound = try socket.localAddress() else {
            throw SocketError.last(.open)
        }
        self.init(socket: socket, address: bound)
    }

    private init(socket: consuming Socket, address: SocketAddress) {
        self.socket = socket
        self.address = address
    }

    /// Waits for a connection, on the caller's thread.
    func accept() throws -> Socket {
        var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&polled, 1, 60_000)
        let descriptor = TsubamePlatform.accept(socket.descriptor, nil, nil)
        guard descriptor >= 0 else { throw SocketError.last(.open) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return Socket(taking: descriptor)
    }
}

extension Socket {
    borrowing func write(_ text: String) -> Writing {
        Array(text.utf8).withUnsafeBytes { write($0) }
    }

    /// Reads until the socket has no more for now.
    borrowing func readAll() -> (text: String, last: Reading) {
        var bytes: [UInt8] = []
        while true {
            let reading = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                let reading = read(into: buffer)
                if case .bytes(let count) = reading { bytes.append(contentsOf: buffer[..<count]) }
                return reading
            }
            guard case .bytes = reading else { return (String(decoding: bytes, as: UTF8.self), reading) }
        }
    }

    /// Waits on the caller's thread until the socket has the state.
    borrowing func waitUntil(_ events: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = poll(&polled, 1, 60_000)
    }
}

/// Reads all that comes, and may answer it.
// All but `text`, `end` and the signal is confined to the loop.
final class Reader: LoopMember, @unchecked Sendable {
    struct Seen: Sendable {
        var text = ""
        var end: Socket.Reading?
        var deadlines = 0
        var reports: [Readiness] = []
    }

    private let loop: EventLoop
    private var socket: Socket?
    private(set) var id: MemberID?
    private let echoes: Bool
    private let seen = Mutex(Seen())
    private let onChange: @Sendable (Seen) -> Void

    var now: Seen { seen.withLock { $0 } }

    /// - Parameter onChange: is told of each report, on the loop.
    init(
        _ loop: EventLoop, _ socket: consuming Socket, echoes: Bool = false,
        _ onChange: @escaping @Sendable (Seen) -> Void = { _ in }
    ) {
        self.loop = loop
        self.socket = consume socket
        self.echoes = echoes
        self.onChange = onChange
    }

    func start() throws {
        let id = loop.add(self)
        self.id = id
        if socket != nil { try watch(id) }
    }

    private func watch(_ id: MemberID) throws {
        guard let socket = socket.take() else { return }
        let result = Result { try loop.watch(socket.descriptor, for: id) }
        self.socket = consume socket
        try result.get()
    }

    func ready(_ states: Readiness) {
        guard let socket = socket.take() else { return }
        let (text, last) = socket.readAll()
        if echoes, !text.isEmpty { _ = socket.write(text) }
        if last == .wouldBlock { loop.arm(socket.descriptor, .readable) }
        self.socket = consume socket
        let now = seen.withLock { seen in
            seen.text += text
            seen.reports.append(states)
            if last != .wouldBlock { seen.end = last }
            return seen
        }
        onChange(now)
    }

    func deadlinePassed() {
        let now = seen.withLock { seen in
            seen.deadlines += 1
            return seen
        }
        onChange(now)
    }

    func send(_ text: String) {
        guard let socket = socket.take() else { return }
        _ = socket.write(text)
        self.socket = consume socket
    }

    /// Removes the member and closes its socket.
    func stop() {
        if let socket = socket.take() { loop.unwatch(socket.descriptor) }
        if let id { loop.remove(id) }
        id = nil
    }

    /// Removes the member, and leaves its descriptor open.
    func release() -> Int32? {
        guard let socket = socket.take() else { return nil }
        loop.unwatch(socket.descriptor)
        if let id { loop.remove(id) }
        id = nil
        return socket.release()
    }
}

/// A number that several threads change.
final class Counter: Sendable {
    private let number = Atomic(0)

    var now: Int { number.load(ordering: .acquiring) }
    func add() { number.wrappingAdd(1, ordering: .releasing) }
}

/// Lets a test wait for the first of several signals.
final class Signal: Sendable {
    private let latch = Latch<Bool>()

    func fire() { latch.settle(true) }
    func wait() async { _ = await latch.wait() }
}

extension EventLoop {
    /// Runs the closure on the loop and waits for its value.
    func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result { try work() }) }
        }
    }
}
