// Gate: a door that stays closed until a test opens it.

/// A door that is closed until the test opens it; then it stays open.
///
/// ```swift
/// let gate = Gate()
/// let server = try await ScriptedServer.start { _ in Reply.ok("late").after(gate) }
/// let call = Task { try await client.get(url: server.url).text() }
/// try await gate.waitForArrivals(1)     // the server has the request and stands at the gate
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: Set<UInt64> = []
        var arrivals: UInt64 = 0
    }

    private let state = Watched(State())

    /// A closed gate.
    public init() {}

    /// Lets all waiters through, now and later.
    public func open() {
        state.change {
            $0.isOpen = true
            $0.waiting = []
        }
    }

    /// Whether the gate has been opened.
    public var isOpen: Bool { state.read { $0.isOpen } }

    /// The number of waiters at the gate now.
    public var waiting: Int { state.read { $0.waiting.count } }

    /// Waits until the gate is open.
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    public func wait() async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        let id = arrive()
        defer { leave(id) }
        try await state.wait { $0.isOpen }
    }

    /// Waits until `count` waiters, counted from the beginning, have come to the gate. It also counts those who come
    /// after the gate has opened.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError` if the task is cancelled before that.
    public func waitForArrivals(_ count: Int, within time: Duration = .seconds(60)) async throws {
        try await state.wait(
            within: time, for: "\(count) waiters at a Gate", seen: { "\($0.arrivals)" },
            until: { $0.arrivals >= UInt64(clamping: count) })
    }

    /// Calls `pass` once, on the thread that opens the gate, or at once if the gate is open.
    /// - Returns: a closure that ends the waiting.
    func whenOpen(_ pass: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = arrive()
        let end = state.whenever({ $0.isOpen }, then: pass)
        return { [self] in
            leave(id)
            end()
        }
    }

    private func arrive() -> UInt64 {
        state.change {
            $0.arrivals += 1
            if !$0.isOpen { $0.waiting.insert($0.arrivals) }
            return $0.arrivals
        }
    }

    private func leave(_ id: UInt64) { state.change { $0.waiting.remove(id) } }
}
