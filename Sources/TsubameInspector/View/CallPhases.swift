// CallPhases: the parts of a call's time, for the waterfall.

import TsubameCore

/// A part of a call's time. Times are in milliseconds since the start of the call.
package struct CallPhase: Sendable, Hashable, Codable {
    package enum Name: String, Sendable, Hashable, Codable {
        /// Waiting for a connection.
        case queued
        case dns, connect, tls, send, wait, receive
        /// Waiting before the request is sent again.
        case delay
    }

    package let name: Name
    package let from: Double
    package let to: Double
}

extension LoggedCall {
    /// The phases in order, with a gap where the call did something else. The last phase of a running call ends with its last event.
    package var phases: [CallPhase] {
        var phases: [CallPhase] = []
        var open: (name: CallPhase.Name, from: UInt64)?
        func milliseconds(_ time: UInt64) -> Double { Double(time / 1000) / 1000 }
        func close(at time: UInt64) {
            guard let phase = open else { return }
            open = nil
            if time > phase.from {
                phases.append(
                    CallPhase(name: phase.name, from: milliseconds(phase.from), to: milliseconds(time)))
            }
        }
        func begin(_ name: CallPhase.Name, at time: UInt64) {
            close(at: time)
            open = (name, time)
        }
        for event in events {
            switch event.kind {
            case .queued: begin(.queued, at: event.time)
            case .resolving: begin(.dns, at: event.time)
            // Several addresses may be tried at once; the phase is that of all of them.
            case .connecting: if open?.name != .connect { begin(.connect, at: event.time) }
            case .securing: begin(.tls, at: event.time)
            case .resolved, .connected, .secured, .reused: close(at: event.time)
            case .sent(let request): begin(request.body.isEmpty ? .wait : .send, at: event.time)
            case .sending(let progress):
                if open?.name == .send, progress.bytes == progress.total { begin(.wait, at: event.time) }
            case .headReceived: begin(.receive, at: event.time)
            case .resending(_, _, let delay):
                if delay > .zero { begin(.delay, at: event.time) } else { close(at: event.time) }
            case .finished, .failed, .cancelled: close(at: event.time)
            case .started, .informational, .receiving, .requestBody, .responseBody, .caching, .decision: break
            }
        }
        close(at: duration)
        return phases
    }
}
