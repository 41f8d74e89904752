// RandomCloseTests: a server that closes idle connections at random moments. Repeatable requests do not fail, and no
// other request is sent twice. `make soak` does the same a hundred thousand times.

import Foundation
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite struct RandomCloseTests {
    /// The number of requests; small, unless the environment asks for more.
    private static let count = ProcessInfo.processInfo.environment["TSUBAME_SOAK"].flatMap { Int($0) } ?? 2_000
    private static let workers = 32

    private final class Record: Sendable {
        let answered = Atomic(0)
        private let tally = Mutex(Tally())

        func note(_ change: (inout Tally) -> Void) { tally.withLock { change(&$0) } }
        var result: Tally { tally.withLock { $0 } }
    }

    fileprivate struct Tally: Sendable {
        var gets = 0
        var posts = 0
        var lostPosts = 0
        var resent = 0
        var others: [String] = []
    }

    /// The steps after a response. Most responses have none. The others end the connection at once or a moment later,
    /// perhaps together with the next request.
    private static func end(after number: Int) -> [Reply.Step] {
        var chance = SplitMix(state: UInt64(number))
        let wait = Int(chance.next() % 4)
        switch chance.next() % 8 {
        case 0: return [.close]
        case 1: return [.reset]
        case 2: return [.wait(for: .opening(after: wait)), .close]
        case 3: return [.wait(for: .opening(after: wait)), .reset]
        default: return []
        }
    }

    @Test func `what may be repeated never fails, and what may not is never sent twice`() async throws {
        let record = Record()
        let server = try await ScriptedServer.start { request in
            let number = record.answered.wrappingAdd(1, ordering: .relaxed).newValue
            return Reply(Reply.ok("\(request.target)").steps + Self.end(after: number))
        }
        try await serving(server) { server, client in
            let observation = client.observe { event in
                if case .resending = event.kind { record.note { $0.resent += 1 } }
            }
            try await Self.send(client, record)
            observation.cancel()
            let result = record.result
            #expect(result.others.prefix(5) == [])
            #expect(result.gets == (0..<Self.count).count { $0 % 4 != 3 })
            #expect(result.posts + result.lostPosts == (0..<Self.count).count { $0 % 4 == 3 })
            #expect(result.posts > result.lostPosts)
            let posts = server.requests.map(\.target).filter { $0.hasPrefix("/post/") }
            #expect(Set(posts).count == posts.count)
            #expect(posts.count >= result.posts)
            // Such closes did happen, and connections were reused.
            #expect(result.resent > 0)
            #expect(server.acceptedConnections < Self.count)
        }
    }

    private static func send(_ client: Client, _ record: Record) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for index in stride(from: worker, to: count, by: workers) { await send(index, client, record) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func send(_ index: Int, _ client: Client, _ record: Record) async {
        // Every fourth request must not be repeated.
        let isPost = index % 4 == 3
        do throws(CallError) {
            let text =
                isPost
                ? try await client.post("post/\(index)", body: .text("once")).text()
                : try await client.get("get/\(index)").text()
            record.note { tally in
                if isPost { tally.posts += 1 } else { tally.gets += 1 }
                if text != (isPost ? "/post/\(index)" : "/get/\(index)") {
                    tally.others.append("\(index) got the answer to \(text)")
                }
            }
        } catch {
            record.note { tally in
                let isLost = error.kind == .connectionLost || error.kind == .emptyReply
                if isPost, isLost {
                    tally.lostPosts += 1
                } else {
                    tally.others.append("\(index): \(error)")
                }
            }
        }
    }
}

/// Pseudo-random numbers that are the same in every run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}
