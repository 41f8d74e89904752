// DownloadWriter: writes a response's body to its position in a file.

import TsubameCore

struct DownloadWriter: Sendable {
    private let part: DownloadPart
    private let meter: DownloadMeter

    init(_ part: DownloadPart, _ meter: DownloadMeter) {
        self.part = part
        self.meter = meter
    }

    /// - Parameters:
    ///   - span: the positions that the server has announced; up to `Int64.max` if it has announced no end.
    ///   - limit: returns the position at which to stop, which may change meanwhile. Its argument is the position
    ///     after the next bytes.
    /// - Returns: the position at which the body ended, or at which it was given up because of the limit.
    /// - Throws: ``CallError/Kind/invalidResponse`` if more bytes come than were announced; the surplus is not
    ///   written. ``CallError/Kind/incompleteResponse`` if fewer bytes come.
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
