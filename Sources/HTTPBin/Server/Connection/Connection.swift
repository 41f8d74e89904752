// Connection: one connection, or one stream of HTTP/2, on which an endpoint can wait until the peer leaves.
#if Server
import NIOCore
import Synchronization

final class Connection: Sendable {
    /// The peer closed its side while an endpoint waited.
    struct PeerLeft: Error {}

    /// The number of the TCP connection.
    let number: Int
    let channel: any Channel
    /// Whether this is one of several concurrent exchanges on the TCP connection.
    let isStream: Bool
    private let state = Mutex(State())

    private struct State {
        var peerLeft = false
        var wait: Task<Void, any Error>?
        var serving: Task<Void, Never>?
    }

    init(number: Int, channel: any Channel, isStream: Bool = false) {
        self.number = number
        self.channel = channel
        self.isStream = isStream
    }

    /// Handles the exchanges of the connection, from now until it is closed.
    func serve(_ handling: @escaping @Sendable () async -> Void) {
        let serving = Task.detached { await handling() }
        state.withLock { $0.serving = serving }
    }

    /// Waits, unless the peer has closed its side: then the connection is closed and this throws. A peer that
    /// half-closes still gets its response from every endpoint that does not wait, as from Go's server.
    func pause(for duration: Duration) async throws {
        guard duration > .zero else { return }
        let wait = Task { try await Task.sleep(for: duration) }
        let left = state.withLock { state in
            state.wait = wait
            return state.peerLeft
        }
        if left { wait.cancel() }
        do {
            try await wait.value
        } catch {
            close()
            throw PeerLeft()
        }
        state.withLock { $0.wait = nil }
    }

    /// Called when the peer has closed its side, wholly or for sending.
    func peerHasLeft() {
        state.withLock { state in
            state.peerLeft = true
            return state.wait
        }?.cancel()
    }

    /// Closes the connection, or resets the stream.
    func close() {
        peerHasLeft()
        channel.close(promise: nil)
    }

    /// Returns when the socket is closed and no endpoint runs for it.
    func waitUntilClosed() async {
        try? await channel.closeFuture.get()
        await state.withLock { $0.serving }?.value
    }
}

#endif
