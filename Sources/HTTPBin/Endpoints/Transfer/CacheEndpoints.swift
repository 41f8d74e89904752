// CacheEndpoints: /cache, /cache/{seconds} and /etag/{etag}, freshness and validators.
#if Server
import HTTPTypes
import HummingbirdCore

enum CacheEndpoints {
    static let routes = [
        Route("/cache", "304 if the request is conditional, else the response of /get with validators") { exchange in
            // An empty If-Modified-Since has no effect, but an empty If-None-Match has.
            let since = exchange.field(.ifModifiedSince) ?? ""
            guard since.isEmpty, exchange.field(.ifNoneMatch) == nil else { return try StatusEndpoints.answer(304) }
            let tag = String(decoding: Hexadecimal.lowercase(RandomBytes.make(16)), as: UTF8.self)
            return try shown(exchange, with: [.lastModified: HTTPDate.now(), .eTag: tag])
        },
        Route("/cache/{seconds}", "the response of /get, fresh for the given seconds") { exchange in
            guard let seconds = Number.canonical(exchange.parameters[0]) else { throw Problem(404, "not a count") }
            return try shown(exchange, with: [.cacheControl: "public, max-age=\(seconds)"])
        },
        Route("/etag/{etag}", "what /get gives, by If-None-Match and If-Match", endpoint: tagged),
    ]

    /// The tag is sent as the client gave it, without added quotation marks, as httpbin sends it.
    @Sendable private static func tagged(_ exchange: Exchange) async throws -> Response {
        let tag = exchange.parameters[0]
        guard HTTPField.isValidValue(tag) else { throw Problem(400, "not a field's value") }
        func names(_ tags: [String]) -> Bool {
            tags.contains { $0.utf8.elementsEqual(tag.utf8) || $0 == "*" }
        }

        let noneMatch = tags(exchange.field(.ifNoneMatch))
        let match = tags(exchange.field(.ifMatch))
        if names(noneMatch) {
            var response = try StatusEndpoints.answer(304)
            response.headers[.eTag] = tag
            return response
        }
        // If-None-Match takes precedence over If-Match.
        if noneMatch.isEmpty, !match.isEmpty, !names(match) { return try StatusEndpoints.answer(412) }
        return try shown(exchange, with: [.eTag: tag])
    }

    /// The tags of a list, without quotation marks and without the prefix of weak tags.
    private static func tags(_ field: String?) -> [String] {
        guard let field, !field.isEmpty else { return [] }
        return field.split(separator: ",", omittingEmptySubsequences: false).map { item in
            var tag = item.drop { $0 == " " || $0 == "\t" }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            if tag.first == "\"" { tag = tag.dropFirst() }
            return String(tag.prefix { $0 != "\"" })
        }
    }

    private static func shown(_ exchange: Exchange, with fields: HTTPFields) throws -> Response {
        try Reply.json(Inspection(headOf: exchange).json(.url, .args, .headers, .origin), fields: fields)
    }
}

#endif
