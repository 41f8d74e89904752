// Rule: what happens to certain requests of the inspected clients.

import HTTPTypes
package import TsubameCore

/// A rule for requests, as the page edits it.
package struct Rule: Sendable, Hashable, Codable {
    package enum Action: String, Sendable, Hashable, Codable {
        /// The request goes on.
        case pass
        /// The rule answers, and nothing is sent.
        case answer
        /// The request fails, and nothing is sent.
        case fail
    }

    /// The answer of a rule.
    package struct Answer: Sendable, Hashable, Codable {
        package var status: Int
        package var headers: [HTTPArchive.Pair]
        package var body: String

        package init(status: Int = 200, headers: [HTTPArchive.Pair] = [], body: String = "") {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Why a rule cannot be applied.
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// The most rules of one inspector.
    package static let most = 100
    private static let longestDelay = 600_000.0

    /// The filter that finds the requests; empty for all.
    package var filter = ""
    package var isOn = true
    /// Every how many of these requests the rule applies to: 1 for all, 3 for every third.
    package var every = 1
    /// The delay before the request goes on, in milliseconds.
    package var delay = 0.0
    package var action = Action.pass
    package var answer: Answer?
    /// The kind of error of a request that fails.
    package var failure: CallError.Kind.RawValue?
    /// The rate at which the body of the response arrives, in bytes a second; nil for no limit.
    package var bytesPerSecond: Int?

    package init(filter: String = "", action: Action = .pass) {
        self.filter = filter
        self.action = action
    }

    /// The kinds of failures that a network has.
    package static let failures: [CallError.Kind] = [
        .connectionFailed, .connectionLost, .nameResolution, .timeout, .tls, .proxy, .emptyReply, .invalidResponse,
    ]

    /// The kind of error of a request that fails.
    var failureKind: CallError.Kind { Self.failures.first { $0.rawValue == failure } ?? .connectionLost }

    /// The filter of the rule.
    /// - Throws: the first fault of the rule.
    func check() throws(Problem) -> TrafficFilter {
        let parsed: TrafficFilter
        do throws(TrafficFilter.Problem) {
            parsed = try TrafficFilter(filter)
        } catch {
            throw Problem(description: "the filter: \(error)")
        }
        if let term = parsed.termOfResponses {
            throw Problem(description: "\(term): is not known before the answer; a rule sees only the request")
        }
        guard every >= 1 else { throw Problem(description: "every: the number is at least 1") }
        guard delay >= 0, delay <= Self.longestDelay else {
            throw Problem(description: "delay: a number of milliseconds from 0 to 600000")
        }
        if let bytesPerSecond, bytesPerSecond < 1 {
            throw Problem(description: "bytesPerSecond: the number is at least 1")
        }
        if let failure, !Self.failures.contains(where: { $0.rawValue == failure }) {
            let names = Self.failures.map(\.rawValue).joined(separator: ", ")
            throw Problem(description: "failure: one of \(names)")
        }
        if action == .answer {
            guard let answer else { throw Problem(description: "answer: the answer is missing") }
            _ = try answer.fields()
        }
        return parsed
    }
}

extension Rule.Answer {
    /// - Throws: the fault of the answer.
    func fields() throws(Rule.Problem) -> HTTPFields {
        guard (200...999).contains(status) else {
            throw Rule.Problem(description: "status: a number from 200 to 999")
        }
        var fields = RequestHeaders()
        for pair in headers { fields.append(pair.name, pair.value) }
        if let problem = fields.problem { throw Rule.Problem(description: "headers: \(problem)") }
        return fields.fields
    }
}
