// AuthenticationEndpoints: /basic-auth/{user}/{password}, /hidden-basic-auth/{user}/{password} and /bearer.
#if Server
import HTTPTypes
import HummingbirdCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum AuthenticationEndpoints {
    static let routes = [
        Route("/basic-auth/{user}/{password}", "200 with these Basic credentials, else 401") { exchange in
            try basic(exchange, refusal: 401)
        },
        Route("/hidden-basic-auth/{user}/{password}", "the same with 404, so that browsers do not ask") { exchange in
            try basic(exchange, refusal: 404)
        },
        Route("/bearer", "200 with any bearer token, else 401") { exchange in
            guard let field = exchange.field(.authorization), field.hasPrefix("Bearer ") else {
                return try Reply.empty(status: 401, fields: [.wwwAuthenticate: "Bearer"])
            }
            return try Reply.json(["authenticated": true, "token": .string(String(field.dropFirst("Bearer ".count)))])
        },
    ]

    private static func basic(_ exchange: Exchange, refusal: Int) throws -> Response {
        let user = exchange.parameters[0]
        let wanted = "\(user):\(exchange.parameters[1])"
        guard let given = basicCredentials(exchange), given.utf8.elementsEqual(wanted.utf8),
            // The name ends at the first colon (RFC 7617 section 2), so no client can send a name that holds a colon.
            !user.utf8.contains(UInt8(ascii: ":"))
        else { return try StatusEndpoints.answer(refusal) }
        return try Reply.json(["authenticated": true, "user": .string(user)])
    }

    private static func basicCredentials(_ exchange: Exchange) -> String? {
        guard let field = exchange.field(.authorization), let space = field.firstIndex(of: " "),
            field[..<space].lowercased() == "basic",
            let data = Data(base64Encoded: String(field[space...].dropFirst()).trimmed),
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        // Without a colon the whole text is the name, and the password is empty.
        return text.utf8.contains(UInt8(ascii: ":")) ? text : text + ":"
    }
}

#endif
