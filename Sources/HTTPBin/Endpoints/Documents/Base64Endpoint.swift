// Base64Endpoint: /base64/{value}, the decoded text of a base64 value.
#if Server
import HummingbirdCore

enum Base64Endpoint {
    static let routes = [
        Route("/base64/{value}", "the decoded text of value, which is base64 in either alphabet") { exchange in
            let decoded = Base64.decode(exchange.parameters[0].utf8).flatMap { String(validating: $0, as: UTF8.self) }
            // The content is part of httpbin's interface.
            let text = decoded ?? "Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l"
            return try Reply.text(text, type: "text/html; charset=utf-8")
        }
    ]
}

#endif
