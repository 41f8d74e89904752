// PollerTests: both pollers keep the same promises.

import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(1))) struct PollerTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)
    private static let id = MemberID(slot: 3, generation: 9)

    /// The reports of one wait.
    private func reports(_ poller: any Poller, milliseconds: Int32 = 0) -> [Readiness] {
        var found: [Readiness] = []
        poller.wait(milliseconds: milliseconds) { id, states in
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
