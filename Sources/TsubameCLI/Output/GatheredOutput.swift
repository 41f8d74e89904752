// GatheredOutput: what one of several runs prints, until it can be told apart from what the others do.
#if Tool
import Synchronization
import Tsubame

/// Runs that print at once would have the lines of one between those of another: each gathers what it prints, and writes
/// it in one go when an exchange is whole.
final class GatheredOutput: Sendable {
    /// What is longer is not waited for.
    private static let maximumBytes = 1 << 20
    /// Of whoever writes.
    private static let turn = Mutex(())

    private let pieces = Mutex<(list: [Bytes], count: Int)>(([], 0))

    func add(_ bytes: Bytes, for descriptor: Descriptor) throws(SystemError) {
        let isMuch = pieces.withLock { pieces in
            pieces.list.append(bytes)
            pieces.count += bytes.count
            return pieces.count > Self.maximumBytes
        }
        if isMuch { try flush(to: descriptor) }
    }

    func flush(to descriptor: Descriptor) throws(SystemError) {
        try Self.turn.withLock { _ throws(SystemError) in
            // Taken within the turn: what was gathered first is written first.
            let list = pieces.withLock { pieces in
                defer { pieces = ([], 0) }
                return pieces.list
            }
            guard !list.isEmpty else { return }
            let bytes = Bytes(joining: list)
            try bytes.withUnsafeBytes { bytes throws(SystemError) in try descriptor.writeAll(bytes) }
        }
    }
}

#endif
