// SlowBody: the body of a response at a limited rate.

import Synchronization
import Tsubame
import TsubameCore

/// Hands the bytes of a body over no faster than a rate. A slow reader slows the server down, as always.
final class SlowBody: BodySource {
    private let source: any BodySource
    private let rate: Int
    private let owner: Call
    /// The rest of the last piece. The one reader of the body uses it.
    private let rest = Mutex<Bytes?>(nil)

    private init(_ source: any BodySource, rate: Int, for call: Call) {
        self.source = source
        self.rate = rate
        owner = call
    }

    /// Limits the rate of a response's body. A body for a caller that collects it may arrive whole, after the
    /// time that it takes.
    static func limit(_ response: inout Response, to rate: Int, for call: Call) async throws(CallError) {
        switch response.body.content {
        // A short body may be complete although its reader asked for pieces.
        case .whole(let bytes) where call.options.wantsStream:
            response.body = ResponseBody(SlowBody(WholeSource(bytes), rate: rate, for: call))
        case .whole(let bytes):
            try await CallDelay.wait(time(bytes.count, rate), on: nil, for: call, .receivingBody)
        case .stream(let source): response.body = ResponseBody(SlowBody(source, rate: rate, for: call))
        }
    }

    private static func time(_ bytes: Int, _ rate: Int) -> Duration { .seconds(Double(bytes) / Double(max(rate, 1))) }

    func next() async throws(CallError) -> Bytes? {
        var piece = rest.withLock { $0.take() }
        if piece == nil { piece = try await source.next() }
        guard let piece else { return nil }
        // Ten pieces a second, so that the progress of a slow body can be seen.
        let count = min(piece.count, max(rate / 10, 1))
        if count < piece.count { rest.withLock { $0 = piece.slice(count..<piece.count) } }
        do throws(CallError) {
            try await CallDelay.wait(Self.time(count, rate), on: nil, for: owner, .receivingBody)
        } catch {
            cancel()
            throw error
        }
        return piece.slice(0..<count)
    }

    func cancel() {
        _ = rest.withLock { $0.take() }
        source.cancel()
    }

    var received: any BodySource { source.received }

    var call: Call? { source.call ?? owner }

    func prefer(_ executor: (any TaskExecutor)?) { source.prefer(executor) }
}
