// PatternProgram: a pattern as steps, and the machine that runs them over a text.

struct PatternProgram: Sendable {
    /// The most steps that a pattern may become. Counted repetitions repeat their steps.
    static let maximumSteps = 20_000
    /// The most places to remember for all steps together. Each thread of the machine remembers those of all groups.
    private static let maximumPlaces = 1_000_000
    /// The most visits of steps in one search. A counted repetition has many steps, and each may be visited at each character.
    static let maximumVisits = 1 << 31

    enum Step: Sendable {
        case character(PatternSet)
        case assertion(PatternNode.Assertion)
        /// Goes on at both steps; a match by the first counts more.
        case split(Int, Int)
        case jump(Int)
        case save(Int)
        case end
    }

    private var steps: [Step] = []
    private let slots: Int
    /// The steps that may still be added. A set counts once for each of its parts.
    private var room: Int

    init(_ node: PatternNode, groups: Int, maximumSteps: Int) throws(Pattern.Problem) {
        slots = groups * 2
        room = maximumSteps
        try add(.save(0))
        try compile(node)
        try add(.save(1))
        try add(.end)
        guard steps.count * slots <= Self.maximumPlaces else { throw Self.tooLarge }
    }

    // MARK: Compiling

    private static var tooLarge: Pattern.Problem { Pattern.Problem(reason: "the pattern is too large", offset: 0) }

    private mutating func add(_ step: Step) throws(Pattern.Problem) {
        if case .character(let set) = step { room -= max(set.parts.count, 1) } else { room -= 1 }
        guard room >= 0 else { throw Self.tooLarge }
        steps.append(step)
    }

    private mutating func compile(_ node: PatternNode) throws(Pattern.Problem) {
        switch node {
        case .empty: break
        case .character(let set): try add(.character(set))
        case .assertion(let kind): try add(.assertion(kind))
        case .sequence(let nodes): for node in nodes { try compile(node) }
        case .group(let node, let number):
            try add(.save(number * 2))
            try compile(node)
            try add(.save(number * 2 + 1))
        case .alternatives(let nodes):
            var exits: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index < nodes.count - 1 else {
                    try compile(node)
                    break
                }
                let fork = steps.count
                try add(.end)
                try compile(node)
                exits.append(steps.count)
                try add(.end)
                steps[fork] = .split(fork + 1, steps.count)
            }
            for exit in exits { steps[exit] = .jump(steps.count) }
        case .repetition(let node, let minimum, let maximum, let isLazy):
            // A repetition of nothing adds no step, and would never end.
            let isEmpty = node.isEmpty
            for _ in 0..<(isEmpty ? min(minimum, 1) : minimum) { try compile(node) }
            if let maximum {
                var forks: [Int] = []
                for _ in 0..<(isEmpty ? 0 : max(maximum - minimum, 0)) {
                    forks.append(steps.count)
                    try add(.end)
                    try compile(node)
                }
                for fork in forks { steps[fork] = Self.fork(fork + 1, steps.count, isLazy) }
            } else {
                let fork = steps.count
                try add(.end)
                try compile(node)
                try add(.jump(fork))
                steps[fork] = Self.fork(fork + 1, steps.count, isLazy)
            }
        }
    }

    private static func fork(_ inner: Int, _ outer: Int, _ isLazy: Bool) -> Step {
        isLazy ? .split(outer, inner) : .split(inner, outer)
    }

    // MARK: Running

    /// The places in the pattern that are reached at one position of the text, in the order of preference.
    private struct Threads {
        var list: [(step: Int, saved: [Int])] = []
        /// The position at which each step was reached last.
        var reached: [Int]

        init(steps: Int) { reached = [Int](repeating: -1, count: steps) }
    }

    /// The first match, and the number of characters that were read.
    func search(
        _ text: [Unicode.Scalar], from start: Int
    ) throws(Pattern.TooMuchWork) -> (match: Pattern.Match?, read: Int) {
        var read = 0
        let match = try run(text, from: start, isWhole: false, read: &read)
        return (match, read)
    }

    /// - Parameter isWhole: whether the match has to be the whole text.
    func run(
        _ text: [Unicode.Scalar], from start: Int, isWhole: Bool, visits: Int = maximumVisits
    ) throws(Pattern.TooMuchWork) -> Pattern.Match? {
        var read = 0
        return try run(text, from: start, isWhole: isWhole, read: &read, maximum: visits)
    }

    private func run(
        _ text: [Unicode.Scalar], from start: Int, isWhole: Bool, read: inout Int,
        maximum: Int = maximumVisits
    ) throws(Pattern.TooMuchWork) -> Pattern.Match? {
        guard start <= text.count else { return nil }
        var visits = 0
        var (now, next) = (Threads(steps: steps.count), Threads(steps: steps.count))
        var best: [Int]?
        for position in start...text.count {
            read += 1
            if best == nil, !isWhole || position == start {
                follow(0, [Int](repeating: -1, count: slots), position, text, &now, &visits)
            }
            if now.list.isEmpty, best != nil || isWhole { break }
            for thread in now.list {
                switch steps[thread.step] {
                case .character(let set) where position < text.count && set.contains(text[position]):
                    follow(thread.step + 1, thread.saved, position + 1, text, &next, &visits)
                case .end where !isWhole || position == text.count:
                    best = thread.saved
                default: continue
                }
                // Threads after this one count less than its match.
                if case .end = steps[thread.step] { break }
            }
            guard visits <= maximum else { throw Pattern.TooMuchWork() }
            swap(&now, &next)
            next.list.removeAll(keepingCapacity: true)
        }
        return best.map { Self.match($0, text) }
    }

    /// Adds the places that are reached without a character. A list of its own replaces recursion, whose depth the pattern
    /// would decide.
    private func follow(
        _ step: Int, _ saved: [Int], _ position: Int, _ text: [Unicode.Scalar], _ threads: inout Threads,
        _ visits: inout Int
    ) {
        var open = [(step, saved)]
        while let (step, saved) = open.popLast() {
            visits += 1
            guard threads.reached[step] != position else { continue }
            threads.reached[step] = position
            switch steps[step] {
            case .character, .end: threads.list.append((step, saved))
            case .jump(let target): open.append((target, saved))
            case .split(let first, let second):
                open.append((second, saved))
                open.append((first, saved))
            case .save(let slot):
                // The places of all groups are copied.
                visits += slots / 16
                var saved = saved
                saved[slot] = position
                open.append((step + 1, saved))
            case .assertion(let kind): if Self.holds(kind, position, text) { open.append((step + 1, saved)) }
            }
        }
    }

    private static func holds(_ kind: PatternNode.Assertion, _ position: Int, _ text: [Unicode.Scalar]) -> Bool {
        switch kind {
        case .start: return position == 0
        case .end: return position == text.count
        case .lineStart: return position == 0 || text[position - 1] == "\n"
        case .lineEnd: return position == text.count || text[position] == "\n"
        case .wordBoundary, .noWordBoundary:
            let before = position > 0 && PatternSet.isWord(text[position - 1])
            let after = position < text.count && PatternSet.isWord(text[position])
            return (before != after) == (kind == .wordBoundary)
        }
    }

    private static func match(_ saved: [Int], _ text: [Unicode.Scalar]) -> Pattern.Match {
        let groups = stride(from: 0, to: saved.count - 1, by: 2).map { slot -> String? in
            let (start, end) = (saved[slot], saved[slot + 1])
            guard start >= 0, end >= start else { return nil }
            return String(String.UnicodeScalarView(text[start..<end]))
        }
        return Pattern.Match(range: saved[0]..<saved[1], groups: groups)
    }
}
