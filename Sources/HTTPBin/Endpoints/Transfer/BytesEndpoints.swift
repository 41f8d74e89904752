// BytesEndpoints: /bytes/{n} and /stream-bytes/{n}, random bytes that equal httpbin's for the same seed.
#if Server
import HummingbirdCore

enum BytesEndpoints {
    private static let limit = 100 * 1024
    private static let type = "application/octet-stream"

    static let routes = [
        Route("/bytes/{n}", "n random bytes, at most \(limit); with seed always the same") { exchange in
            try Reply.bytes(bytes(exchange), type: type)
        },
        Route("/stream-bytes/{n}", "the same in chunks of chunk_size bytes") { exchange in
            let size = try chunkSize(exchange)
            let bytes = try bytes(exchange)
            // The quotient is rounded up without a sum, which could overflow.
            let count = bytes.count / size + (bytes.count % size > 0 ? 1 : 0)
            return try Reply.pieces(count, type: type, to: exchange) { index in
                Array(bytes.dropFirst(index * size).prefix(size))
            }
        },
    ]

    /// The parameter `chunk_size`, at least 1; by default 10 KiB.
    static func chunkSize(_ exchange: Exchange) throws -> Int {
        guard let text = try exchange.arguments().parameter("chunk_size") else { return 10 * 1024 }
        guard let size = Number.integer(text) else { throw Problem(400, "not an integer: chunk_size") }
        return max(1, size)
    }

    private static func bytes(_ exchange: Exchange) throws -> [UInt8] {
        guard let asked = Number.digits(exchange.parameters[0]) else { throw Problem(404, "not a count") }
        return try RandomBytes.make(min(asked, limit), seed: exchange.arguments().parameter("seed"))
    }
}

#endif
