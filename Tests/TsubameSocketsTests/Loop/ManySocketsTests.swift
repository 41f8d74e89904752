// ManySocketsTests: more sockets than a program has. Runs alone, since it takes half of the descriptors of the process.

import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.serialized, .timeLimit(.minutes(2))) struct ManySocketsTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)

    @Test(arguments: kinds) func `ten thousand sockets each get their own bytes`(kind: PollerKind) async throws {
        var limit = rlimit()
        getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit
        defer { _ = withUnsafePointer(to: before) { setrlimit(.init(RLIMIT_NOFILE.rawValue), $0) } }
        limit.rlim_cur = min(limit.rlim_max, 20_000)
        setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
        let pairs = min(5_000, (Int(clamping: limit.rlim_cur) - 500) / 2)
        try #require(pairs > 0)
        if pairs < 5_000 { print("only \(2 * pairs) sockets: the system allows \(limit.rlim_cur) descriptors") }
        let loop = try EventLoop(kind)
        defer { loop.stop() }
        let done = Signal()
        let answered = Mutex(0)
        var readers: [Reader] = []
        for _ in 0..<pairs {
            let ends = try connectedPair()
            let near = Socket(taking: ends.near)
            let far = Socket(taking: ends.far)
            readers.append(Reader(loop, near, echoes: true))
            readers.append(
                Reader(loop, far) { seen in
                    guard seen.text == "hello" else { return }
                    let isLast = answered.withLock { count in
                        count += 1
                        return count == pairs
                    }
                    if isLast { done.fire() }
                })
        }
        let all = readers
        try await loop.run {
            for reader in all { try reader.start() }
            for index in stride(from: 1, to: all.count, by: 2) { all[index].send("hello") }
        }
        await done.wait()
        let left = try await loop.run {
            for reader in all { reader.stop() }
            return loop.memberCount
        }
        #expect(left == 0)
        #expect(all.allSatisfy { $0.now.text == "hello" })
    }
}
