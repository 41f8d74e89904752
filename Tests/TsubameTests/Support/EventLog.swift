// EventLog: the events of a client's calls.

import Synchronization
import Tsubame
import TsubameTesting

/// Keeps the events of a client's calls, and runs an action at the first event with a given name.
final class EventLog: Sendable {
    private struct State: Sendable {
        var events: [CallEvent] = []
        var actions: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter client: the client, which is observed as long as the returned subscription lives.
    func observe(_ client: Client) -> EventSubscription { client.observe { self.add($0) } }

    func add(_ event: CallEvent) {
        let action = state.withLock { state in
            state.events.append(event)
            return state.actions.removeValue(forKey: event.kind.name)
        }
        action?()
    }

    /// The action runs at once, where the event happens.
    func atFirst(_ name: String, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[name] = action }
    }

    /// A gate that opens at the first event with this name.
    func gate(atFirst name: String) -> Gate {
        let gate = Gate()
        atFirst(name) { gate.open() }
        return gate
    }

    var events: [CallEvent] { state.withLock { $0.events } }
    var names: [String] { events.map(\.kind.name) }
    var finals: [String] { events.filter(\.kind.isFinal).map(\.kind.name) }
    var decisions: [String] {
        events.compactMap { event in if case .decision(let why) = event.kind { why } else { nil } }
    }
    var sent: [TransferProgress] {
        events.compactMap { event in if case .sending(let progress) = event.kind { progress } else { nil } }
    }
}

extension CallEvent.Kind {
    var name: String {
        switch self {
        case .started: "started"
        case .queued: "queued"
        case .resolving: "resolving"
        case .resolved: "resolved"
        case .connecting: "connecting"
        case .connected: "connected"
        case .securing: "securing"
        case .secured: "secured"
        case .reused: "reused"
        case .sent: "sent"
        case .sending: "sending"
        case .informational: "informational"
        case .headReceived: "headReceived"
        case .receiving: "receiving"
        case .requestBody: "requestBody"
        case .responseBody: "responseBody"
        case .resending: "resending"
        case .caching: "caching"
        case .decision: "decision"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
