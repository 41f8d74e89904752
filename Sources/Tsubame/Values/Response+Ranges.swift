// The ranges of a partial response (RFC 9110 section 15.3.7).

public import HTTPTypes
public import TsubameCore
import TsubameWire

/// Some bytes of a whole, and where in it they belong.
public struct ReceivedRange: Sendable {
    /// The positions of the first and the last byte.
    public let positions: ClosedRange<Int64>
    /// The length of the whole; nil if the server does not know it.
    public let total: Int64?
    /// The fields of the part, such as Content-Type; those of the response where it has one range only.
    public let headers: HTTPFields
    /// The bytes, as many as there are positions.
    public let body: Bytes
}

extension Response {
    /// The ranges that came in answer to ``Request/ask(for:)``, as many as the server chose to send: one by itself or
    /// several in a body of type `multipart/byteranges`. They may be other ones than were asked for, in another order,
    /// joined where they touch: only their positions say what they are. An answer of another status, as from a server
    /// that knows no ranges, is one range with all of it, and none if it is empty.
    ///
    /// The positions are those of the content as it came. It is coded if the response still names a Content-Encoding.
    /// - Throws: ``CallError`` of kind `status` (of 416, ``contentRange`` of the error's response says how long the whole
    ///   is), `incompleteResponse` if the body is cut off, `limitExceeded` beyond 10,000 parts, 16 KiB or 100 fields in
    ///   one of them, and `invalidResponse` if a Content-Range is missing, cannot be true, does not fit the bytes it
    ///   came with, or contradicts another one about the whole.
    @concurrent
    public func ranges() async throws(CallError) -> [ReceivedRange] {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in try Self.ranges(of: whole) }
    }

    // Synchronous on purpose: inside an async function the async overload of the same name would be chosen.
    private static func ranges(of response: Response) throws(CallError) -> [ReceivedRange] { try response.ranges() }

    /// The same of a response whose body is in memory.
    public func ranges() throws(CallError) -> [ReceivedRange] {
        try accepted()
        guard let bytes = body.bytes else {
            throw CallError(
                .misuse, "the body is still being streamed", phase: .decoding, advice: "await the value, or use send",
                request: request)
        }
        let isMultipart = headers[.contentType].flatMap { MediaType($0) }.map { $0.essence == "multipart/byteranges" }
        switch (statusCode, isMultipart ?? false) {
        case (206, true):
            // RFC 9110 section 15.3.7.2: with the field it would be a range of something that is multipart itself.
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
            return [try range(contentRange, HTTPFields(headers), bytes)]
        case (416, _):
            return []
        default:
            guard bytes.count > 0 else { return [] }
            let length = Int64(bytes.count)
            return [
                ReceivedRange(positions: 0...length - 1, total: length, headers: HTTPFields(headers), body: bytes)
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
