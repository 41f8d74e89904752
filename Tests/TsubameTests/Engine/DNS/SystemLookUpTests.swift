// SystemLookUpTests: more questions to the system's resolver than there are threads for them.

import Dispatch
import Testing
import TsubameCore
@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct SystemLookUpTests {
    @Test func moreQuestionsThanThreadsAreAllAnsweredOnce() async {
        let lookUps = SystemLookUps()
        // These are literals, which the system resolves without a server. A second answer would trap.
        let answers = await withTaskGroup(of: [String].self) { group in
            for number in 1...60 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        lookUps.ask("127.0.0.\(number)") { answer in
                            continuation.resume(returning: (try? answer.get().addresses) ?? [])
                        }
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(answers == Set((1...60).map { "127.0.0.\($0)" }))
    }

    @Test func `questions to silent name servers have a limit, in number and in time`() async throws {
        for patience in [Duration.seconds(60), .zero] {
            let servers = DispatchSemaphore(value: 0)
            let lookUps = SystemLookUps(patience: patience) { host in
                servers.wait()
                return [host]
            }
            let (answers, asked) = (Log<String>(), 16 + SystemLookUps.maximumWaiting)
            let told = AsyncStream<Void>.makeStream()
            for number in 0...asked {
                lookUps.ask("\(number)") { answer in
                    switch answer {
                    case .success(let answer): answers.add(answer.addresses.joined())
                    case .failure(let error): answers.add("\(error)")
                    }
                    told.continuation.yield()
                }
            }
            // The last one has no place, so its answer comes at once.
            var replies = told.stream.makeAsyncIterator()
            if patience != .zero {
                await replies.next()
                #expect(answers.all.first?.contains("\(asked) was not looked up: 1000 names wait") == true)
            }
            for _ in 0...asked { servers.signal() }
            while answers.all.count <= asked { await replies.next() }
            #expect(answers.all.count == asked + 1)
            let late = answers.all.filter { $0.contains("the name servers did not answer") }
            #expect(patience == .zero ? !late.isEmpty : late.isEmpty)
        }
    }
}
