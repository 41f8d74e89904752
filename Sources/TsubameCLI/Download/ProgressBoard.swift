// ProgressBoard: the transfers that are under way, as lines at the foot of a terminal.
#if Tool
import Dispatch
import Synchronization
import TsubameTerminal

/// Draws on the standard error, and only if that is a terminal. The lines are drawn again five times a second; whatever else
/// is written there goes above them.
final class ProgressBoard: Sendable {
    /// Transfers below this size, in bytes, are over before anybody can read a line.
    static let minimumBytes: Int64 = 1 << 20
    private static let interval = DispatchTimeInterval.milliseconds(200)

    private struct State {
        var transfers: [(id: Int, transfer: Transfer)] = []
        var count = 0
        /// How many lines stand there now.
        var drawn = 0
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Mutex(State())
    private let isUnicode: Bool
    private let theme: Theme?

    /// nil if there is nobody to look at it.
    init?(_ traits: @autoclosure () -> TerminalTraits) {
        guard Descriptor.errors.isTerminal else { return nil }
        let traits = traits()
        isUnicode = traits.isUnicode
        theme = traits.hasColours ? traits.theme : nil
    }

    private static let start = ContinuousClock.now

    /// Seconds of a clock that only goes forward.
    static var now: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// A line more.
    /// - Returns: what to call it by.
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

    /// The line goes, and this is said in its place, if anything.
    func remove(_ id: Int, saying text: String?) {
        state.withLock { state in
            clear(&state)
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

    /// Runs what writes on the terminal, with the lines out of its way.
    func aside(_ body: () -> Void) {
        state.withLock { state in
            clear(&state)
            body()
            draw(&state)
        }
    }

    private func tick() {
        state.withLock { state in
            // Already over.
            guard state.timer != nil else { return }
            let now = Self.now
            for index in state.transfers.indices { state.transfers[index].transfer.measure(at: now) }
            clear(&state)
            draw(&state)
        }
    }

    /// The cursor stands at the end of the last line.
    private func clear(_ state: inout State) {
        guard state.drawn > 0 else { return }
        let up = state.drawn > 1 ? "\u{1B}[\(state.drawn - 1)A" : ""
        write("\r\(up)\u{1B}[J")
        state.drawn = 0
    }

    private func draw(_ state: inout State) {
        guard !state.transfers.isEmpty else { return }
        let width = OutputWidth(Descriptor.errors.number)
        // More than fit would scroll, and could not be taken back.
        let shown = state.transfers.prefix(max(width.rows - 1, 1))
        let nameWidth = shown.map { DisplayWidth.of($0.transfer.name) }.max() ?? 0
        var canvas = Canvas(theme: theme, isTerminal: true)
        for (index, entry) in shown.enumerated() {
            if index > 0 { canvas.write("\n") }
            ProgressLine.draw(
                entry.transfer, nameWidth: nameWidth, width: width.columns, isUnicode: isUnicode, on: &canvas)
        }
        write(String(decoding: canvas.finish(), as: UTF8.self))
        state.drawn = shown.count
    }

    private func write(_ text: String) { try? Descriptor.errors.writeAll(text) }
}

#endif
