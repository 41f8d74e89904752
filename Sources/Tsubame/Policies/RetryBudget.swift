// RetryBudget: how much more load retries may cause.

import Synchronization

/// A store of retries: each response adds a part of one, each retry takes one.
final class RetryBudget: Sendable {
    /// So many parts make a retry.
    private static let whole = 1000
    /// What there is at the beginning, and at the most.
    private let reserve: Int
    private let share: Int
    private let parts: Atomic<Int>

    /// - Parameters:
    ///   - extraLoad: retries for each response; below 0 is none.
    ///   - reserve: retries that need no response before them.
    init(extraLoad: Double, reserve: Int = 10) {
        self.reserve = min(max(reserve, 0), 1_000_000) * Self.whole
        parts = Atomic(self.reserve)
        share = extraLoad.isFinite ? Int(min(max(extraLoad, 0), 1000) * Double(Self.whole)) : 0
    }

    /// A response has come: on the way of every call, so it writes only when something is missing.
    func deposit() {
        guard parts.load(ordering: .relaxed) < reserve else { return }
        parts.wrappingAdd(share, ordering: .relaxed)
    }

    /// Takes a retry; false if there is none left.
    func withdraw() -> Bool {
        if parts.wrappingSubtract(Self.whole, ordering: .relaxed).newValue >= 0 { return true }
        parts.wrappingAdd(Self.whole, ordering: .relaxed)
        return false
    }
}
