// DownloadProgress: how far a download has come.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Synchronization
import TsubameCore

/// How far a download has come. Told when the response's head is there, with the first bytes, at most every 50 ms from
/// then on, and at the end;
/// of a download that can be resumed, only what is in the file and will be found again.
public struct DownloadProgress: Sendable, Hashable, CustomStringConvertible {
    /// Where the file will be, once it is whole; with a number more if another one comes first.
    public var file: URL
    /// Bytes that are there, those from before included.
    public var received: Int64
    /// Bytes in all; nil when that is not known.
    public var total: Int64?
    /// Bytes that were there before this call.
    public var resumed: Int64
    /// Bytes a second, over the whole of this call.
    public var bytesPerSecond: Int64

    /// The last part of its path.
    package var fileName: String { file.lastPathComponent }

    /// From 0 to 1; nil when the total is not known.
    public var fraction: Double? { Progress(bytes: received, total: total).fraction }

    /// `big.iso: 1048576 of 4194304 bytes (25%)`.
    public var description: String {
        var text = "\(file.lastPathComponent): \(received)"
        if let total, let fraction {
            text += " of \(total) bytes (\(Int(min(max(fraction, 0), 1) * 100))%)"
        } else {
            text += " bytes"
        }
        return resumed > 0 ? text + ", \(resumed) of them from before" : text
    }
}

/// Tells a download's progress, seldom enough.
final class DownloadMeter: Sendable {
    /// In nanoseconds.
    private static let interval: UInt64 = 50_000_000

    private struct State: Sendable {
        var path = ""
        var resumed: Int64 = 0
        var total: Int64?
        var start: MonotonicTime = 0
        var lastTold: MonotonicTime = 0
    }

    private let state = Mutex(State())
    private let tell: @Sendable (DownloadProgress) -> Void

    init(_ tell: @escaping @Sendable (DownloadProgress) -> Void) { self.tell = tell }

    /// The first bytes of this call are about to come; called again if everything begins anew.
    func begin(_ path: String, resumed: Int64, total: Int64?) {
        let now = MonotonicClock.now
        state.withLock { $0 = State(path: path, resumed: resumed, total: total, start: now, lastTold: 0) }
        reach(resumed, isLast: true)
        // What comes first is no longer waited for.
        state.withLock { $0.lastTold = 0 }
    }

    func isDue() -> Bool {
        let now = MonotonicClock.now
        return state.withLock { now &- $0.lastTold >= Self.interval }
    }

    /// - Parameter isLast: told whatever was told a moment ago.
    func reach(_ received: Int64, isLast: Bool = false) {
        let now = MonotonicClock.now
        let progress: DownloadProgress? = state.withLock { state in
            guard isLast || now &- state.lastTold >= Self.interval else { return nil }
            state.lastTold = now
            let seconds = Double(now &- state.start) / 1e9
            let moved = max(received &- state.resumed, 0)
            let rate = seconds > 0.001 ? Double(moved) / seconds : 0
            return DownloadProgress(
                file: URL(filePath: state.path, directoryHint: .notDirectory), received: received, total: state.total,
                resumed: state.resumed,
                bytesPerSecond: Int64(exactly: min(rate, 1e15).rounded()) ?? 0)
        }
        if let progress { tell(progress) }
    }

    func learn(total: Int64) { state.withLock { $0.total = total } }
}
