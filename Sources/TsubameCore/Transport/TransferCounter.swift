// TransferCounter: counts the bytes of a body for progress events.

package import TsubamePlatform

/// Counts the bytes of a body.
package struct TransferCounter: Sendable {
    private static let interval: MonotonicTime = 50_000_000

    private(set) package var bytes: Int64 = 0
    private(set) package var total: Int64?
    private var lastReport: MonotonicTime = 0

    package init(total: Int64? = nil) { self.total = total }

    /// The length of the body has become known.
    package mutating func expect(_ total: Int64?) { self.total = total }

    /// Counts a piece.
    /// - Returns: the progress to report, at most every 50 ms.
    package mutating func add(_ piece: Bytes, at now: MonotonicTime) -> TransferProgress? {
        bytes += Int64(piece.count)
        guard now &- lastReport >= Self.interval else { return nil }
        lastReport = now
        return TransferProgress(bytes: bytes, total: total)
    }

    /// The progress to report at the end of the body.
    package var final: TransferProgress { TransferProgress(bytes: bytes, total: bytes) }
}
