// WireEndpoints: /trailers, /early-hints, /slow-headers and /truncate, responses that are unusual on the wire.
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore

enum WireEndpoints {
    private static let fieldLimit = 500
    private static let byteLimit = 100 * 1024
    private static let secondLimit = 60.0

    static let routes = [
        Route("/trailers", "the query's pairs as trailer fields after a chunked body", endpoint: trailers),
        Route("/early-hints", "103 with the query's link values as Link fields, then 200 after delay seconds") {
            try await earlyHints($0)
        },
        Route("/slow-headers", "a response whose head comes byte by byte over 2 seconds, in HTTP/2 after them") {
            exchange in
            try await slowHeaders(exchange, over: 2)
        },
        Route("/slow-headers/{seconds}", "the same over the given seconds, at most \(Int(secondLimit))") { exchange in
            try await slowHeaders(exchange, over: Number.seconds(exchange.parameters[0], limit: secondLimit))
        },
        Route(
            "/truncate/{n}",
            "n bytes of a longer body: of announce bytes, or in chunks without an end; HTTP/2 resets the stream",
            endpoint: truncate),
    ]

    /// Sends any field as a trailer. The client decides which trailer fields it heeds (RFC 9110 section 6.5.1).
    @Sendable private static func trailers(_ exchange: Exchange) async throws -> Response {
        var pairs = try exchange.arguments().all
        guard pairs.count <= fieldLimit else { throw Problem(400, "more than \(fieldLimit) fields") }
        if pairs.isEmpty { pairs = [("X-Swallow", "came late")] }
        var fields = HTTPFields()
        for (name, value) in pairs {
            guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw Problem(400, "not a field: \(name)")
            }
            fields.append(HTTPField(name: fieldName, value: value))
        }
        let names = pairs.map(\.name).joined(separator: ", ")
        let json = JSON.object([("trailers", .object(pairs.map { ($0.name, .string($0.value)) }))])
        let trailers = fields
        let body = ResponseBody { writer in
            try await writer.write(ByteBuffer(bytes: json.pretty))
            try await writer.finish(trailers)
        }
        return Response(
            status: .ok, headers: [.contentType: "application/json", .trailer: names], body: body)
    }

    private static func earlyHints(_ exchange: Exchange) async throws -> Response {
        let parameters = try exchange.arguments()
        var links = parameters.all.filter { $0.name == "link" }.map(\.value)
        guard links.count <= fieldLimit else { throw Problem(400, "more than \(fieldLimit) fields") }
        if links.isEmpty {
            links = ["</style.css>; rel=preload; as=style", "</script.js>; rel=preload; as=script"]
        }
        guard links.allSatisfy(HTTPField.isValidValue), let name = HTTPField.Name("Link") else {
            throw Problem(400, "not a field's value")
        }
        let delay = try Number.seconds(parameters.parameter("delay"), limit: secondLimit)
        try await exchange.connection.sendInterim(103, reason: "Early Hints", fields: links.map { ("Link", $0) })
        try await exchange.connection.pause(for: .seconds(delay))

        var response = try Reply.json(["links": .array(links.map(JSON.string))])
        for link in links { response.headers.append(HTTPField(name: name, value: link)) }
        return response
    }

    private static func slowHeaders(_ exchange: Exchange, over seconds: Double) async throws -> Response {
        let response = try Reply.json(Inspection(headOf: exchange).json(.url, .args, .headers, .origin))
        try await exchange.connection.dripHead(over: .nanoseconds(Int64(seconds * 1e9)))
        return response
    }

    /// Closes the connection after the last byte; a stream of HTTP/2 is reset with INTERNAL_ERROR. `announce` is the
    /// length in the head, by default 2 n + 1. With `chunked=true` the body comes in one chunk, and the last chunk of
    /// length zero is missing.
    @Sendable private static func truncate(_ exchange: Exchange) async throws -> Response {
        guard let asked = Number.digits(exchange.parameters[0]) else { throw Problem(404, "not a count") }
        let count = min(asked, byteLimit)
        let parameters = try exchange.arguments()
        let isChunked = parameters.parameter("chunked")?.lowercased() == "true"
        let announced = try Number.count(parameters.parameter("announce"), default: 2 * count + 1, limit: .max)
        guard isChunked || announced > count else { throw Problem(400, "announce must be more than \(count) bytes") }

        try await exchange.connection.cutAnswer()
        let body = ResponseBody(contentLength: isChunked ? nil : announced) { writer in
            try await writer.write(ByteBuffer(repeating: UInt8(ascii: "*"), count: count))
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }
}

#endif
