// OpenChannels: the connections that a closed transport must close.

import NIOCore
import Synchronization

final class OpenChannels: Sendable {
    private struct State: Sendable {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// - Returns: false if the transport is closed; the channel is then closed as well.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.channels[id] = channel }
            return !state.isClosed
        }
        guard isOpen else {
            channel.close(promise: nil)
            return false
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.state.withLock { $0.channels[id] = nil } }
        return true
    }

    func closeAll() async {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { try? await channel.close() }
    }
}
