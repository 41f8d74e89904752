// /gzip and /deflate: a request shown to its sender in a content coding.
#if Server
import HTTPTypes
import HummingbirdCore

enum CodingEndpoints {
    static let routes = [
        Route("/gzip", "JSON in gzip") { try coded($0, as: .gzip, name: "gzip", member: "gzipped") },
        Route("/deflate", "JSON in deflate") { try coded($0, as: .zlib, name: "deflate", member: "deflated") },
    ]

    private static func coded(
        _ exchange: Exchange, as format: Deflater.Format, name: String, member: String
    ) throws -> Response {
        let json = try Inspection(headOf: exchange).json(.origin, .headers, .method, with: [(member, true)])
        return try Reply.bytes(
            Deflater.compress(json.pretty, as: format), type: "application/json", fields: [.contentEncoding: name])
    }
}

#endif
