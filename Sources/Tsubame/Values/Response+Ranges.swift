// Response+Ranges: the ranges of a partial response (RFC 9110 section 15.3.7).

public import HTTPTypes
public import TsubameCore
import TsubameWire

/// Some bytes of a representation, and their positions in it.
public struct ReceivedRange: Sendable {
    /// The positions of the first and the last byte.
    public let positions: ClosedRange<Int64>
    /// The length of the whole representation in bytes; nil if the server does not know it.
    public let total: Int64?
    /// The headers of the part, such as Content-Type; those of the response if it has only one range.
    public let headers: HTTPFields
    /// The bytes, one for each position.
    public let body: Bytes
}

extension Response {
    /// The ranges in the response to a request with ``Request/ask(for:)``: a single one, or several in a body of
    /// type `multipart/byteranges`. The server may send other ranges than were asked for, in another order, and
    /// joined where they touch. Use their positions to place the bytes. A response of another status, as from a
    /// server that serves no ranges, is one range with the whole body, or none if the body is empty.
    ///
    /// The positions are those of the content as received. The content is coded if the response still has a
    /// Content-Encoding.
    /// - Throws: ``CallError``. The kind is `status` if the status is not accepted; after a 416, ``contentRange``
    ///   of the error's response has the length of the whole. It is `incompleteResponse` if the body is cut off. It
    ///   is `limitExceeded` beyond 10,000 parts, or beyond 16 KiB or 100 headers in one part. It is
    ///   `invalidResponse` if a Content-Range is missing, impossible, does not fit its bytes, or contradicts
    ///   another one about the length of the whole.
    @concurrent
    public func ranges() async throws(CallError) -> [ReceivedRange] {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in try Self.ranges(of: whole) }
    }

    // Synchronous, because an async function would choose the async overload of the same name.
    private static func ranges(of response: Response) throws(CallError) -> [ReceivedRange] { try response.ranges() }

    /// The ranges of a body that is in memory. It throws as the asynchronous overload does, and `misuse` for a body
    /// that is still being streamed.
    public func ranges() throws(CallError) -> [ReceivedRange] {
        try accepted()
        let bytes = try collectedBytes()
        let isMultipart = headers[.contentType].flatMap { MediaType($0) }.map { $0.essence == "multipart/byteranges" }
        switch (statusCode, isMultipart ?? false) {
        case (206, true):
            // RFC 9110 section 15.3.7.2: with this field, the body would be one range of a multipart
            // representation.
            guard !headers.contains(.contentRange) else {
                throw invalid("has a Content-Range for all of its parts")
            }
            var total: Int64?
            var ranges: [ReceivedRange] = []
            for part in try parts() {
                let range = try range(part.contentRange, part.headers, part.body)
                if let total, let other = range.total, total != other {
                    throw invalid("has parts of a whole of \(total) bytes, and of \(other)")
                }
                total = total ?? range.total
                ranges.append(range)
            }
            return ranges
        case (206, false):
            return [try range(contentRange, headers.fields, bytes)]
        case (416, _):
            return []
        default:
            guard bytes.count > 0 else { return [] }
            let length = Int64(bytes.count)
            return [
                ReceivedRange(positions: 0...length - 1, total: length, headers: headers.fields, body: bytes)
            ]
        }
    }

    private func range(
        _ range: ContentRange?, _ headers: HTTPFields, _ body: Bytes
    ) throws(CallError) -> ReceivedRange {
        guard let range, let positions = range.bytes, let length = range.length else {
            throw invalid(
                headers.contains(.contentRange)
                    ? "has a Content-Range that cannot be true" : "has a part without a Content-Range")
        }
        guard length == Int64(body.count) else {
            throw invalid("has \(body.count) bytes where its Content-Range says \(length)")
        }
        return ReceivedRange(positions: positions, total: range.total, headers: headers, body: body)
    }

    private func invalid(_ what: String) -> CallError {
        CallError(
            .invalidResponse, "the partial response \(what)", phase: .decoding, request: request, response: self)
    }
}
