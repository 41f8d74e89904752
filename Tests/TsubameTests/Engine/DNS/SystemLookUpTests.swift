// SystemLookUpTests: more questions to the system's resolver than there are threads for them.

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
}
