// PostmanWriter: entries as a collection of Postman (format 2.1).

import TsubameCore

package struct PostmanWriter {
    package private(set) var json = JSONValue.null
    /// The parts of the file that this format cannot hold.
    package private(set) var losses: [String] = []

    /// - Parameter name: the name of the collection.
    package init(_ file: RequestFile, name: String) {
        let schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
        let items = file.entries.map { item($0) }
        json = .object([
            ("info", .object([("name", .string(name)), ("schema", .string(schema))])),
            ("item", .array(items)),
            ("variable", .array(file.variables.map { Self.pair($0.name.source, $0.value.source) })),
        ])
    }

    private mutating func item(_ entry: FileEntry) -> JSONValue {
        let name = entry.name ?? "\(entry.method) \(entry.url.source)"
        if let response = entry.response,
            !response.assertions.isEmpty || !response.captures.isEmpty || response.body != nil
        {
            losses.append("the checks and captures of \(name)")
        }
        if entry.loop != nil { losses.append("the loop of \(name)") }
        if !entry.prompts.isEmpty { losses.append("the questions of \(name)") }
        if let refusal = entry.refusal { losses.append("\(refusal.path):\(refusal.place.line): \(refusal.reason)") }
        var entry = entry
        entry.takePartsOfPieces()
        func last(_ name: String) -> String? { entry.allOptions.last { $0.name == name }?.value.source }
        let digest = last("digest") == "true" ? last("user") : nil
        for option in entry.options where !["location", "compressed"].contains(option.name) {
            if digest != nil, ["digest", "user"].contains(option.name) { continue }
            losses.append("the option \(option.name) of \(name)")
        }
        var headers = entry.fields.map { Self.pair($0.name.source, $0.value.source) }
        if !entry.cookies.isEmpty {
            let pairs = entry.cookies.map { "\($0.name.source)=\($0.value.source)" }
            headers.append(Self.pair("Cookie", pairs.joined(separator: "; ")))
        }
        var request: [(name: String, value: JSONValue)] = [
            ("method", .string(entry.method)), ("header", .array(headers)),
        ]
        if let body = body(entry, name) { request.append(("body", body)) }
        request.append(("url", url(entry)))
        if let digest {
            let parts = TemplateText(parsing: digest).divided(at: ":")
            let pairs = [Self.pair("username", parts.0.source), Self.pair("password", parts.1.source)]
            request.append(("auth", .object([("type", .string("digest")), ("digest", .array(pairs))])))
        }
        if let user = entry.user {
            request.append(
                (
                    "auth",
                    .object([
                        ("type", .string("basic")),
                        (
                            "basic",
                            .array([
                                Self.pair("username", user.name.source), Self.pair("password", user.value.source),
                            ])
                        ),
                    ])
                ))
        }
        var item: [(name: String, value: JSONValue)] = [("name", .string(name)), ("request", .object(request))]
        if last("location") != "true" {
            item.append(("protocolProfileBehavior", .object([("followRedirects", .bool(false))])))
        }
        for part in entry.parts where part.filename != nil {
            losses.append("the filename of \(part.name.source) of \(name)")
        }
        return .object(item)
    }

    /// The text of a name or a value. Postman does not encode what would end it there.
    private static func encoded(_ text: TemplateText) -> String {
        text.parts.map { part in
            switch part {
            case .text(let text): PercentEncoding.encode(Array(text.utf8))
            case .expression(let name, _): "{{\(name)}}"
            }
        }.joined()
    }

    /// The URL as it stands, and its parameters.
    private func url(_ entry: FileEntry) -> JSONValue {
        let extra = entry.query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        let url = entry.url.source
        let end = url.firstIndex(of: "#") ?? url.endIndex
        let raw =
            extra.isEmpty ? url : url[..<end] + (url[..<end].contains("?") ? "&" : "?") + extra + String(url[end...])
        let query = raw.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Self.pair(parts[0], parts.count > 1 ? parts[1] : "")
        }
        var members: [(name: String, value: JSONValue)] = [("raw", .string(raw))]
        var address = raw.prefix { $0 != "?" && $0 != "#" }
        if let scheme = address.firstRange(of: "://") {
            members.append(("protocol", .string(String(address[..<scheme.lowerBound]))))
            address = address[scheme.upperBound...]
        }
        let path = address.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let host = path.first ?? ""
        // A port follows the last colon, but not within an expression.
        let colon = host.hasSuffix("}}") ? nil : host.lastIndex(of: ":")
        let name = colon.map { String(host[..<$0]) } ?? host
        let parts = name.contains("{{") ? [name] : name.split(separator: ".").map(String.init)
        members.append(("host", .array(parts.map { .string($0) })))
        if let colon { members.append(("port", .string(String(host[host.index(after: colon)...])))) }
        members.append(("path", .array(path.dropFirst().map { .string($0) })))
        members.append(("query", .array(pairs)))
        return .object(members)
    }

    private mutating func body(_ entry: FileEntry, _ name: String) -> JSONValue? {
        if !entry.form.isEmpty {
            let pairs = entry.form.map { Self.pair($0.name.source, $0.value.source) }
            return .object([("mode", .string("urlencoded")), ("urlencoded", .array(pairs))])
        }
        if !entry.parts.isEmpty {
            return .object([("mode", .string("formdata")), ("formdata", .array(entry.parts.map(Self.part)))])
        }
        switch entry.body {
        case nil: return nil
        case .text(let text, .graphQL):
            let parts = GraphQLQuery.parts(of: text.source)
            let variables = parts.variables.map { [("variables", JSONValue.string($0))] } ?? []
            return .object([
                ("mode", .string("graphql")), ("graphql", .object([("query", .string(parts.query))] + variables)),
            ])
        case .text(let text, let kind):
            let isJSON = kind == .json || JSONSyntax.isValue(text.source)
            let name = isJSON ? "json" : kind == .xml ? "xml" : "text"
            let language = JSONValue.object([("language", .string(name))])
            return .object([
                ("mode", .string("raw")), ("raw", .string(text.source)), ("options", .object([("raw", language)])),
            ])
        case .file(let path):
            return .object([("mode", .string("file")), ("file", .object([("src", .string(path.source))]))])
        case .bytes, .pieces:
            losses.append("the body of \(name), which is neither text nor one file")
            return nil
        }
    }

    private static func part(_ part: FileEntry.Part) -> JSONValue {
        let type = part.contentType.map { [("contentType", JSONValue.string($0.source))] } ?? []
        switch part.content {
        case .text(let text):
            return .object(
                [("key", .string(part.name.source)), ("value", .string(text.source)), ("type", .string("text"))] + type)
        case .file(let path):
            return .object(
                [("key", .string(part.name.source)), ("type", .string("file")), ("src", .string(path.source))] + type)
        }
    }

    private static func pair(_ name: String, _ value: String) -> JSONValue {
        .object([("key", .string(name)), ("value", .string(value))])
    }
}
