// MethodEndpoints: /get, /post, /put, /patch, /query, /delete and /anything, which describe the request to its sender.
#if Server
import HummingbirdCore

enum MethodEndpoints {
    static let routes = [
        Route("/get", "what a GET brought: args, headers, origin, url") { exchange in
            try Reply.json(Inspection(headOf: exchange).json(.url, .args, .headers, .origin))
        },
        Route("/post", "what a POST brought: also data, files, form, json", methods: .only(["POST"]), endpoint: body),
        Route("/put", "the same for PUT", methods: .only(["PUT"]), endpoint: body),
        Route("/patch", "the same for PATCH", methods: .only(["PATCH"]), endpoint: body),
        Route("/query", "the same for QUERY (RFC 10008)", methods: .only(["QUERY"]), endpoint: body),
        Route("/delete", "the same for DELETE", methods: .only(["DELETE"]), endpoint: body),
        Route("/anything", "the same for any method, with the method", methods: .any, endpoint: anything),
        Route("/anything/{rest}", "the same for any path below", methods: .any, endpoint: anything),
    ]

    @Sendable private static func body(_ exchange: Exchange) async throws -> Response {
        let inspection = try await Inspection(exchange)
        return try Reply.json(inspection.json(.url, .args, .form, .data, .origin, .headers, .files, .json))
    }

    @Sendable private static func anything(_ exchange: Exchange) async throws -> Response {
        let inspection = try await Inspection(exchange)
        return try Reply.json(inspection.json(.url, .args, .form, .data, .origin, .headers, .files, .json, .method))
    }
}

#endif
