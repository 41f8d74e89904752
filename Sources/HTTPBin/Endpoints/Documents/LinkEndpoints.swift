// LinkEndpoints: /links/{n}/{offset}, pages that link to each other.
#if Server
import HummingbirdCore

enum LinkEndpoints {
    private static let limit = 200

    static let routes = [
        Route("/links/{n}", "a redirect to the first of n pages") { exchange in
            guard let count = Number.canonical(exchange.parameters[0]) else { throw Problem(404, "not a count") }
            return try RedirectEndpoints.found("/links/\(count)/0")
        },
        Route("/links/{n}/{offset}", "one of n pages, at most \(limit), with links to the others") { exchange in
            guard let asked = Number.digits(exchange.parameters[0]), let offset = Number.digits(exchange.parameters[1])
            else { throw Problem(404, "not a count") }
            let count = min(max(1, asked), limit)
            let links = (0..<count).map { index in
                index == offset ? "\(index)" : "<a href=\"/links/\(count)/\(index)\">\(index)</a>"
            }
            let text = "<p>\(links.joined(separator: "\n"))</p>"
            let page = "<!DOCTYPE html>\n<html lang=\"en\"><title>Links</title>\n\(text)\n</html>\n"
            return try Reply.text(page, type: "text/html; charset=utf-8")
        },
    ]
}

#endif
