// CookieEndpoints: /cookies, /cookies/set, /cookies/set/{name}/{value} and /cookies/delete.
#if Server
import HTTPTypes
import HummingbirdCore

enum CookieEndpoints {
    private static let limit = 200
    /// Cookies of analytics services. They are shown only if the query asks with `show_env`.
    private static let environment: Set<String> = [
        "_gauges_unique", "_gauges_unique_year", "_gauges_unique_month", "_gauges_unique_day", "_gauges_unique_hour",
        "__utmz", "__utma", "__utmb",
    ]

    static let routes = [
        Route("/cookies", "the cookies that arrived") { exchange in
            let hides = try exchange.arguments().first("show_env") == nil
            let cookies = received(exchange).filter { !(hides && environment.contains($0.name)) }
            return try Reply.json(["cookies": .object(cookies.map { ($0.name, .string($0.value)) })])
        },
        Route("/cookies/set", "sets the query's pairs as cookies, then redirects to /cookies") { exchange in
            let mark = secureMark(exchange)
            return try set(exchange.arguments().firsts) { "\(Cookie.written($0))\(mark); Path=/" }
        },
        Route("/cookies/set/{name}/{value}", "sets one cookie, then redirects to /cookies") { exchange in
            let mark = secureMark(exchange)
            return try set([(exchange.parameters[0], exchange.parameters[1])]) {
                "\(Cookie.written($0))\(mark); Path=/"
            }
        },
        Route("/cookies/delete", "deletes the cookies that the query names, then redirects to /cookies") { exchange in
            try set(exchange.arguments().firsts) { _ in "; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/" }
        },
    ]

    static func received(_ exchange: Exchange) -> [(name: String, value: String)] {
        // Several Cookie fields are one list (RFC 9113 section 8.2.3); a comma would become part of a value.
        let fields = exchange.request.headers[fields: .cookie].map { $0.withUnsafeBytesOfValue { String(latin1: $0) } }
        return Cookie.parse(fields.joined(separator: "; "))
    }

    private static func secureMark(_ exchange: Exchange) -> String {
        exchange.scheme == "https" ? "; Secure" : ""
    }

    private static func set(
        _ pairs: [(name: String, value: String)], written: (String) -> String
    ) throws -> Response {
        guard pairs.count <= limit else { throw Problem(400, "more than \(limit) cookies") }
        var response = try RedirectEndpoints.found("/cookies")
        for (name, value) in pairs {
            // A cookie's name is a token, like a field's name.
            guard HTTPField.Name(name) != nil else { throw Problem(400, "not a cookie's name: \(name)") }
            response.headers.append(HTTPField(name: .setCookie, value: "\(name)=\(written(value))"))
        }
        return response
    }
}

#endif
