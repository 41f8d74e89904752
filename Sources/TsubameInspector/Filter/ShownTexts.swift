// ShownTexts: the words of calls that have ended, kept for the next search.

import Synchronization

/// Keeps words within a limit of bytes. Open pages have them made when they read the rows, so that a search finds them.
final class ShownTexts: Sendable {
    private struct State: Sendable {
        var texts: [UInt64: ShownText] = [:]
        var bytes = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the memory, in bytes. The words of further calls are made at each search.
    init(limit: Int) { self.limit = limit }

    /// The row of a call, whose words are kept if it has ended.
    func row(_ call: LoggedCall, in ring: TrafficRing) -> CallRow {
        let row = ring.row(call)
        guard call.state != .running, state.withLock({ $0.texts[call.id] == nil && $0.bytes < limit }) else {
            return row
        }
        let text = ShownText(call, row)
        state.withLock { state in
            if state.texts.updateValue(text, forKey: call.id) == nil { state.bytes += text.byteCount }
        }
        return row
    }

    /// The calls that a filter finds.
    func search(_ filter: TrafficFilter, in ring: TrafficRing) -> [UInt64] {
        let texts = state.withLock { $0.texts }
        // No feed may have told that calls are gone.
        if texts.count > ring.count { forget(texts.keys.filter { ring[$0] == nil }) }
        return ring.ids.filter { id in
            guard let text = texts[id] ?? ring[id].map({ ShownText($0) }) else { return false }
            return filter.matches(text) { ring[id]?.hasBody($0) ?? false }
        }
    }

    /// Forgets calls that are gone.
    func forget(_ calls: some Sequence<UInt64>) {
        state.withLock { state in
            for call in calls {
                if let text = state.texts.removeValue(forKey: call) { state.bytes -= text.byteCount }
            }
        }
    }
}
