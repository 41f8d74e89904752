// TransformedSource: a body source whose bytes a transform changes while they are read.

internal import Synchronization
import TsubamePlatform

/// Pulls from another source and returns the output of a transform.
///
/// A transform can work for a long time without output. Its input may already be in memory, so that no wait of the
/// exchange ends the work. The source therefore checks the call's deadline and cancellation itself. It also lets other
/// tasks of its executor run after each ``turn``.
// Only the reader that has set `isReading` uses `isAtEnd`, `worked` and the transform.
final class TransformedSource: BodySource, @unchecked Sendable {
    /// The time that the transform may work between two yields, in nanoseconds.
    private static let turn: MonotonicTime = 1_000_000

    private let source: any BodySource
    private let transform: any BodyTransform
    let call: Call?
    private let isReading = Atomic(false)
    private let isGivenUp = Atomic(false)
    private var isAtEnd = false
    /// How long the transform has worked since the last yield, in nanoseconds.
    private var worked: MonotonicTime = 0

    init(_ source: any BodySource, _ transform: any BodyTransform, _ call: Call?) {
        self.source = source
        self.transform = transform
        self.call = call
    }

    func next() async throws(CallError) -> Bytes? {
        guard isReading.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
            throw CallError(.misuse, "the body is being read by someone else", phase: .receivingBody)
        }
        defer { isReading.store(false, ordering: .releasing) }
        if isAtEnd { return nil }
        do throws(CallError) {
            while true {
                let start = MonotonicClock.now
                try checkCall(at: start)
                if worked >= Self.turn {
                    worked = 0
                    await Task.yield()
                    continue
                }
                let output = try transform.pull()
                worked += MonotonicClock.now - start
                if let output {
                    if output.count > 0 { return output }
                    continue
                }
                guard let input = try await source.next() else {
                    isAtEnd = true
                    try transform.finish()
                    return nil
                }
                transform.push(input)
            }
        } catch {
            isAtEnd = true
            source.cancel()
            throw error
        }
    }

    private func checkCall(at now: MonotonicTime) throws(CallError) {
        guard !isGivenUp.load(ordering: .relaxed) else { throw .givenUp }
        guard let call else { return }
        guard !call.isCancelled else { throw call.cancelled(.receivingBody) }
        guard now < call.deadline else { throw call.expired(.receivingBody) }
    }

    func cancel() {
        isGivenUp.store(true, ordering: .relaxed)
        source.cancel()
    }

    var received: any BodySource { source.received }
}
