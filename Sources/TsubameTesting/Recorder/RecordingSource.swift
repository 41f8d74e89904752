// RecordingSource: copies the body of a response while it is read.

internal import Synchronization
internal import TsubameCore

/// The content of a response, as far as it was read.
struct RecordedContent: Sendable {
    let bytes: Bytes
    let isIncomplete: Bool
}

/// Hands the content over at the end of the body, or when its reader gives it up. A body that fails is not recorded.
final class RecordingSource: BodySource {
    typealias Record = @Sendable (RecordedContent) async throws(CallError) -> Void

    private struct State: Sendable {
        var content = GatheredBytes()
        /// nil once the content has been handed over, or must not be.
        var record: Record?
    }

    private let source: any BodySource
    private let file: RecordingFile
    private let state: Mutex<State>

    init(_ source: any BodySource, _ file: RecordingFile, _ record: @escaping Record) {
        self.source = source
        self.file = file
        state = Mutex(State(record: record))
    }

    deinit { giveUp() }

    func next() async throws(CallError) -> Bytes? {
        do throws(CallError) {
            guard let piece = try await source.next() else {
                if let (record, content) = take(isIncomplete: false) { try await record(content) }
                return nil
            }
            let isTooLong = state.withLock { state in
                guard state.record != nil else { return false }
                state.content.append(piece)
                return state.content.count > Recorder.longestBody
            }
            guard !isTooLong else { throw Self.tooLong }
            return piece
        } catch {
            _ = take(isIncomplete: true)
            source.cancel()
            throw error
        }
    }

    private static var tooLong: CallError {
        CallError(
            .limitExceeded, "a recorder holds at most 64 MiB of a response", phase: .receivingBody,
            advice: "exclude the URL from the recording")
    }

    private func take(isIncomplete: Bool) -> (Record, RecordedContent)? {
        state.withLock { state in
            guard let record = state.record else { return nil }
            let content = state.content
            state = State()
            return (record, RecordedContent(bytes: content.joined(), isIncomplete: isIncomplete))
        }
    }

    private func giveUp() {
        if let (record, content) = take(isIncomplete: true) {
            file.addLater { () throws(CallError) in try await record(content) }
        }
    }

    func cancel() {
        source.cancel()
        giveUp()
    }

    var call: Call? { source.call }

    func prefer(_ executor: (any TaskExecutor)?) { source.prefer(executor) }
}
