// ReadSize: how many bytes the next read of a connection takes.

/// Doubles when a read fills its room, and halves when two in a row leave more than half of it. So a connection with small
/// responses does not make the system copy much at once, and a large body comes in few reads.
struct ReadSize {
    private static let minimum = 1 << 10
    private static let first = 4 << 10
    private static let maximum = 256 << 10

    /// In bytes.
    private(set) var value = Self.first
    private var wasSmall = false

    mutating func record(_ count: Int) {
        if count >= value {
            value = Swift.min(value * 2, Self.maximum)
            wasSmall = false
        } else if count < value / 2 {
            if wasSmall { value = Swift.max(value / 2, Self.minimum) }
            wasSmall.toggle()
        } else {
            wasSmall = false
        }
    }
}
