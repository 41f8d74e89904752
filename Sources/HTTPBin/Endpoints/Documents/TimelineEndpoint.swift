// TimelineEndpoint: /timeline/{user}.xml, statuses in the format of Twitter's first API.
#if Server
import HummingbirdCore

enum TimelineEndpoint {
    private static let type = "application/xml; charset=utf-8"
    private static let texts = [
        "燕が帰ってきた。巣は去年のまま。", "Fish & chips < 10 km from here, \"crisp\" & hot", "飛ぶ鳥を見ている 🐦",
    ]

    static let routes = [
        Route("/timeline/{user}.xml", "a user's statuses as XML; 404 for the user nobody") { exchange in
            let user = exchange.parameters[0]
            guard let name = escaped(user) else { throw Problem(400, "the user name is not valid in XML") }
            guard user != "nobody" else {
                let error = "<hash>\n  <request>/timeline/nobody.xml</request>\n  <error>Not found</error>\n</hash>\n"
                return try Reply.text(declaration + error, type: type, status: 404)
            }
            let count = try Number.count(exchange.arguments().parameter("count"), default: texts.count, limit: 200)
            let statuses = (0..<count).map { status($0, by: name) }.joined()
            let xml = declaration + "<statuses type=\"array\">\n\(statuses)</statuses>\n"
            return try Reply.text(xml, type: type)
        }
    ]

    private static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    private static func status(_ index: Int, by name: String) -> String {
        let minute = index % 60 < 10 ? "0\(index % 60)" : "\(index % 60)"
        return """
              <status>
                <created_at>Sat Apr 10 09:\(minute):00 +0000 2010</created_at>
                <id>\(12_000_000_000 - index)</id>
                <text>\(escaped(texts[index % texts.count]) ?? "")</text>
                <source>web</source>
                <favorited>\(index % 2 == 1)</favorited>
                <user>
                  <id>\(7_000_000)</id>
                  <name>\(name)</name>
                  <screen_name>\(name)</screen_name>
                  <followers_count>\(100 + index)</followers_count>
                </user>
              </status>

            """
    }

    /// The text with XML's special characters escaped; nil if it holds a character that XML 1.0 excludes (section 2.2).
    private static func escaped(_ text: String) -> String? {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            // XML parsers turn unescaped ones into spaces or line feeds.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                result.unicodeScalars.append(scalar)
            default: return nil
            }
        }
        return result
    }
}

#endif
