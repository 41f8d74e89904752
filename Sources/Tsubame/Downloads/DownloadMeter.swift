// DownloadMeter: reports a download's progress at most every 50 ms, and only bytes that a later call will find.

#if canImport(FoundationEssentials)
import TsubamePlatform
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization
import TsubameCore

/// A timer reports the bytes that came too soon after the last report, so that the progress is right when a
/// download stalls.
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

    /// Held while progress is reported, so that the reports stay in order.
    private let state = Mutex(State())
    private let tell: @Sendable (DownloadProgress) -> Void

    init(_ tell: @escaping @Sendable (DownloadProgress) -> Void) { self.tell = tell }

    /// Starts the reports, before the first bytes of this call; called again if the download begins anew.
    func begin(_ part: DownloadPart, resumed: Int64, total: Int64?) {
        state.withLock { state in
            state = State(part: part, resumed: resumed, total: total, start: MonotonicClock.now)
            show(&state)
            // The first bytes are reported at once.
            state.lastTold = 0
        }
    }

    func learn(total: Int64) { state.withLock { $0.total = total } }

    /// Reports that bytes have come.
    /// - Throws: the error of saving the record, without which a later call would not find the bytes.
    func moved() throws(CallError) {
        let due: Result<Void, CallError> = state.withLock { state in
            let now = MonotonicClock.now
            guard now &- state.lastTold < Self.interval else { return tellNow(&state) }
            if state.alarm == nil {
                let due = state.lastTold &+ Self.interval
                // The alarm writes to the disk and calls the caller's closure.
                state.alarm = Alarm(at: due, mayBlock: true) { [weak self] in self?.ring() }
            }
            return .success(())
        }
        try due.get()
    }

    /// Ends the reports. If the bytes are kept, a last report says how many there are.
    func end(isKept: Bool) {
        state.withLock { state in
            if isKept { show(&state) }
            state = State()
        }
    }

    private func ring() {
        state.withLock { state in
            state.alarm = nil
            // An error occurs again with the next bytes.
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
