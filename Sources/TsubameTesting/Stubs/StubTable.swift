// StubTable: the routes of a StubTransport, and the choice of one for a request.

internal import HTTPTypes
internal import TsubameCore

/// The routes with their answers and the states of the scenarios, as a value.
struct StubTable: Sendable {
    /// Two routes with the same key are the same route.
    struct Key: Sendable, Hashable, CustomStringConvertible {
        let pattern: StubPattern
        let conditions: [String]

        var description: String {
            conditions.isEmpty ? pattern.description : "\(pattern) with \(conditions.joined(separator: ", "))"
        }
    }

    /// The state to which an answer moves a scenario.
    struct Move: Sendable {
        let scenario: String
        let state: String
    }

    struct Answer: Sendable {
        var delay: Duration = .zero
        /// How often the answer is given; nil for once, or for ever if it is the last.
        var times: Int?
        var move: Move?
        let make: @Sendable (Request) async throws(CallError) -> Response

        static let empty = Answer { request in Response(status: .ok, request: request) }
    }

    struct Entry: Sendable {
        let key: Key
        let matchers: [StubMatcher]
        var answers: [Answer] = []
        /// The delay of the answers that will be added.
        var delay: Duration = .zero
        /// The index of the answer that is next, and how often it has been given.
        var position = 0
        var given = 0
        var isUsed = false

        /// Whether all answers have been given as often as they may.
        var isUsedUp: Bool { !answers.isEmpty && position >= answers.count }

        mutating func next() -> Answer {
            isUsed = true
            guard answers.indices.contains(position) else {
                var answer = Answer.empty
                answer.delay = delay
                return answer
            }
            let answer = answers[position]
            given += 1
            let isLast = position == answers.count - 1
            if let times = answer.times ?? (isLast ? nil : 1), given >= times {
                position += 1
                given = 0
            }
            return answer
        }

        /// The part of the route that no request has used; nil if all has been used.
        var unused: String? {
            if !isUsed { return "\(key) was not called" }
            guard answers.indices.contains(position) else { return nil }
            // The last answer may be given any number of times, but at least once.
            let left = answers.count - position
            if let times = answers[position].times { return "\(key) was called \(given) of \(times) times" }
            if left == 1, given > 0 { return nil }
            return "\(key) has \(left) answer\(left == 1 ? "" : "s") left to give"
        }
    }

    private(set) var entries: [Entry] = []
    private var states: [String: String] = [:]

    /// Adds a route unless there is one with this key.
    mutating func add(_ pattern: StubPattern, _ matchers: [StubMatcher]) -> Key {
        let key = Key(pattern: pattern, conditions: matchers.map(\.description))
        if !entries.contains(where: { $0.key == key }) { entries.append(Entry(key: key, matchers: matchers)) }
        return key
    }

    mutating func change(_ key: Key, _ body: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
        body(&entries[index])
    }

    /// Whether a route asks for the bodies of requests.
    var needsBodies: Bool { entries.contains { $0.matchers.contains(where: \.needsBody) } }

    func state(of scenario: String) -> String { states[scenario] ?? StubTransport.firstState }

    /// The answer of the best route, whose scenario moves on.
    /// - Parameter original: the request as the call wrote it.
    mutating func answer(to request: Request, as original: Request, body: Bytes?) -> Answer? {
        let subject = StubMatcher.Subject(request: request, body: body, states: states)
        var best: (rank: StubPattern.Rank, conditions: Int, index: Int)?
        for (index, entry) in entries.enumerated() where !entry.isUsedUp {
            guard let rank = entry.key.pattern.rank(of: request, as: original),
                entry.matchers.allSatisfy({ $0.difference(subject) == nil })
            else { continue }
            // Of equal routes the first wins.
            let isBetter =
                best.map { $0.rank < rank || ($0.rank == rank && $0.conditions < entry.matchers.count) } ?? true
            if isBetter { best = (rank, entry.matchers.count, index) }
        }
        guard let best else { return nil }
        let answer = entries[best.index].next()
        if let move = answer.move { states[move.scenario] = move.state }
        return answer
    }

    /// How a request differs from a route that would fit if it had an answer left.
    static let isUsedUp = "all its answers have been given"

    /// The route that is most like the request, and how it differs; nil without routes. A route that fits in method and path
    /// comes first. Otherwise the most alike path counts. Of equal routes, the one with the fewest differences is named.
    func nearest(to request: Request, as original: Request, body: Bytes?) -> (route: String, differences: [String])? {
        let subject = StubMatcher.Subject(request: request, body: body, states: states)
        let candidates = entries.map { entry in
            var (differences, likeness) = entry.key.pattern.differences(from: request, as: original)
            let fits = differences.isEmpty
            differences += entry.matchers.compactMap { $0.difference(subject) }
            if entry.isUsedUp, differences.isEmpty { differences = [Self.isUsedUp] }
            return Candidate(entry: entry, fits: fits, likeness: likeness, differences: differences)
        }
        let best = candidates.min { left, right in
            if left.fits != right.fits { return left.fits }
            if left.likeness != right.likeness { return left.likeness > right.likeness }
            return left.differences.count < right.differences.count
        }
        return best.map { ($0.entry.key.description, $0.differences) }
    }
}

/// A route that a request does not fit.
private struct Candidate {
    let entry: StubTable.Entry
    /// Whether method and path fit.
    let fits: Bool
    let likeness: Int
    let differences: [String]
}
