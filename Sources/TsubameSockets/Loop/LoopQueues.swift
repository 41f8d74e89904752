// LoopQueues: what a loop has to run.

/// The jobs of tasks. A job that runs may bring others, so no function here runs one.
struct LoopJobs {
    /// Those before `first` have run.
    var waiting: [Job] = []
    private var first = 0
    /// How many may still run in this turn.
    var left = 0
    var running: [Job] = []

    @inline(__always)
    var isEmpty: Bool { first == waiting.count }

    /// Moves all that wait to `running`.
    /// - Returns: false if they are more than may run in this turn, or if the first of them have run.
    mutating func beginAll() -> Bool {
        guard first == 0, waiting.count <= left else { return false }
        left -= waiting.count
        swap(&waiting, &running)
        return true
    }

    /// - Returns: how many of those that wait now may run.
    mutating func beginSome() -> Int {
        let count = min(left, waiting.count - first)
        left -= count
        return count
    }

    mutating func next() -> Job? {
        guard first < waiting.count else { return nil }
        first += 1
        return waiting[first - 1]
    }

    /// Drops the jobs that have run when they are the greater part, so that each is moved once.
    mutating func compact() {
        guard first > waiting.count / 2 else { return }
        waiting.removeFirst(first)
        first = 0
    }

    mutating func takeAll() -> [UnownedJob] {
        defer {
            waiting.removeAll()
            first = 0
        }
        return waiting[first...].map(\.job)
    }
}

/// The closures that were given to the loop.
struct LoopWork {
    var waiting: [Work] = []
    /// Those that were too many for one turn, the first of them last. They come before `waiting`.
    private var rest: [Work] = []
    var running: [Work] = []

    var isEmpty: Bool { waiting.isEmpty && rest.isEmpty }

    /// Those that wait run now, up to the limit of a turn. Those that they give wait for a later one.
    mutating func begin() {
        if rest.isEmpty {
            guard waiting.count > EventLoop.workPerTurn else { return swap(&waiting, &running) }
            rest = waiting.reversed()
            waiting.removeAll(keepingCapacity: true)
        }
        for _ in 0..<min(EventLoop.workPerTurn, rest.count) { running.append(rest.removeLast()) }
    }
}

/// The closures that wait for a look at all sockets. One that comes during a look waits for the next one.
struct LookWork {
    var waiting: [() -> Void] = []
    private(set) var running: [() -> Void] = []

    var isEmpty: Bool { waiting.isEmpty && running.isEmpty }

    mutating func begin() { swap(&waiting, &running) }

    /// Takes those whose look is over.
    mutating func end() -> [() -> Void] {
        defer { running = [] }
        return running
    }
}
