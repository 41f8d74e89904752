// UniqueNumber: identifies a value that cannot be compared, such as a closure.

import Synchronization

/// A number that is never given twice in a process. An `ObjectIdentifier`, in contrast, may be reused for a later
/// object.
package struct UniqueNumber: Sendable, Hashable {
    private static let last = Atomic<UInt64>(0)
    /// Identifies this process, because the numbers are the same in every process.
    package static let process: String = {
        let halves: [UInt64] = [.random(in: 0 ... .max), .random(in: 0 ... .max)]
        return halves.map { String($0, radix: 16) }.joined(separator: "-")
    }()

    private let number: UInt64

    package init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }

    /// A text that is unique in this process and in all others.
    package var text: String { "\(Self.process)-\(number)" }
}
