// CodingEndpoints: /gzip, /deflate and /brotli, the inspected request in a content coding.
#if Server
import HTTPTypes
import HummingbirdCore

enum CodingEndpoints {
    static let routes = [
        Route("/gzip", "JSON in gzip") { exchange in
            try coded(exchange, name: "gzip", member: "gzipped") { try Deflater.compress($0, as: .gzip) }
        },
        Route("/deflate", "JSON in deflate") { exchange in
            try coded(exchange, name: "deflate", member: "deflated") { try Deflater.compress($0, as: .zlib) }
        },
        Route("/brotli", "JSON in brotli; 501 where libbrotlienc is not installed") { exchange in
            guard let encoder = BrotliEncoder.installed else {
                let error: JSON = "brotli's encoder is not installed at the server: it needs libbrotlienc"
                return try Reply.json(["error": error], status: 501)
            }
            return try coded(exchange, name: "br", member: "brotli", by: encoder.compress)
        },
    ]

    private static func coded(
        _ exchange: Exchange, name: String, member: String, by compress: ([UInt8]) throws -> [UInt8]
    ) throws -> Response {
        let json = try Inspection(headOf: exchange).json(.origin, .headers, .method, with: [(member, true)])
        return try Reply.bytes(
            compress(json.pretty), type: "application/json", fields: [.contentEncoding: name])
    }
}

#endif
