// /bytes/{n}: random bytes, the same ones for the same seed as httpbin's.
#if Server
import HummingbirdCore

enum BytesEndpoints {
    private static let limit = 100 * 1024

    static let routes = [
        Route("/bytes/{n}", "n random bytes, at most \(limit); with seed always the same") { exchange in
            guard let asked = Number.digits(exchange.parameters[0]) else { throw Problem(404, "not a count") }
            let count = min(asked, limit)
            if let seed = try exchange.arguments().parameter("seed") {
                guard var generator = MersenneTwister(seed: seed) else { throw Problem(400, "not an integer: seed") }
                return try answer((0..<count).map { _ in generator.byte() })
            }
            var generator = SystemRandomNumberGenerator()
            return try answer((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }
    ]

    private static func answer(_ bytes: [UInt8]) throws -> Response {
        try Reply.bytes(bytes, type: "application/octet-stream")
    }
}

#endif
