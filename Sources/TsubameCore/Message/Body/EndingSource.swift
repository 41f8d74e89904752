// EndingSource: a body source that runs an action at the end of the body.

internal import Synchronization

final class EndingSource: BodySource {
    private let source: any BodySource
    private let action: Mutex<(@Sendable (CallError?) -> Void)?>

    init(_ source: any BodySource, _ action: @escaping @Sendable (CallError?) -> Void) {
        self.source = source
        self.action = Mutex(action)
    }

    deinit { end(.givenUp) }

    private func end(_ error: CallError?) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?(error)
    }

    func next() async throws(CallError) -> Bytes? {
        do throws(CallError) {
            let piece = try await source.next()
            if piece == nil { end(nil) }
            return piece
        } catch {
            end(error)
            throw error
        }
    }

    func cancel() {
        source.cancel()
        end(.givenUp)
    }

    var received: any BodySource { source.received }
    var call: Call? { source.call }
}
