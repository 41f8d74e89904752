// RuleTableTests: which rules apply to which requests.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector

@Suite struct RuleTableTests {
    private let request = Request(.get, .url("http://example.com/users?page=2"))

    private func rule(_ filter: String, _ action: Rule.Action = .pass, _ change: (inout Rule) -> Void = { _ in })
        -> Rule
    {
        var rule = Rule(filter: filter, action: action)
        change(&rule)
        return rule
    }

    @Test func `the first outcome wins, delays add up, and the lowest rate counts`() throws {
        var table = try RuleTable([
            rule("") { ($0.delay, $0.bytesPerSecond) = (20, 1000) },
            rule("method:POST", .fail),
            rule("path:users", .answer) { $0.answer = Rule.Answer(status: 404) },
            rule("host:example.com", .fail) { ($0.delay, $0.bytesPerSecond) = (5, 500) },
        ])
        let decided = table.decide(request)
        let verdict = try #require(decided)
        #expect(verdict.delay == 25)
        #expect(verdict.outcome?.answer?.status == 404)
        #expect(verdict.bytesPerSecond == 500)
        #expect(verdict.words == "a delay of 25 ms, the answer 404, 500 bytes a second")
    }

    @Test func `every third request is counted for each rule by itself`() throws {
        var table = try RuleTable([rule("path:users", .fail) { $0.every = 3 }])
        let other = Request(.get, .url("http://example.com/other"))
        var failed: [Bool] = []
        for index in 0..<12 {
            if index.isMultiple(of: 2) {
                let verdict = table.decide(other)
                #expect(verdict == nil)
            }
            failed.append(table.decide(request) != nil)
        }
        #expect(failed == [false, false, true, false, false, true, false, false, true, false, false, true])
    }

    @Test func `a rule that is off finds nothing`() throws {
        var table = try RuleTable([rule("", .fail) { $0.isOn = false }])
        #expect(!table.isActive)
        let verdict = table.decide(request)
        #expect(verdict == nil)
    }

    static let faults: [(String, @Sendable (inout Rule) -> Void)] = [
        (
            "rule 1: the filter: at character 1: status:x is no term (? lists them; quotes make a word of it)",
            { $0.filter = "status:x" }
        ),
        (
            "rule 1: status: is not known before the answer; a rule sees only the request",
            { $0.filter = "method:GET & !(host:a | status:5xx)" }
        ),
        ("rule 1: every: the number is at least 1", { $0.every = 0 }),
        ("rule 1: delay: a number of milliseconds from 0 to 600000", { $0.delay = -1 }),
        ("rule 1: delay: a number of milliseconds from 0 to 600000", { $0.delay = .infinity }),
        ("rule 1: bytesPerSecond: the number is at least 1", { $0.bytesPerSecond = 0 }),
        ("rule 1: answer: the answer is missing", { $0.action = .answer }),
        (
            "rule 1: status: a number from 200 to 999",
            { ($0.action, $0.answer) = (.answer, Rule.Answer(status: 100)) }
        ),
        (
            "rule 1: failure: one of connectionFailed, connectionLost, nameResolution, timeout, tls, proxy, emptyReply, "
                + "invalidResponse", { $0.failure = "misuse" }
        ),
    ]

    @Test(arguments: faults) func `a rule that cannot be applied is refused`(
        _ words: String, _ change: @Sendable (inout Rule) -> Void
    ) {
        #expect { try RuleTable([rule("", .pass, change)]) } throws: { "\($0)" == words }
    }

    @Test func `fields with a line break, and too many rules, are refused`() {
        let answer = Rule.Answer(headers: [HTTPArchive.Pair("X-A", "b\r\nX-C: d")])
        #expect { try RuleTable([rule("", .answer) { $0.answer = answer }]) } throws: {
            "\($0)".hasPrefix("rule 1: headers: ")
        }
        #expect(throws: Rule.Problem.self) { try RuleTable(Array(repeating: rule(""), count: 101)) }
    }
}
