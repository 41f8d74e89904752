// EventEndpoints: /sse and /jsonl, responses that a client reads event by event or line by line.
#if Server
import HTTPTypes
import HummingbirdCore

enum EventEndpoints {
    private static let limit = 100_000

    static let routes = [
        Route("/sse", "n server-sent events, delay seconds apart; resumes after Last-Event-ID", endpoint: events),
        Route("/jsonl", "n lines of JSON, delay seconds apart", endpoint: lines),
    ]

    @Sendable private static func events(_ exchange: Exchange) async throws -> Response {
        let parameters = try exchange.arguments()
        let count = try Number.count(parameters.parameter("n"), default: 10, limit: limit)
        let delay = try Number.seconds(parameters.parameter("delay"))
        let first = exchange.field("Last-Event-ID").flatMap(Number.digits).map { min($0, count - 1) + 1 } ?? 0
        var response = try Reply.pieces(
            count - min(first, count), type: "text/event-stream", delay: delay, to: exchange
        ) {
            let id = first + $0
            return Array("id: \(id)\nevent: swallow\ndata: {\"id\": \(id),\ndata:  \"text\": \"燕 \(id)\"}\n\n".utf8)
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    @Sendable private static func lines(_ exchange: Exchange) async throws -> Response {
        let parameters = try exchange.arguments()
        let count = try Number.count(parameters.parameter("n"), default: 10, limit: limit)
        let delay = try Number.seconds(parameters.parameter("delay"))
        return try Reply.pieces(count, type: "application/jsonl", delay: delay, to: exchange) { index in
            Array("{\"line\": \(index), \"text\": \"燕 \(index)\"}\n".utf8)
        }
    }
}

#endif
