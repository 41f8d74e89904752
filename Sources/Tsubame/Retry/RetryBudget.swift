// RetryBudget: limits the load that the retries of a client add.

import Synchronization

/// A budget of retries. Each response that is no failure adds a fraction of a retry, and each retry takes a whole one.
final class RetryBudget: Sendable {
    /// How many parts make a retry.
    private static let whole = 1000
    /// The initial and the largest amount.
    private let reserve: Int
    private let share: Int
    private let isUnlimited: Bool
    private let parts: Atomic<Int>

    /// - Parameters:
    ///   - extraLoad: the retries that each response adds. A value below 0 counts as 0, and infinity allows all retries.
    ///   - reserve: the retries that are allowed before any response.
    init(extraLoad: Double, reserve: Int = 10) {
        self.reserve = min(max(reserve, 0), 1_000_000) * Self.whole
        parts = Atomic(self.reserve)
        isUnlimited = extraLoad == .infinity
        // A value that is no number counts as 0, too.
        share = extraLoad > 0 ? Int(min(extraLoad, 1000) * Double(Self.whole)) : 0
    }

    /// Adds the share of a response. Every call runs this, so it writes only if the budget is below its reserve.
    func deposit() {
        guard parts.load(ordering: .relaxed) < reserve else { return }
        parts.wrappingAdd(share, ordering: .relaxed)
    }

    /// Takes a retry, or returns false if none is left.
    func withdraw() -> Bool {
        if isUnlimited { return true }
        if parts.wrappingSubtract(Self.whole, ordering: .relaxed).newValue >= 0 { return true }
        parts.wrappingAdd(Self.whole, ordering: .relaxed)
        return false
    }
}
