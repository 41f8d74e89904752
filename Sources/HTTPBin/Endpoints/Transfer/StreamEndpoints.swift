// StreamEndpoints: /stream/{n}, /drip and /delay/{seconds}, responses that take their time.
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore

enum StreamEndpoints {
    private static let lineLimit = 100
    private static let dripLimit = 10 * 1024 * 1024

    static let routes = [
        Route("/stream/{n}", "n lines of JSON, at most \(lineLimit)", endpoint: stream),
        Route("/drip", "numbytes over duration seconds, after delay, with code", endpoint: drip),
        Route("/delay/{seconds}", "an answer after up to 10 seconds", methods: .all, endpoint: delay),
    ]

    @Sendable private static func stream(_ exchange: Exchange) async throws -> Response {
        guard let count = Number.digits(exchange.parameters[0]) else { throw Problem(404, "not a count") }
        let inspection = try Inspection(headOf: exchange)
        return try Reply.pieces(min(count, lineLimit), type: "application/json", to: exchange) { index in
            inspection.json(.url, .args, .headers, .origin, with: [("id", JSON(index))]).line
        }
    }

    @Sendable private static func delay(_ exchange: Exchange) async throws -> Response {
        let seconds = try Number.seconds(exchange.parameters[0], limit: 10)
        try await exchange.connection.pause(for: .seconds(seconds))
        let inspection = try await Inspection(exchange)
        return try Reply.json(inspection.json(.url, .args, .form, .data, .origin, .headers, .files))
    }

    @Sendable private static func drip(_ exchange: Exchange) async throws -> Response {
        let parameters = try exchange.arguments()
        let duration = try Number.seconds(parameters.first("duration"), default: 2)
        let count = try Number.count(parameters.first("numbytes"), default: 10, limit: dripLimit)
        let code = try Number.count(parameters.first("code"), default: 200, limit: .max)
        let delay = try Number.seconds(parameters.first("delay"))
        guard count > 0 else { throw Problem(400, "number of bytes must be positive") }
        let status = try Reply.status(code)

        let connection = exchange.connection
        try await connection.pause(for: .seconds(delay))
        let pause = duration / Double(count)
        let body = ResponseBody(contentLength: count) { writer in
            let clock = ContinuousClock()
            let start = clock.now
            var sent = 0
            while sent < count {
                // The clock decides, so that pauses below a timer's resolution do not add up.
                let elapsed = (clock.now - start) / .seconds(1)
                let due = pause > 0 ? Int(min(elapsed / pause, Double(count - 1))) + 1 : count
                let batch = min(due - sent, 64 * 1024)
                if batch > 0 {
                    try await writer.write(ByteBuffer(repeating: UInt8(ascii: "*"), count: batch))
                    sent += batch
                } else {
                    try await connection.pause(for: .seconds(max(0.001, Double(sent) * pause - elapsed)))
                }
            }
            try await writer.finish(nil)
        }
        return Response(status: status, headers: [.contentType: "application/octet-stream"], body: body)
    }
}

#endif
