// TransformedSource: a body source whose bytes a transform changes while they are read.

internal import Synchronization
import TsubamePlatform

/// Pulls from another source and returns the output of a transform.
///
/// A transform can work for a long time without output. Its input may already be in memory, so that no wait of the
/// exchange ends the work. The source therefore checks the call's deadline and cancellation itself. It also lets other
/// tasks of its executor run after each ``turnBytes``.
// Only the reader that has set `isReading` uses `isAtEnd`, `untilYield` and the transform.
final class TransformedSource: BodySource, @unchecked Sendable {
    /// The bytes of input and output between two yields: about 1 ms of decompression.
    private static let turnBytes = 256 << 10

    /// The number of bytes that an empty piece counts as.
    private static let emptyCost = 4 << 10

    private let source: any BodySource
    private let transform: any BodyTransform
    let call: Call?
    private let isReading = Atomic(false)
    private let isGivenUp = Atomic(false)
    private var isAtEnd = false
    private var untilYield = TransformedSource.turnBytes

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
                try checkCall()
                if untilYield <= 0 {
                    untilYield = Self.turnBytes
                    await Task.yield()
                    continue
                }
                if let output = try transform.pull() {
                    untilYield -= max(output.count, Self.emptyCost)
                    if output.count > 0 { return output }
                    continue
                }
                guard let input = try await source.next() else {
                    isAtEnd = true
                    try transform.finish()
                    return nil
                }
                untilYield -= input.count
                transform.push(input)
            }
        } catch {
            isAtEnd = true
            source.cancel()
            throw error
        }
    }

    private func checkCall() throws(CallError) {
        guard !isGivenUp.load(ordering: .relaxed) else { throw .givenUp }
        guard let call else { return }
        guard !call.isCancelled else { throw call.cancelled(.receivingBody) }
        guard MonotonicClock.now < call.deadline else { throw call.expired(.receivingBody) }
    }

    func cancel() {
        isGivenUp.store(true, ordering: .relaxed)
        source.cancel()
    }

    var received: any BodySource { source.received }
}
