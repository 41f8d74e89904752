// RangeEndpoint: /range/{n}, the repeated alphabet, whole or in part (RFC 9110 section 14).
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Reads a Range field as httpbin does. It understands a single range; a list gives the whole. An end after the last
/// byte is not satisfiable. If-Range is ignored.
enum RangeEndpoint {
    private static let limit = 100 * 1024

    static let routes = [
        Route("/range/{n}", "n bytes, at most \(limit), or the part that Range asks for, over duration seconds") {
            try answer($0)
        }
    ]

    private static func answer(_ exchange: Exchange) throws -> Response {
        guard let name = Number.canonical(exchange.parameters[0]), let count = Number.digits(name) else {
            throw Problem(404, "not a count")
        }
        var fields: HTTPFields = [.eTag: "range\(name)", .acceptRanges: "bytes"]
        guard count > 0, count <= limit else {
            let text = "The number of bytes must be from 1 to \(limit)."
            return try Reply.bytes(Array(text.utf8), type: "text/plain; charset=utf-8", status: 404, fields: fields)
        }
        let size = try BytesEndpoints.chunkSize(exchange)
        let duration = try Number.seconds(exchange.arguments().parameter("duration"))
        guard let range = satisfied(exchange.field(.range), of: count) else {
            fields[.contentRange] = "bytes */\(count)"
            return try Reply.bytes([], type: "text/plain; charset=utf-8", status: 416, fields: fields)
        }
        fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(count)"
        fields[.contentType] = "application/octet-stream"
        let pause = duration / Double(count)
        return Response(
            status: try Reply.status(range == 0...(count - 1) ? 200 : 206), headers: fields,
            body: body(range, inPiecesOf: size, pause: pause, to: exchange.connection))
    }

    /// The first and last position of the range; nil if some of them do not exist.
    private static func satisfied(_ field: String?, of count: Int) -> ClosedRange<Int>? {
        var (first, last): (Int?, Int?) = (nil, nil)
        let pieces = (field ?? "").trimmed.split(separator: "=", omittingEmptySubsequences: false)
        if pieces.count == 2, pieces[0].hasPrefix("bytes") {
            let ends = pieces[1].split(separator: "-", omittingEmptySubsequences: false)
            first = ends.first.flatMap { Number.integer(String($0)) }
            last = ends.dropFirst().first.flatMap { Number.integer(String($0)) }
        }
        let (from, to) =
            switch (first, last) {
            case (nil, nil): (0, count - 1)
            // A suffix range: the last `suffix` bytes.
            case (nil, let suffix?): (max(0, count - suffix), count - 1)
            case (let first?, let last): (first, last ?? count - 1)
            }
        guard from <= to, (0..<count).contains(from), (0..<count).contains(to) else { return nil }
        return from...to
    }

    private static func body(
        _ range: ClosedRange<Int>, inPiecesOf size: Int, pause: Double, to connection: Connection
    ) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            let clock = ContinuousClock()
            let start = clock.now
            var sent = 0
            while sent < range.count {
                let first = range.lowerBound + sent
                let piece = first..<(first + min(size, range.count - sent))
                sent += piece.count
                // The clock decides, so that pauses below a timer's resolution do not add up.
                let ahead = Double(sent) * pause - (clock.now - start) / .seconds(1)
                if pause > 0 { try await connection.pause(for: .seconds(ahead)) }
                try await writer.write(ByteBuffer(bytes: piece.map { UInt8(ascii: "a") + UInt8($0 % 26) }))
            }
            try await writer.finish(nil)
        }
    }
}

#endif
