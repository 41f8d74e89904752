// DigestEndpoint: /digest-auth/{qop}/{user}/{password}/{algorithm}/{stale_after}, Digest authentication (RFC 7616).
#if Server
import HTTPTypes
import HummingbirdCore

/// Keeps no state between requests. As in httpbin, the state goes to the client as cookies and comes back.
///
/// The cookie `stale_after` counts the exchanges until a nonce is stale, and `last_nonce` names a refused nonce. With
/// the argument `require-cookie` the endpoint refuses a client that keeps no cookies.
enum DigestEndpoint {
    static let routes = [
        Route("/digest-auth/{qop}/{user}/{password}", "200 with these Digest credentials (MD5), else 401") {
            try await answer($0)
        },
        Route("/digest-auth/{qop}/{user}/{password}/{algorithm}", "the same with MD5, SHA-256 or SHA-512") {
            try await answer($0)
        },
        Route(
            "/digest-auth/{qop}/{user}/{password}/{algorithm}/{stale_after}",
            "the same with a nonce that is stale after the given exchanges"
        ) {
            try await answer($0)
        },
    ]

    /// httpbin's realm, so that hashes computed beforehand from name, realm and password fit here too.
    private static let realm = "me@kennethreitz.com"

    private static func answer(_ exchange: Exchange) async throws -> Response {
        let cookies = CookieEndpoints.received(exchange)
        func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }

        let needsCookie = try requiresCookie(exchange)
        let field = exchange.field(.authorization) ?? ""
        let credentials = AuthenticationParameters(field)
        if credentials.scheme != "digest" || needsCookie && exchange.field(.cookie) == nil {
            return try challenge(exchange)
        }
        if needsCookie, cookie("fake") != "fake_value" {
            let missing: JSON = ["errors": ["missing cookie set on challenge"]]
            return setting([("fake", "fake_value")], in: try Reply.json(missing, status: 403))
        }

        // RFC 7616 section 3.4: missing or improper parameters get a status other than 401.
        guard let nonce = credentials["nonce"].map({ String(decoding: $0, as: UTF8.self) }) else {
            throw Problem(400, "credentials without a nonce")
        }
        if cookie("last_nonce") == nonce || cookie("stale_after") == "0" {
            return try challenge(exchange, stale: true, lastNonce: nonce)
        }
        guard try await isProven(credentials, exchange) else {
            return try challenge(exchange, lastNonce: nonce)
        }
        let response = try Reply.json(["authenticated": true, "user": .string(exchange.parameters[1])])
        var set = [("fake", "fake_value")]
        if let count = cookie("stale_after") { set.append(("stale_after", counted(down: count))) }
        return setting(set, in: response)
    }

    private static func requiresCookie(_ exchange: Exchange) throws -> Bool {
        let argument = try exchange.arguments().first("require-cookie")?.lowercased()
        return ["1", "t", "true"].contains(argument)
    }

    /// The number less one. A text that is no number never becomes stale.
    private static func counted(down text: String) -> String {
        guard let count = Number.integer(text), count > .min, count < .max else { return "never" }
        return "\(count - 1)"
    }

    // MARK: - The challenge

    private static func challenge(
        _ exchange: Exchange, stale: Bool = false, lastNonce: String? = nil
    ) throws -> Response {
        let given = exchange.parameters
        let qop = ["auth", "auth-int"].contains(given[0]) ? given[0] : "auth, auth-int"
        let algorithm = DigestAlgorithm(named: given.dropFirst(3).first)
        func random() -> String { String(decoding: algorithm.hash(RandomBytes.make(16)), as: UTF8.self) }
        let parameters = [
            #"realm="\#(realm)""#, #"nonce="\#(random())""#, #"opaque="\#(random())""#, #"qop="\#(qop)""#,
            "algorithm=\(algorithm.rawValue)", "stale=\(stale ? "True" : "False")",
        ]
        let field = "Digest " + parameters.joined(separator: ", ")
        var cookies = [("stale_after", given.dropFirst(4).first ?? "never")]
        if let lastNonce { cookies.append(("last_nonce", lastNonce)) }
        cookies.append(("fake", "fake_value"))
        return setting(cookies, in: try Reply.empty(status: 401, fields: [.wwwAuthenticate: field]))
    }

    private static func setting(_ cookies: [(String, String)], in response: Response) -> Response {
        var response = response
        for (name, value) in cookies {
            response.headers.append(HTTPField(name: .setCookie, value: "\(name)=\(Cookie.written(value)); Path=/"))
        }
        return response
    }

    // MARK: - The response of the client

    /// Whether the credentials hold the user name and the response that RFC 7616 section 3.4.1 describes. The client
    /// names the algorithm and the quality of protection that it has used.
    private static func isProven(_ credentials: AuthenticationParameters, _ exchange: Exchange) async throws -> Bool {
        func needed(_ name: String) throws -> [UInt8] {
            guard let value = credentials[name] else { throw Problem(400, "credentials without \(name)") }
            return value
        }
        let algorithm = DigestAlgorithm(named: credentials["algorithm"].map { String(decoding: $0, as: UTF8.self) })
        let user = try needed("username")
        let secret = algorithm.hash(user, credentials["realm"] ?? [], Array(exchange.parameters[2].utf8))
        let method = Array(exchange.method.utf8)
        let target = Array((exchange.request.head.path ?? "/").utf8)
        var parts = [secret, try needed("nonce")]
        switch credentials["qop"].map({ String(decoding: $0, as: UTF8.self) }) {
        case nil:
            parts.append(algorithm.hash(method, target))
        case "auth":
            parts += [try needed("nc"), try needed("cnonce"), Array("auth".utf8), algorithm.hash(method, target)]
        case "auth-int":
            let body = algorithm.hash(try await exchange.body())
            parts += [try needed("nc"), try needed("cnonce"), Array("auth-int".utf8)]
            parts.append(algorithm.hash(method, target, body))
        default:
            throw Problem(400, "an unknown qop")
        }
        // httpbin accepts any name whose hash fits; here a client that sends a wrong name learns of its fault.
        return credentials["response"] == algorithm.hash(parts) && user.elementsEqual(exchange.parameters[1].utf8)
    }
}

#endif
