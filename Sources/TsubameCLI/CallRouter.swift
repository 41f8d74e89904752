// CallRouter: which of several runs an event is of.
#if Tool
import Synchronization
import Tsubame

/// Learns from a call's first event which run made it, by a tag of its request, and forgets it with the last.
final class CallRouter: Sendable {
    /// Under which a request says the position of its run. It is not sent.
    static let tag = "tsubame.run"

    private let runs: [RequestRun]
    private let positions = Mutex<[UInt64: Int]>([:])

    init(_ runs: [RequestRun]) { self.runs = runs }

    func take(_ event: CallEvent) {
        let position: Int? = positions.withLock { positions in
            if case .started(let request) = event.kind { positions[event.call] = request.tags[Self.tag] as? Int }
            return event.kind.isFinal ? positions.removeValue(forKey: event.call) : positions[event.call]
        }
        if let position, runs.indices.contains(position) { runs[position].take(event) }
    }
}

#endif
