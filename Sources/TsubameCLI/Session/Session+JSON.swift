// Session+JSON: reads and writes a session in HTTPie's JSON layout, and reads its older form.

import Tsubame
import TsubameRequestFiles

/// The error for the content of a session file: the place, and what is wrong with it.
struct SessionProblem: Error, CustomStringConvertible {
    let description: String

    init(_ place: String, _ what: String) { description = "\(place) \(what)" }
}

extension Session {
    // MARK: Reading

    /// - Parameter host: the host for cookies without a domain, which older files contain. The session binds them to
    ///   it.
    init(_ json: JSONValue, host: String) throws(SessionProblem) {
        guard case .object = json else { throw SessionProblem("the file", "is not a JSON object") }
        fields = try Self.entries(of: json["headers"], "headers").map { entry throws(SessionProblem) in
            try Self.field(entry)
        }
        // Another tool may have written another form of owner, which the jar does not accept.
        if case .string(let text)? = json["__meta__"]?["owner"] { owner = text }
        auth = try Self.auth(json["auth"])
        cookies = try Self.entries(of: json["cookies"], "cookies").map { entry throws(SessionProblem) in
            try Self.cookie(entry, host: host)
        }
    }

    /// One element of a list, with its name, which newer and older files store in different places.
    private struct Entry {
        let place: String
        let name: String
        let value: JSONValue

        /// - Returns: nil for a missing member and for null.
        func text(_ member: String) throws(SessionProblem) -> String? {
            switch value[member] {
            case nil, .null: return nil
            case .string(let text): return text
            default: throw SessionProblem("\(place).\(member)", "is not a string")
            }
        }
    }

    /// The elements of a list of objects with a `name` each, or in older files of an object with a member for each.
    private static func entries(of json: JSONValue?, _ place: String) throws(SessionProblem) -> [Entry] {
        switch json {
        case nil, .null: return []
        case .object(let members):
            return members.map { Entry(place: "\(place).\($0.name)", name: $0.name, value: $0.value) }
        case .array(let values):
            return try values.enumerated().map { number, value throws(SessionProblem) in
                let place = "\(place)[\(number)]"
                guard case .object = value else { throw SessionProblem(place, "is not a JSON object") }
                guard case .string(let name)? = value["name"] else {
                    throw SessionProblem("\(place).name", "is not a string")
                }
                return Entry(place: place, name: name, value: value)
            }
        default: throw SessionProblem(place, "is neither a list nor an object")
        }
    }

    private static func field(_ entry: Entry) throws(SessionProblem) -> Field {
        guard let name = HTTPField.Name(entry.name) else {
            throw SessionProblem(entry.place, "has a name that no field can have")
        }
        // In older files the member's value is the value of the field.
        let text: String?
        if case .string(let value) = entry.value { text = value } else { text = try entry.text("value") }
        guard let text else { throw SessionProblem("\(entry.place).value", "is not a string") }
        guard HTTPField.isValidValue(text) else { throw SessionProblem(entry.place, "has a control character in it") }
        return Field(name: name, value: text, origin: try entry.text("origin"))
    }

    private static func auth(_ json: JSONValue?) throws(SessionProblem) -> Auth? {
        switch json {
        case nil, .null: return nil
        case .object(let members): if members.isEmpty { return nil }
        default: throw SessionProblem("auth", "is not a JSON object")
        }
        let entry = Entry(place: "auth", name: "", value: json ?? .null)
        guard let type = try entry.text("type") else { return nil }
        let origin = try entry.text("origin")
        if let text = try entry.text("raw_auth") { return Auth(type: type, text: text, origin: origin) }
        guard let user = try entry.text("username") else { throw SessionProblem("auth.raw_auth", "is not a string") }
        return Auth(type: type, text: "\(user):\(try entry.text("password") ?? "")", origin: origin)
    }

    private static func cookie(_ entry: Entry, host: String) throws(SessionProblem) -> Cookie {
        // The oldest files hold only the value.
        let value: String
        if case .string(let text) = entry.value { value = text } else { value = try entry.text("value") ?? "" }
        var domain = try entry.text("domain") ?? ""
        // Python's cookie jar turns a host without a dot into this domain.
        if domain == "localhost.local" { domain = "localhost" }
        let isHostOnly = !domain.hasPrefix(".")
        if !isHostOnly { domain.removeFirst() }
        var cookie = Cookie(
            name: entry.name, value: value, domain: domain.isEmpty ? host : domain,
            isHostOnly: isHostOnly || domain.isEmpty, path: try entry.text("path") ?? "/")
        cookie.expires = try seconds(entry)
        cookie.isSecure = try flag(entry, "secure")
        cookie.isHTTPOnly = try flag(entry, "http_only")
        return cookie
    }

    private static func seconds(_ entry: Entry) throws(SessionProblem) -> Int64? {
        switch entry.value["expires"] {
        case nil, .null: return nil
        // The limit keeps the number within 64 bits.
        case .integer(let number): return Int64(min(max(number, 0), 1_000_000_000_000_000))
        case .number(let number): return Int64(min(max(number, 0), 1e15))
        default: throw SessionProblem("\(entry.place).expires", "is not a number")
        }
    }

    private static func flag(_ entry: Entry, _ name: String) throws(SessionProblem) -> Bool {
        switch entry.value[name] {
        case nil, .null: return false
        case .bool(let value): return value
        default: throw SessionProblem("\(entry.place).\(name)", "is neither true nor false")
        }
    }

    // MARK: Writing

    /// The content of its file.
    var text: String { json.indentedText + "\n" }

    var json: JSONValue {
        func optional(_ name: String, _ text: String?) -> [(name: String, value: JSONValue)] {
            text.map { [(name, .string($0))] } ?? []
        }
        var about: [(name: String, value: JSONValue)] = [
            ("about", .string("Session of tsubame, in HTTPie's layout")), ("tsubame", .string(Client.version)),
        ]
        about += optional("owner", owner)
        let credentials = auth.map { auth in
            [("type", .string(auth.type)), ("raw_auth", .string(auth.text))] + optional("origin", auth.origin)
        }
        let jar = cookies.map { cookie in
            let domain = cookie.isHostOnly ? cookie.domain : "." + cookie.domain
            var members: [(name: String, value: JSONValue)] = [
                ("domain", .string(domain)),
                ("expires", cookie.expires.map { .number(Double($0)) } ?? .null), ("name", .string(cookie.name)),
                ("path", .string(cookie.path)), ("secure", .bool(cookie.isSecure)), ("value", .string(cookie.value)),
            ]
            if cookie.isHTTPOnly { members.append(("http_only", .bool(true))) }
            return JSONValue.object(members)
        }
        let headers = fields.map { field in
            JSONValue.object(
                [("name", .string(field.name.rawName)), ("value", .string(field.value))]
                    + optional("origin", field.origin))
        }
        return .object([
            ("__meta__", .object(about)), ("auth", .object(credentials ?? [])), ("cookies", .array(jar)),
            ("headers", .array(headers)),
        ])
    }
}
