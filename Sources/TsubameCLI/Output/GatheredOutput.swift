// GatheredOutput: gathers the output of one of several runs, so that it is not mixed with the others'.

import Synchronization
import Tsubame

/// Runs that print at once would mix their lines. So each run gathers its output, and writes it in one go when an
/// exchange is complete.
final class GatheredOutput: Sendable {
    /// Output longer than this, in bytes, is written before the exchange is complete.
    private static let maximumBytes = 1 << 20
    /// Held by the run that is writing.
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
            // Taken under the lock, so that earlier output is written first.
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
