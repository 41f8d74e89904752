// /headers, /ip, /user-agent, /uuid and /response-headers.
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

    /// The body shows the fields of the answer, its own length among them, so it is made again until that fits.
    @Sendable private static func fields(_ exchange: Exchange) async throws -> Response {
        let asked = try exchange.arguments()
        guard asked.all.count <= fieldLimit else { throw Problem(400, "more than \(fieldLimit) fields") }
        var added: HTTPFields = [:]
        for (name, value) in asked.all {
            guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw Problem(400, "not a field: \(name)")
            }
            // What frames the answer cannot be had from outside.
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
            // Only ever grows, so that it ends also where no length fits exactly.
            length = max(length + 1, body.count)
        }
    }

    /// Under each spelling of a name all values of that name in any spelling, as Werkzeug's headers give them.
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
