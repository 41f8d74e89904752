// CallRouter: delivers each event of a shared client to the run that it belongs to.

import Synchronization
import Tsubame

/// A tag of the request in a call's first event says which run made the call. The last event ends the mapping.
final class CallRouter: Sendable {
    /// The request tag that holds the position of its run. It is not sent.
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
