// StatusEndpoints: /status/{codes}, a status, or one of several chosen by weight.
#if Server
import HTTPTypes
import HummingbirdCore

enum StatusEndpoints {
    static let routes = [
        Route("/status/{codes}", "a status; of several (200:3,500:1) one by weight", methods: .all) { exchange in
            try answer(code(in: exchange.parameters[0]))
        }
    ]

    private static func code(in text: String) throws -> Int {
        guard text.contains(",") else {
            guard let code = Int(text.trimmed) else { throw Problem(400, "Invalid status code") }
            return code
        }
        let choices = try text.split(separator: ",", omittingEmptySubsequences: false).map { choice in
            let pieces = choice.split(separator: ":", omittingEmptySubsequences: false)
            let weight = pieces.count == 1 ? 1 : Double(pieces[1])
            guard pieces.count <= 2, let code = Int(String(pieces[0]).trimmed), let weight, weight >= 0, weight.isFinite
            else { throw Problem(400, "Invalid status code") }
            return (code: code, weight: weight)
        }
        let total = choices.reduce(0) { $0 + $1.weight }
        guard total > 0, total.isFinite else { throw Problem(400, "Invalid status code") }
        var place = Double.random(in: 0..<total)
        for choice in choices {
            place -= choice.weight
            if place < 0 { return choice.code }
        }
        return choices[choices.count - 1].code
    }

    /// The status with the fields and the content that httpbin adds to some statuses.
    static func answer(_ code: Int) throws -> Response {
        let status = try Reply.status(code)
        switch code {
        case 301, 302, 303, 305, 307:
            return Response(status: status, headers: [.location: "/redirect/1"])
        case 401:
            return Response(status: status, headers: [.wwwAuthenticate: #"Basic realm="Fake Realm""#])
        case 407:
            return Response(status: status, headers: [.proxyAuthenticate: #"Basic realm="Fake Realm""#])
        case 402:
            return try Reply.text("This one is not free.\n", status: code)
        case 406:
            // The content is part of httpbin's interface.
            let types: [JSON] = ["image/webp", "image/svg+xml", "image/jpeg", "image/png", "image/*"]
            let message: JSON = "Client did not request a supported media type."
            return try Reply.json(["message": message, "accept": .array(types)], status: code)
        case 418:
            return try Reply.text("No coffee here: short and stout.\n", status: code)
        case 304:
            return Response(status: status)
        default:
            return try Reply.empty(status: code)
        }
    }
}

#endif
