// PollerTests: all pollers of this system keep the same promises.

import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(1))) struct PollerTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)
    private static let id = MemberID(slot: 3, generation: 9)

    /// The reports of one wait.
    private func reports(_ poller: any Poller, milliseconds: Int32 = 0) -> [Readiness] {
        var found: [Readiness] = []
        _ = poller.wait(milliseconds: milliseconds) { id, states in
            #expect(id == Self.id)
            found.append(states)
        }
        return found
    }

    @Test func `this system has its standard poller, and the portable one`() {
        #expect(PollerKind.standard.isAvailable && PollerKind.poll.isAvailable)
        #if os(Linux)
        #expect(PollerKind.standard == .epoll && !PollerKind.kqueue.isAvailable)
        #expect(throws: SocketError(.poll, ENOTSUP)) { try PollerKind.kqueue.makePoller() }
        #endif
    }

    @Test(arguments: kinds) func `a state is reported once, and again after the socket was armed`(kind: PollerKind)
        throws
    {
        let poller = try kind.makePoller()
        let pair = try SocketPair()
        try poller.add(pair.near.descriptor, Self.id)
        #expect(reports(poller) == [.writable])
        #expect(reports(poller) == [])
        for text in ["one", "two"] {
            #expect(pair.far.write(text) == .bytes(3))
            let states = reports(poller, milliseconds: -1).first ?? []
            #expect(states.isReadable && !states.hasEnded)
            #expect(reports(poller) == [])
            #expect(pair.near.readAll().text == text)
            poller.arm(pair.near.descriptor, .readable)
            #expect(reports(poller) == [])
        }
    }

    @Test(arguments: kinds) func `a full socket is reported when it takes bytes again`(kind: PollerKind) throws {
        let poller = try kind.makePoller()
        let pair = try SocketPair()
        try poller.add(pair.near.descriptor, Self.id)
        _ = reports(poller)
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        while case .bytes = bytes.withUnsafeBytes({ pair.near.write($0) }) {}
        poller.arm(pair.near.descriptor, .writable)
        #expect(reports(poller) == [])
        _ = pair.far.readAll()
        #expect(reports(poller, milliseconds: -1).first?.contains(.writable) == true)
        #expect(reports(poller) == [])
    }

    @Test(arguments: kinds) func `the end that comes with the last bytes is found by reading on`(kind: PollerKind)
        throws
    {
        let poller = try kind.makePoller()
        let pair = try SocketPair()
        try poller.add(pair.near.descriptor, Self.id)
        _ = reports(poller)
        #expect(pair.far.write("last") == .bytes(4))
        try pair.far.endWriting()
        #expect(reports(poller, milliseconds: -1).first?.contains(.readable) == true)
        let (text, last) = pair.near.readAll()
        #expect(text == "last" && last == .end)
    }

    @Test(arguments: kinds) func `a socket that is not armed is not reported again and again`(kind: PollerKind) throws {
        let poller = try kind.makePoller()
        let ends = try connectedPair()
        let near = Socket(taking: ends.near)
        let far = Socket(taking: ends.far)
        try poller.add(near.descriptor, Self.id)
        #expect(far.write("unread") == .bytes(6))
        _ = reports(poller, milliseconds: -1)
        far.close()
        let later = (0..<100).map { _ in reports(poller).count }.reduce(0, +)
        #expect(later <= 1, "the end may be told once")
        poller.arm(near.descriptor, [.readable])
        let (text, last) = near.readAll()
        #expect(text == "unread" && last != .wouldBlock)
    }

    @Test(arguments: kinds) func `a wake-up before the wait ends the wait`(kind: PollerKind) throws {
        let poller = try kind.makePoller()
        for _ in 0..<3 {
            poller.wake()
            poller.wake()
            #expect(reports(poller, milliseconds: -1) == [])
        }
        #expect(reports(poller) == [])
    }

    @Test(arguments: kinds) func `an attempt to connect that fails is reported as ended`(kind: PollerKind) throws {
        let poller = try kind.makePoller()
        // Bound, so that no other socket takes the port, and not listening.
        let any = SocketAddress.ipv4(address: 0x7F00_0001, port: 0)
        let deaf = try Socket(for: any)
        try deaf.bind(to: any)
        let address = try #require(try deaf.localAddress())
        let socket = try Socket(for: address)
        guard case .inProgress = try socket.connect(to: address) else {
            Issue.record("a socket that does not listen accepts connections")
            return
        }
        try poller.add(socket.descriptor, Self.id)
        let states = reports(poller, milliseconds: -1).reduce(into: Readiness()) { $0.formUnion($1) }
        #expect(states.isWritable && states.hasEnded)
        #expect(socket.connectionError() == SocketError(.connect, ECONNREFUSED))
    }

    #if os(Linux)
    @Test(arguments: kinds) func `a poller that is gone leaves no descriptor open`(kind: PollerKind) throws {
        /// The descriptors of the process that are no files and no sockets. Other tests have some, too.
        func count() throws -> Int {
            let folder = try #require(opendir("/proc/self/fd"))
            defer { closedir(folder) }
            var (count, target) = (0, [CChar](repeating: 0, count: 64))
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                let length = readlink("/proc/self/fd/\(name)", &target, target.count)
                let text = String(decoding: target.prefix(max(length, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
                if text.hasPrefix("anon_inode:[event") || text.hasPrefix("pipe:") { count += 1 }
            }
            return count
        }
        let before = try count()
        for _ in 0..<500 { _ = try kind.makePoller() }
        #expect(try count() < before + 400)
    }
    #endif

    @Test(arguments: kinds) func `a wake-up ends one wait alone`(kind: PollerKind) throws {
        let poller = try kind.makePoller()
        poller.wake()
        #expect(reports(poller, milliseconds: -1) == [])
        let before = MonotonicClock.now
        #expect(reports(poller, milliseconds: 20) == [])
        #expect(MonotonicClock.now - before >= 19_000_000)
    }

    @Test(arguments: kinds) func `a socket that is removed is not reported, and the others still are`(kind: PollerKind)
        throws
    {
        let poller = try kind.makePoller()
        let first = try SocketPair()
        let second = try SocketPair()
        try poller.add(first.near.descriptor, MemberID(slot: 0, generation: 1))
        try poller.add(second.near.descriptor, Self.id)
        poller.remove(first.near.descriptor)
        _ = first.far.write("x")
        _ = second.far.write("y")
        #expect(reports(poller, milliseconds: -1).first?.contains(.readable) == true)
        poller.remove(second.near.descriptor)
        #expect(reports(poller) == [])
    }

    @Test func `a descriptor that is no socket is an error`() throws {
        #if os(Linux)
        let poller = try PollerKind.epoll.makePoller()
        #expect(throws: SocketError(.poll, EBADF)) { try poller.add(-1, Self.id) }
        #endif
    }
}
