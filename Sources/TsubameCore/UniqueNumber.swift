// UniqueNumber: tells what cannot be compared by its value, such as a closure, from all others.

import Synchronization

/// Never given twice in a process, unlike an `ObjectIdentifier`, which a later object may get again.
package struct UniqueNumber: Sendable, Hashable {
    private static let last = Atomic<UInt64>(0)
    /// Tells this process from all others, in which the numbers are the same.
    package static let process: String = {
        let halves: [UInt64] = [.random(in: 0 ... .max), .random(in: 0 ... .max)]
        return halves.map { String($0, radix: 16) }.joined(separator: "-")
    }()

    private let number: UInt64

    package init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }

    /// A text that nothing else has, in this process or in another one.
    package var text: String { "\(Self.process)-\(number)" }
}
