// RequestContent: the fields, query and body that the items of a command line describe.

import Tsubame
import TsubameRequestFiles

/// Fields, query and body, in the order of the items.
struct RequestContent {
    enum Format: Sendable {
        /// JSON if there are data items, and no format was asked for.
        case automatic
        case json
        case form
        /// A form that may contain files.
        case multipart

        var isForm: Bool { self == .form || self == .multipart }

        /// The media type of a request without data, if the user asked for a format.
        var typeWithoutData: String? {
            switch self {
            case .json: "application/json"
            case .form: "application/x-www-form-urlencoded"
            case .automatic, .multipart: nil
            }
        }
    }

    private static let jsonAccept = "application/json, */*;q=0.5"
    /// Less than the number at which `HTTPFields` traps.
    private static let maximumFields = 60_000

    /// An entry of a form.
    private enum Entry: Sendable {
        case text(name: String, value: String, type: String?)
        case file(name: String, content: RequestBody, filename: String)
    }

    private let format: Format
    private let boundary: String?
    /// The types of texts in a form, by the names of their parts.
    private let partTypes: [String: String]
    private var headers = HTTPFields()
    /// Fields that must not be sent, including the library's own fields.
    private(set) var unset: [HTTPField.Name] = []
    private(set) var query = Parameters()
    private(set) var body = RequestBody.empty
    private var tree = JSONTree()
    private var entries: [Entry] = []
    private var hasFiles = false
    private var hasData = false
    /// Whether `@file` is the body.
    private var isFile = false

    /// The parts of a form with files on the disk; empty for any other body.
    var fileParts: [FileEntry.Part] {
        guard format == .multipart || hasFiles else { return [] }
        let place = FilePlace(line: 1, column: 1)
        return entries.map { entry in
            switch entry {
            case .text(let name, let value, let type):
                FileEntry.Part(
                    name: TemplateText(name), content: .text(TemplateText(value)),
                    contentType: type.map { TemplateText($0) }, place: place)
            case .file(let name, let content, let filename):
                FileEntry.Part(
                    name: TemplateText(name), content: .file(TemplateText(content.filePath ?? filename)),
                    contentType: content.contentType.map { TemplateText($0) },
                    filename: filename == content.filePath?.split(separator: "/").last.map(String.init)
                        ? nil : TemplateText(filename), place: place)
            }
        }
    }

    /// - Parameter options: the format, and the boundary and types of a body with parts.
    init(_ words: [String], _ options: ContentOptions) throws {
        format = options.format
        boundary = options.boundary
        partTypes = Dictionary(options.partTypes.map { ($0.name, $0.type) }) { $1 }
        for word in words {
            do {
                try add(RequestItem(word), word)
            } catch let error as SystemError {
                throw error.of("“\(OneLine.printable(word))”")
            }
        }
        for name in partTypes.keys.sorted() {
            let hasText = entries.contains { if case .text(name, _, _) = $0 { true } else { false } }
            guard hasText else { throw UsageProblem("--part-type: the form has no part “\(name)” with a text.") }
        }
        guard hasData else { return }
        if format == .multipart || hasFiles || !partTypes.isEmpty {
            body = multipart(boundary: try agreedBoundary())
        } else if headers[.contentType].flatMap({ MediaType($0) })?.essence == "multipart/form-data" {
            throw UsageProblem(
                "The Content-Type item says multipart/form-data, and the body has no parts: give --multipart.")
        } else if format == .form {
            body = form
        } else {
            body = .bytes(Bytes(tree.text), contentType: "application/json")
        }
    }

    /// The fields of a request with this body. A request that sends JSON also asks for JSON.
    func headers(for body: RequestBody) -> HTTPFields {
        let sendsJSON =
            format == .automatic
            && (hasData || (headers[.contentType] ?? body.contentType) == "application/json")
        var headers = headers
        if format == .json || sendsJSON, !headers.contains(.accept) {
            headers.append(HTTPField(name: .accept, value: Self.jsonAccept))
        }
        return headers
    }

    /// The fields that the user gave.
    var fields: HTTPFields { headers }

    /// Whether the items give a body.
    var hasBody: Bool { hasData || isFile }

    private mutating func add(_ item: RequestItem, _ word: String) throws {
        switch item.kind {
        case .field where item.value.isEmpty:
            let name = try Self.fieldName(item.name)
            guard name.canonicalName != "host" else { throw UsageProblem("Host: a request needs this field.") }
            headers[fields: name] = []
            unset.append(name)
        case .field, .emptyField:
            try appendField(item.name, item.value)
        case .fieldFile:
            try appendField(item.name, try Self.text(of: item.value))
        case .query:
            query.append(item.name, item.value)
        case .queryFile:
            query.append(item.name, try Self.text(of: item.value, withoutLastLineEnd: true))
        case .text:
            try addText(item, item.value, word)
        case .textFile:
            try addText(item, try Self.text(of: item.value), word)
        case .json:
            do throws(JSONSyntax.Fault) {
                try JSONSyntax.check(item.value)
            } catch {
                let isEarly = error.offset >= item.value.utf8.count
                let names = [Substring(item.name)] + item.value.split(separator: "\"")
                guard !names.contains(where: { Redaction.standard.isSecret($0) }) else {
                    throw UsageProblem(
                        "“\(OneLine.printable(item.name)):=…” has no valid JSON, or is nested deeper than \(JSONSyntax.maximumDepth) levels; its value is not shown."
                    )
                }
                throw UsageProblem(
                    error.isTooDeep
                        ? "“\(OneLine.printable(String(word.prefix(20))))…” is nested deeper than \(JSONSyntax.maximumDepth) levels."
                        : "“\(OneLine.printable(word))” has no valid JSON: "
                            + (isEarly ? "it ends too early." : "see byte \(error.offset + 1) of the value."),
                    in: word, at: item.typedRange(ofValueAt: error.offset))
            }
            try addJSON(item, item.value, word)
        case .jsonFile:
            let text = try Self.text(of: item.value)
            do throws(JSONSyntax.Fault) {
                try JSONSyntax.check(text)
            } catch {
                throw UsageProblem(
                    error.isTooDeep
                        ? "The file \(item.value) is nested deeper than \(JSONSyntax.maximumDepth) levels."
                        : "The file \(item.value) has no valid JSON: see \(Self.place(error.offset, in: text)).")
            }
            try addJSON(item, text, word)
        case .file:
            try addFile(item, word)
        }
    }

    // MARK: Fields

    private static func fieldName(_ text: String) throws(UsageProblem) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { throw UsageProblem("“\(text)” is not a field name.") }
        return name
    }

    private mutating func appendField(_ name: String, _ value: String) throws(UsageProblem) {
        let fieldName = try Self.fieldName(name)
        if ["content-length", "transfer-encoding"].contains(fieldName.canonicalName) {
            throw UsageProblem(
                "\(name) must not be set: it follows from the body. --chunked sends the body in chunks.")
        }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r\n" }
        var value = value.drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard HTTPField.isValidValue(String(value)) else {
            throw UsageProblem("The value of the field \(name) contains a control character.")
        }
        guard headers.count < Self.maximumFields else { throw UsageProblem("There are too many fields.") }
        // The last item of a name decides whether the field is sent.
        unset.removeAll { $0 == fieldName }
        headers.append(HTTPField(name: fieldName, value: String(value)))
    }

    // MARK: Data

    private mutating func addText(_ item: RequestItem, _ text: String, _ word: String) throws(UsageProblem) {
        if format.isForm {
            try markData()
            entries.append(.text(name: item.name, value: text, type: partTypes[item.name]))
        } else {
            try setMember(item, JSONSyntax.string(text), word)
        }
    }

    /// - Parameter text: valid JSON.
    private mutating func addJSON(_ item: RequestItem, _ text: String, _ word: String) throws(UsageProblem) {
        let text = Self.trimmed(text)
        guard format.isForm else { return try setMember(item, text, word) }
        let type = partTypes[item.name]
        guard let first = text.first, type != nil || first != "{" && first != "[" else {
            throw UsageProblem(
                "“\(word)”: a form cannot contain JSON objects or arrays, only text, numbers, true, false and null. "
                    + "A part may be JSON: --multipart --part-type \(item.name)=application/json.")
        }
        try markData()
        let value = type == nil && first == "\"" ? JSONParts.text(ofString: text) : text
        entries.append(.text(name: item.name, value: value, type: type))
    }

    /// The text without JSON's white space around it.
    private static func trimmed(_ text: String) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        var bytes = Array(text.utf8)[...].drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The line and byte of an offset in a text.
    private static func place(_ offset: Int, in text: String) -> String {
        guard offset < text.utf8.count else { return "its end, which comes too early" }
        let before = text.utf8.prefix(offset)
        let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let column = before.reversed().prefix { $0 != 0x0A }.count + 1
        return "line \(line), byte \(column)"
    }

    /// Sets a member. The last value of a name counts, at the position of the first.
    private mutating func setMember(_ item: RequestItem, _ value: String, _ word: String) throws(UsageProblem) {
        try markData()
        let shown = OneLine.printable(word)
        let name: NestedName
        do throws(NestedName.Fault) {
            name = try NestedName(item.name)
        } catch {
            throw UsageProblem("“\(shown)”: \(error.words).", in: word, at: item.typedRange(ofName: error.range))
        }
        do throws(JSONTree.Fault) {
            try tree.set(name.steps, to: value, name: Array(item.name.utf8))
        } catch {
            let range = name.steps.indices.contains(error.step) ? name.steps[error.step].range : 0..<0
            throw UsageProblem("“\(shown)”: \(error.words).", in: word, at: item.typedRange(ofName: range))
        }
    }

    private mutating func markData() throws(UsageProblem) {
        guard !isFile else { throw UsageProblem("@file is the whole body: other data cannot be sent with it.") }
        hasData = true
    }

    private var form: RequestBody {
        var parameters = Parameters()
        for case .text(let name, let value, _) in entries { parameters.append(name, value) }
        return .form(parameters)
    }

    /// The boundary that a Content-Type item or --boundary gives; nil for a random one.
    private func agreedBoundary() throws(UsageProblem) -> String? {
        guard let typed = headers[.contentType].flatMap({ MediaType($0) })?["boundary"] else { return boundary }
        guard MultipartFraming.isBoundary(typed) else {
            throw UsageProblem("“\(OneLine.printable(typed))” in the Content-Type item cannot be a boundary.")
        }
        guard boundary == nil || boundary == typed else {
            throw UsageProblem("--boundary and the Content-Type item give different boundaries.")
        }
        return typed
    }

    private func multipart(boundary: String?) -> RequestBody {
        .multipart(boundary: boundary) { form in
            for entry in entries {
                switch entry {
                case .text(let name, let value, let type): form.bytes(name, Bytes(value), contentType: type)
                case .file(let name, let content, let filename): form.part(name, content, filename: filename)
                }
            }
        }
    }

    // MARK: Files

    private mutating func addFile(_ item: RequestItem, _ word: String) throws {
        guard item.name.isEmpty else { return try addPart(item, word) }
        guard !hasBody else {
            throw UsageProblem("@file is the whole body: other data cannot be sent with it.")
        }
        guard item.value != "-" else {
            throw UsageProblem("@-: --raw @- sends the standard input as the body; @./- is a file of that name.")
        }
        let file = try FilePart(item.value, in: word)
        body = try file.body(in: word)
        isFile = true
    }

    /// Adds `name@file`, with the type and name of the file if they are given.
    private mutating func addPart(_ item: RequestItem, _ word: String) throws {
        guard format.isForm else {
            throw UsageProblem(
                "“\(word)”: a file is part of a form: add --form, or write @\(item.value) to send it as the whole body."
            )
        }
        try markData()
        let part = try FilePart(item.value, in: word)
        entries.append(
            .file(
                name: item.name, content: try part.body(in: word), filename: part.shownName))
        hasFiles = true
    }

    /// The most bytes of a file whose text is the value of an item.
    private static let longestFile = 64 << 20

    private static func text(of path: String, withoutLastLineEnd: Bool = false) throws -> String {
        let file = try Descriptor.reading(HomePath.expand(path))
        defer { file.shut() }
        guard let bytes = try file.readAll(atMost: longestFile) else {
            throw UsageProblem(
                "The file \(path) is longer than 64 MiB, the most that an item takes: send it as @\(path).")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw UsageProblem("The file \(path) is not text in UTF-8.")
        }
        if withoutLastLineEnd, text.last?.isNewline == true { text.removeLast() }
        return text
    }
}

extension RequestBody {
    /// The path of a body that is a file.
    fileprivate var filePath: String? { if case .file(let path) = content { path } else { nil } }
}
