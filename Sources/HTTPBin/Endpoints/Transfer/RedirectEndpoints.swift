// RedirectEndpoints: /redirect/{n}, /relative-redirect/{n}, /absolute-redirect/{n} and /redirect-to.
#if Server
import HTTPTypes
import HummingbirdCore

enum RedirectEndpoints {
    static let routes = [
        Route("/redirect/{n}", "n redirects to /get; absolute=true for whole URLs") { exchange in
            let isAbsolute = try exchange.arguments().first("absolute")?.lowercased() == "true"
            return try redirect(exchange, absolute: isAbsolute)
        },
        Route("/relative-redirect/{n}", "n redirects to /get by path") { exchange in
            try redirect(exchange, absolute: false)
        },
        Route("/absolute-redirect/{n}", "n redirects to /get by whole URL") { exchange in
            try redirect(exchange, absolute: true)
        },
        Route(
            "/redirect-to", "a redirect to the parameter url, with status_code if given", methods: .all,
            endpoint: redirectTo),
    ]

    private static func redirect(_ exchange: Exchange, absolute: Bool) throws -> Response {
        guard let count = Number.digits(exchange.parameters[0]) else { throw Problem(404, "not a count") }
        guard count > 0, count < .max else { throw Problem(400, "the count of redirects is too small or too large") }
        let kind = absolute ? "absolute" : "relative"
        let path = count == 1 ? "/get" : "/\(kind)-redirect/\(count - 1)"
        return try found(absolute ? "\(exchange.scheme)://\(exchange.host)\(path)" : path)
    }

    /// A 302 response with this location.
    static func found(_ location: String) throws -> Response {
        try Reply.empty(status: 302, fields: [.location: location])
    }

    @Sendable private static func redirectTo(_ exchange: Exchange) async throws -> Response {
        var parameters = try exchange.arguments()
        if parameters.parameter("url") == nil { parameters = try await exchange.form().fields }
        guard let url = parameters.parameter("url") else { throw Problem(400, "the parameter url is missing") }
        guard url.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Problem(400, "the URL contains control characters")
        }
        var status = 302
        if let text = parameters.parameter("status_code") {
            guard let code = Int(text) else { throw Problem(400, "not a status: \(text)") }
            if (300..<400).contains(code) { status = code }
        }
        // The characters of a URI stay and others are encoded, because a Location is ASCII.
        let location = PercentCoding.encode(url.utf8, keeping: "%!#$&'()*+,/:;=?@[]")
        return try Reply.empty(status: status, fields: [.location: String(decoding: location, as: UTF8.self)])
    }
}

#endif
