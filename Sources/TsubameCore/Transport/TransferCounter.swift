// TransferCounter: counts the bytes of a body for progress events.

package import TsubamePlatform

/// Counts the bytes of a body, and keeps as many of them as observers ask for.
package struct TransferCounter: Sendable {
    private static let interval: MonotonicTime = 50_000_000

    private(set) package var bytes: Int64 = 0
    private(set) package var total: Int64?
    private let shownBytes: Int
    private var shown = GatheredBytes()
    private var lastReport: MonotonicTime = 0

    /// - Parameter shownBytes: how many bytes observers ask for.
    package init(total: Int64? = nil, shownBytes: Int = 0) {
        self.total = total
        self.shownBytes = shownBytes
    }

    /// The length of the body has become known.
    package mutating func expect(_ total: Int64?) { self.total = total }

    /// Counts a piece.
    /// - Returns: the progress to report, at most every 50 ms.
    package mutating func add(_ piece: Bytes, at now: MonotonicTime) -> TransferProgress? {
        bytes += Int64(piece.count)
        let rest = shownBytes - shown.count
        if rest > 0 { shown.append(piece.slice(0..<rest)) }
        guard now &- lastReport >= Self.interval else { return nil }
        lastReport = now
        return TransferProgress(bytes: bytes, total: total)
    }

    /// The progress to report at the end of the body.
    package var final: TransferProgress { TransferProgress(bytes: bytes, total: bytes) }

    /// The bytes for observers; nil if they ask for none.
    package var beginning: Bytes? {
        if shownBytes == 0 { return nil }
        let shown = shown
        return shown.joined()
    }
}
