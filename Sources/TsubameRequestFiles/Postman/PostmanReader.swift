// PostmanReader: a collection of Postman (format 2.1) as entries.

package struct PostmanReader {
    package private(set) var file: RequestFile
    /// The parts of the collection that have no meaning here.
    package private(set) var losses: [String] = []

    /// Folders may be nested to this depth.
    private static let maximumDepth = 32
    private static let place = FilePlace(line: 1, column: 1)

    /// Whether the JSON says that it is a collection.
    package static func isCollection(_ json: JSONValue) -> Bool { json["info"] != nil && json["item"]?.elements != nil }

    /// - Throws: ``FileProblem`` if the JSON is no collection.
    package init(_ json: JSONValue, path: String) throws(FileProblem) {
        file = RequestFile(path: path)
        guard Self.isCollection(json) else {
            throw FileProblem(
                path: path, place: Self.place, reason: "this is no collection of Postman in the format 2.1", text: "")
        }
        for variable in json["variable"]?.elements ?? [] {
            guard let name = variable["key"]?.text, variable["disabled"] != .bool(true) else { continue }
            file.variables.append(Self.field(name, variable["value"]?.text ?? ""))
        }
        if json["event"]?.elements?.isEmpty == false { losses.append("the scripts of the collection") }
        read(json["item"]?.elements ?? [], folder: [], auth: json["auth"], depth: 0)
    }

    private mutating func read(_ items: [JSONValue], folder: [String], auth: JSONValue?, depth: Int) {
        for item in items {
            let name = item["name"]?.text ?? ""
            if let inner = item["item"]?.elements {
                guard depth < Self.maximumDepth else {
                    losses.append("the folder \(name), which is nested too deep")
                    continue
                }
                if item["event"]?.elements?.isEmpty == false { losses.append("the scripts of the folder \(name)") }
                read(inner, folder: folder + [name], auth: Self.own(item["auth"]) ?? auth, depth: depth + 1)
            } else if let request = item["request"] {
                if item["event"]?.elements?.isEmpty == false { losses.append("the scripts of \(name)") }
                let behavior = item["protocolProfileBehavior"]
                let count = file.entries.count
                read(request, name: name, folder: folder, auth: auth)
                if behavior?["followRedirects"] == .bool(false), file.entries.count > count {
                    file.entries[count].standardOptions.removeAll { $0.name == "location" }
                }
            }
        }
    }

    private mutating func read(_ request: JSONValue, name: String, folder: [String], auth: JSONValue?) {
        // A request may be only its URL.
        let url = request.text ?? Self.url(request["url"])
        guard !url.isEmpty else {
            losses.append("\(name), which has no URL")
            return
        }
        let lists = [
            request["header"], request["url"]?["query"], request["body"]?["urlencoded"], request["body"]?["formdata"],
        ]
        if lists.contains(where: { $0?.hasDisabled == true }) {
            losses.append("the disabled fields and parameters of \(name)")
        }
        var entry = FileEntry(
            place: Self.place, method: request["method"]?.text ?? "GET", url: TemplateText(parsing: url))
        entry.name = (folder + [name]).filter { !$0.isEmpty }.joined(separator: " / ")
        entry.standardOptions = [
            FileEntry.Option(name: "location", value: TemplateText("true"), place: Self.place),
            FileEntry.Option(name: "compressed", value: TemplateText("true"), place: Self.place),
        ]
        entry.fields = Self.pairs(request["header"])
        read(Self.own(request["auth"]) ?? auth, into: &entry)
        if let body = request["body"] { read(body, into: &entry) }
        file.entries.append(entry)
    }

    /// The whole URL, with the values of path variables such as `:id`.
    private static func url(_ json: JSONValue?) -> String {
        if let text = json?.text { return text }
        guard var url = json?["raw"]?.text ?? joined(json) else { return "" }
        // The whole text may have parameters that the list disables.
        let disabled = (json?["query"]?.elements ?? []).filter { $0["disabled"] == .bool(true) }.map { pair in
            (pair["key"]?.text ?? "") + (pair["value"]?.text.map { "=\($0)" } ?? "")
        }
        url = without(disabled, in: url)
        var values: [String: String] = [:]
        for variable in json?["variable"]?.elements ?? [] {
            guard let name = variable["key"]?.text, !name.isEmpty else { continue }
            if values[":\(name)"] == nil { values[":\(name)"] = variable["value"]?.text ?? "" }
        }
        if values.isEmpty { return url }
        let parts = url.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let name = segment.prefix { $0 != "?" && $0 != "#" }
            return (values[String(name)] ?? String(name)) + segment[name.endIndex...]
        }
        return parts.joined(separator: "/")
    }

    /// The URL without each of the parameters once.
    private static func without(_ parameters: [String], in url: String) -> String {
        guard !parameters.isEmpty, let mark = url.firstIndex(of: "?") else { return url }
        var left = Dictionary(parameters.map { ($0, 1) }, uniquingKeysWith: +)
        let query = url[url.index(after: mark)...].prefix { $0 != "#" }
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).filter { pair in
            guard let count = left[String(pair)], count > 0 else { return true }
            left[String(pair)] = count - 1
            return false
        }
        return url[..<mark] + (pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))") + url[query.endIndex...]
    }

    /// The credentials that an item names itself; nil if it takes those of its folder.
    private static func own(_ auth: JSONValue?) -> JSONValue? {
        guard let auth, let type = auth["type"]?.text, type != "inherit" else { return nil }
        return auth
    }

    /// The URL of its parts; nil without a host.
    private static func joined(_ json: JSONValue?) -> String? {
        func list(_ name: String) -> [String]? {
            json?[name]?.text.map { [$0] } ?? json?[name]?.elements.map { $0.compactMap(\.text) }
        }
        guard let host = list("host") else { return nil }
        let scheme = json?["protocol"]?.text.map { "\($0)://" } ?? ""
        let port = json?["port"]?.text.map { ":\($0)" } ?? ""
        let path = (list("path") ?? []).map { "/\($0)" }.joined()
        let pairs = pairs(json?["query"]).map { "\($0.name.source)=\($0.value.source)" }
        return scheme + host.joined(separator: ".") + port + path
            + (pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))")
    }

    private mutating func read(_ auth: JSONValue?, into entry: inout FileEntry) {
        guard let auth, let type = auth["type"]?.text else { return }
        func value(_ name: String) -> String {
            (auth[type]?.elements ?? []).first { $0["key"]?.text == name }?["value"]?.text ?? auth[type]?[name]?.text
                ?? ""
        }
        switch type {
        case "noauth": break
        case "basic": entry.user = Self.field(value("username"), value("password"))
        case "bearer": entry.fields.append(Self.field("Authorization", "Bearer \(value("token"))"))
        case "apikey" where value("in") != "query": entry.fields.append(Self.field(value("key"), value("value")))
        case "apikey": entry.query.append(Self.field(value("key"), value("value")))
        case "digest":
            let user = TemplateText(parsing: "\(value("username")):\(value("password"))")
            entry.options += [
                FileEntry.Option(name: "user", value: user, place: Self.place),
                FileEntry.Option(name: "digest", value: TemplateText("true"), place: Self.place),
            ]
        default: losses.append("the credentials of \(entry.name ?? ""), which are of the kind \(type)")
        }
    }

    private mutating func read(_ body: JSONValue, into entry: inout FileEntry) {
        if body["disabled"] == .bool(true) { return }
        switch body["mode"]?.text {
        case "raw":
            let text = body["raw"]?.text ?? ""
            if text.isEmpty { return }
            let language = body["options"]?["raw"]?["language"]?.text
            let kind: FileEntry.TextKind = language == "json" ? .json : language == "xml" ? .xml : .plain
            entry.body = .text(TemplateText(parsing: text), kind)
        case "urlencoded": entry.form = Self.pairs(body["urlencoded"])
        case "formdata":
            for part in body["formdata"]?.elements ?? [] where part["disabled"] != .bool(true) {
                guard let name = part["key"]?.text else { continue }
                func add(_ content: FileEntry.Part.Content) {
                    entry.parts.append(
                        FileEntry.Part(
                            name: TemplateText(parsing: name), content: content,
                            contentType: part["contentType"]?.text.map { TemplateText($0) }, place: Self.place))
                }
                guard part["type"]?.text == "file" else {
                    add(.text(TemplateText(parsing: part["value"]?.text ?? "")))
                    continue
                }
                let paths = part["src"]?.text.map { [$0] } ?? (part["src"]?.elements ?? []).compactMap(\.text)
                for path in paths where !path.isEmpty { add(.file(TemplateText(path))) }
                if paths.allSatisfy(\.isEmpty) {
                    losses.append("the part \(name) of \(entry.name ?? ""), which names no file")
                }
            }
        case "file": if let path = body["file"]?["src"]?.text { entry.body = .file(TemplateText(path)) }
        case "graphql":
            var text = body["graphql"]?["query"]?.text ?? ""
            let given = body["graphql"]?["variables"]
            let variables = given?.members == nil ? given?.text : given?.compactText
            if let variables, variables.trimmed.hasPrefix("{") { text += "\nvariables \(variables)" }
            entry.body = .text(TemplateText(parsing: text), .graphQL)
        case let mode?: losses.append("the body of \(entry.name ?? ""), which is of the kind \(mode)")
        case nil: break
        }
    }

    private static func pairs(_ json: JSONValue?) -> [FileEntry.Field] {
        (json?.elements ?? []).compactMap { pair in
            guard let name = pair["key"]?.text, !name.isEmpty, pair["disabled"] != .bool(true) else { return nil }
            return field(name, pair["value"]?.text ?? "")
        }
    }

    private static func field(_ name: String, _ value: String) -> FileEntry.Field {
        FileEntry.Field(name: TemplateText(parsing: name), value: TemplateText(parsing: value), place: place)
    }
}

extension JSONValue {
    /// Whether an element of the array is disabled.
    fileprivate var hasDisabled: Bool { (elements ?? []).contains { $0["disabled"] == .bool(true) } }
}
