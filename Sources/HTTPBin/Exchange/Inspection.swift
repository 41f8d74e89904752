// Inspection: the description of a request that httpbin gives to its sender.
#if Server
import HTTPTypes

struct Inspection {
    enum Member: String {
        case args, data, files, form, headers, json, method, origin, url
    }

    private let members: [Member: JSON]

    /// Fields that a hosting platform adds. They are shown only if the query asks with `show_env`.
    private static let environment: Set<String> = [
        "X-Varnish", "X-Request-Start", "X-Heroku-Queue-Depth", "X-Real-Ip", "X-Forwarded-Proto",
        "X-Forwarded-Protocol", "X-Forwarded-Ssl", "X-Heroku-Queue-Wait-Time", "X-Forwarded-For",
        "X-Heroku-Dynos-In-Use", "X-Forwarded-Port", "X-Request-Id", "Via", "Total-Route-Time", "Connect-Time",
    ]

    /// Describes everything except the body.
    init(headOf exchange: Exchange) throws {
        members = try Self.head(exchange)
    }

    /// Describes the whole request, with the body read by its content type.
    init(_ exchange: Exchange) async throws {
        var members = try Self.head(exchange)
        let body = try await exchange.body()
        let form = try FormBody(body, contentType: exchange.field(.contentType) ?? "")
        let data = form.isForm ? [] : body
        members[.data] = .string(String(readableOr: "application/octet-stream", data))
        members[.json] = JSONParser.parse(data) ?? .null
        members[.form] = form.fields.json
        // Of several files with one name, httpbin shows the first.
        var seen: Set<[UInt8]> = []
        members[.files] = .object(
            form.files.filter { seen.insert(Array($0.name.utf8)).inserted }.map {
                ($0.name, .string(String(readableOr: $0.mediaType, $0.content)))
            })
        self.members = members
    }

    func json(_ names: Member..., with others: [(String, JSON)] = []) -> JSON {
        .object(names.map { ($0.rawValue, members[$0] ?? .null) } + others)
    }

    private static func head(_ exchange: Exchange) throws -> [Member: JSON] {
        let arguments = try exchange.arguments()
        let hides = arguments.first("show_env") == nil
        let fields = exchange.fields.filter { !(hides && environment.contains($0.name)) }
        return [
            .args: arguments.json,
            .headers: .object(fields.map { ($0.name, .string($0.value)) }),
            .method: .string(exchange.method),
            .origin: .string(exchange.origin),
            .url: .string(exchange.target.url(scheme: exchange.scheme, host: exchange.host)),
        ]
    }
}

#endif
