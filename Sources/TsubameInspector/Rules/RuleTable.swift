// RuleTable: decides which rules apply to a request.

package import TsubameCore

/// The rules in order, with the number of requests that each has found.
package struct RuleTable: Sendable {
    /// The decision of the rules about one request.
    package struct Verdict: Sendable {
        /// The sum of the delays, in milliseconds.
        package var delay = 0.0
        /// The first rule that answers or fails the request.
        package var outcome: Rule?
        /// The lowest rate.
        package var bytesPerSecond: Int?

        /// The verdict in words.
        package var words: String {
            var words: [String] = []
            if delay > 0 { words.append("a delay of \(Int(delay)) ms") }
            switch outcome?.action {
            case .answer: words.append("the answer \(outcome?.answer?.status ?? 0)")
            case .fail: words.append("the failure \(outcome?.failureKind.rawValue ?? "")")
            case .pass, nil: break
            }
            if let bytesPerSecond { words.append("\(bytesPerSecond) bytes a second") }
            return words.joined(separator: ", ")
        }
    }

    private struct Entry: Sendable {
        let rule: Rule
        let filter: TrafficFilter
        var found = 0
    }

    private var entries: [Entry] = []

    package init() {}

    /// - Throws: the place and the fault of the first rule that cannot be applied.
    package init(_ rules: [Rule]) throws(Rule.Problem) {
        guard rules.count <= Rule.most else {
            throw Rule.Problem(description: "there may be \(Rule.most) rules, and not \(rules.count)")
        }
        for (index, rule) in rules.enumerated() {
            do throws(Rule.Problem) {
                entries.append(Entry(rule: rule, filter: try rule.check()))
            } catch {
                throw Rule.Problem(description: "rule \(index + 1): \(error)")
            }
        }
    }

    package var rules: [Rule] { entries.map(\.rule) }

    /// Whether any rule is on.
    package var isActive: Bool { entries.contains { $0.rule.isOn } }

    /// Counts a request, and decides about it.
    /// - Returns: nil if no rule applies.
    package mutating func decide(_ request: Request) -> Verdict? {
        var call = LoggedCall(id: 0, started: 0, request: request)
        call.add(LoggedCall.Event(time: 0, kind: .sent(request)), bodyLimit: 0)
        let text = ShownText(call)
        var verdict: Verdict?
        for index in entries.indices
        where entries[index].rule.isOn && entries[index].filter.matches(text, hasBody: { call.hasBody($0) }) {
            entries[index].found += 1
            let rule = entries[index].rule
            guard entries[index].found.isMultiple(of: rule.every) else { continue }
            var next = verdict ?? Verdict()
            next.delay += rule.delay
            if next.outcome == nil, rule.action != .pass { next.outcome = rule }
            if let rate = rule.bytesPerSecond { next.bytesPerSecond = min(rate, next.bytesPerSecond ?? rate) }
            verdict = next
        }
        return verdict
    }
}
