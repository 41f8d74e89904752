// ProgressBoard: the running transfers, as lines at the foot of a terminal.

import Dispatch
import Synchronization
import TsubameTerminal

/// Draws on the standard error, and only if that is a terminal. The lines are redrawn five times a second, and any
/// other output there appears above them.
final class ProgressBoard: Sendable {
    /// Smaller transfers, in bytes, are over before a reader could read their line.
    static let minimumBytes: Int64 = 1 << 20
    private static let interval = DispatchTimeInterval.milliseconds(200)

    private struct State {
        var transfers: [(id: Int, transfer: Transfer)] = []
        var count = 0
        var lines = LiveLines()
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Mutex(State())
    private let isUnicode: Bool
    private let theme: Theme?

    /// nil if the standard error is not a terminal that redraws lines.
    init?(_ traits: @autoclosure () -> TerminalTraits) {
        guard Descriptor.errors.isTerminal else { return nil }
        let traits = traits()
        guard traits.redrawsLines else { return nil }
        isUnicode = traits.isUnicode
        theme = traits.hasColours ? traits.theme : nil
    }

    private static let start = ContinuousClock.now

    /// Seconds of a monotonic clock.
    static var now: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Adds a line.
    /// - Returns: the line's id.
    func add(_ transfer: Transfer) -> Int {
        state.withLock { state in
            state.count += 1
            state.transfers.append((state.count, transfer))
            if state.timer == nil {
                let timer = DispatchSource.makeTimerSource(queue: .global())
                timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
                timer.setEventHandler { [weak self] in self?.tick() }
                timer.resume()
                state.timer = timer
            }
            return state.count
        }
    }

    func reach(_ count: Int64, _ id: Int) {
        state.withLock { state in
            guard let index = state.transfers.firstIndex(where: { $0.id == id }) else { return }
            state.transfers[index].transfer.reach(count)
        }
    }

    /// Removes the line, and writes `text` in its place if there is any.
    func remove(_ id: Int, saying text: String?) {
        state.withLock { state in
            state.lines.clear()
            state.transfers.removeAll { $0.id == id }
            if let text { write(text + "\n") }
            if state.transfers.isEmpty {
                state.timer?.cancel()
                state.timer = nil
            } else {
                draw(&state)
            }
        }
    }

    /// Runs a closure that writes on the terminal, with the lines removed meanwhile.
    func aside(_ body: () -> Void) {
        state.withLock { state in
            state.lines.clear()
            body()
            draw(&state)
        }
    }

    private func tick() {
        state.withLock { state in
            // The last transfer has ended already.
            guard state.timer != nil else { return }
            let now = Self.now
            for index in state.transfers.indices { state.transfers[index].transfer.measure(at: now) }
            draw(&state)
        }
    }

    private func draw(_ state: inout State) {
        guard !state.transfers.isEmpty else { return }
        let width = OutputWidth(Descriptor.errors.number)
        // Lines beyond the terminal's height would scroll, and could not be removed again.
        let shown = state.transfers.prefix(max(width.rows - 1, 1))
        let nameWidth = shown.map { DisplayWidth.of($0.transfer.name) }.max() ?? 0
        var canvas = Canvas(theme: theme, isTerminal: true)
        for (index, entry) in shown.enumerated() {
            if index > 0 { canvas.write("\n") }
            ProgressLine.draw(
                entry.transfer, nameWidth: nameWidth, width: width.columns, isUnicode: isUnicode, on: &canvas)
        }
        state.lines.draw(String(decoding: canvas.finish(), as: UTF8.self), lines: shown.count)
    }

    private func write(_ text: String) { try? Descriptor.errors.writeAll(text) }
}
