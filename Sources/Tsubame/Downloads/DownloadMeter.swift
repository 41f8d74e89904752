// DownloadMeter: tells a download's progress, seldom enough, and never more than is safe.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization
import TsubameCore

/// What came too soon after it was told last is told a little later by a timer, so that what stands still is shown as it is.
final class DownloadMeter: Sendable {
    /// In nanoseconds.
    private static let interval: UInt64 = 50_000_000

    private struct State: Sendable {
        var part: DownloadPart?
        var resumed: Int64 = 0
        var total: Int64?
        var start: MonotonicTime = 0
        var lastTold: MonotonicTime = 0
        var alarm: Alarm?
    }

    /// Held while progress is told, so that it is told in order.
    private let state = Mutex(State())
    private let tell: @Sendable (DownloadProgress) -> Void

    init(_ tell: @escaping @Sendable (DownloadProgress) -> Void) { self.tell = tell }

    /// The first bytes of this call are about to come; called again if everything begins anew.
    func begin(_ part: DownloadPart, resumed: Int64, total: Int64?) {
        state.withLock { state in
            state = State(part: part, resumed: resumed, total: total, start: MonotonicClock.now)
            show(&state)
            // What comes first is not to be waited for.
            state.lastTold = 0
        }
    }

    func learn(total: Int64) { state.withLock { $0.total = total } }

    /// Bytes have come.
    /// - Throws: what keeps them from being found again.
    func moved() throws(CallError) {
        let due: Result<Void, CallError> = state.withLock { state in
            let now = MonotonicClock.now
            guard now &- state.lastTold < Self.interval else { return tellNow(&state) }
            if state.alarm == nil {
                let due = state.lastTold &+ Self.interval
                // It writes to the disk, and calls the caller's closure.
                state.alarm = Alarm(at: due, mayBlock: true) { [weak self] in self?.ring() }
            }
            return .success(())
        }
        try due.get()
    }

    /// Nothing more is told from now on, after this. What is in the file then is told, if it is to stay.
    func end(isKept: Bool) {
        state.withLock { state in
            if isKept { show(&state) }
            state = State()
        }
    }

    private func ring() {
        state.withLock { state in
            state.alarm = nil
            // An error shows again with the next bytes.
            _ = tellNow(&state)
        }
    }

    private func tellNow(_ state: inout State) -> Result<Void, CallError> {
        guard let part = state.part else { return .success(()) }
        do throws(CallError) {
            try part.save()
        } catch {
            return .failure(error)
        }
        show(&state)
        return .success(())
    }

    private func show(_ state: inout State) {
        guard let part = state.part else { return }
        let now = MonotonicClock.now
        state.lastTold = now
        let received = part.received
        let seconds = Double(now &- state.start) / 1e9
        let rate = seconds > 0.001 ? Double(max(received &- state.resumed, 0)) / seconds : 0
        tell(
            DownloadProgress(
                file: URL(filePath: part.target, directoryHint: .notDirectory), received: received, total: state.total,
                resumed: state.resumed, bytesPerSecond: Int64(exactly: min(rate, 1e15).rounded()) ?? 0))
    }
}
