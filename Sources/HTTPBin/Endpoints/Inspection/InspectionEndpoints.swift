// InspectionEndpoints: /headers, /ip, /user-agent, /uuid and /response-headers.
#if Server
import HTTPTypes
import HummingbirdCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum InspectionEndpoints {
    private static let fieldLimit = 500

    static let routes = [
        Route("/headers", "the fields that arrived") { exchange in
            try Reply.json(Inspection(headOf: exchange).json(.headers))
        },
        Route("/ip", "the sender's address") { exchange in
            try Reply.json(["origin": .string(exchange.origin)])
        },
        Route("/user-agent", "the User-Agent field") { exchange in
            try Reply.json(["user-agent": exchange.field(.userAgent).map(JSON.string) ?? .null])
        },
        Route("/uuid", "a random UUID") { _ in
            try Reply.json(["uuid": .string(UUID().uuidString.lowercased())])
        },
        Route(
            "/response-headers", "the query's pairs as fields of the answer", methods: .only(["GET", "POST"]),
            endpoint: fields),
    ]

    /// The body shows the response's own fields, Content-Length among them, so the body is made again until its length
    /// fits.
    @Sendable private static func fields(_ exchange: Exchange) async throws -> Response {
        let asked = try exchange.arguments()
        guard asked.all.count <= fieldLimit else { throw Problem(400, "more than \(fieldLimit) fields") }
        var added: HTTPFields = [:]
        for (name, value) in asked.all {
            guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw Problem(400, "not a field: \(name)")
            }
            // A client cannot set the fields that frame the response.
            if fieldName == .contentLength || fieldName == .transferEncoding || fieldName == .connection { continue }
            added.append(HTTPField(name: fieldName, value: value))
        }

        var length = 0
        while true {
            let own = [("Content-Type", "application/json"), ("Content-Length", "\(length)")]
            let body = listing(own + asked.all).pretty
            guard body.count != length else {
                var fields: HTTPFields = [.contentType: "application/json"]
                fields.append(contentsOf: added)
                return try Reply.bytes(body, type: nil, fields: fields)
            }
            // The length only grows, so that the loop also ends where no length fits exactly.
            length = max(length + 1, body.count)
        }
    }

    /// Under each spelling of a name this lists all values of the name in any spelling, as Werkzeug's headers do.
    private static func listing(_ fields: [(name: String, value: String)]) -> JSON {
        let values = Dictionary(grouping: fields) { $0.name.lowercased() }
        return .object(
            fields.map { field in
                let all = (values[field.name.lowercased()] ?? []).map { JSON.string($0.value) }
                return (field.name, all.count == 1 ? all[0] : .array(all))
            })
    }
}

#endif
