// DownloadWriter: brings a response's body to its place in a file.

import TsubameCore

struct DownloadWriter: Sendable {
    private let part: DownloadPart
    private let meter: DownloadMeter

    init(_ part: DownloadPart, _ meter: DownloadMeter) {
        self.part = part
        self.meter = meter
    }

    /// - Parameters:
    ///   - span: what the server has announced; to the end of all if it has announced nothing.
    ///   - limit: where to stop, which may change meanwhile; asked with where the body would come to.
    /// - Returns: where the body ended, or was given up because of the limit.
    /// - Throws: ``CallError/Kind/invalidResponse`` if more comes than was announced, of which nothing is written, and
    ///   ``CallError/Kind/incompleteResponse`` if less does.
    func write(
        _ response: Response, _ span: Range<Int64>, until limit: (Int64) -> Int64
    ) async throws(CallError) -> Int64 {
        var position = span.lowerBound
        for try await piece in response.body {
            let end = min(limit(position &+ Int64(piece.count)), span.upperBound)
            let room = end &- position
            let bytes = Int64(piece.count) > room ? piece.slice(0..<Int(clamping: max(room, 0))) : piece
            try part.write(bytes, at: position)
            position &+= Int64(bytes.count)
            try meter.moved()
            guard bytes.count == piece.count else {
                response.body.discard()
                if position < span.upperBound { return position }
                throw CallError(
                    .invalidResponse, "the server sent more than the \(span.count) bytes that it had announced",
                    phase: .receivingBody, request: response.request, response: response.with(collected: Bytes()))
            }
            if position >= end, position < span.upperBound {
                response.body.discard()
                return position
            }
        }
        guard span.upperBound == .max || position >= span.upperBound else {
            throw CallError(
                .incompleteResponse,
                "the server sent \(position &- span.lowerBound) of the \(span.count) bytes that it had announced",
                phase: .receivingBody, request: response.request, response: response.with(collected: Bytes()))
        }
        return position
    }
}
