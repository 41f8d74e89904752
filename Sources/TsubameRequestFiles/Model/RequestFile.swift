// RequestFile: a file of requests with the checks of their responses, whichever format it was written in.

import TsubameCore

/// The entries of a file, in its order.
package struct RequestFile: Sendable {
    package let path: String
    package var entries: [FileEntry]
    /// The variables that the file defines. Their texts are read when an expression uses them.
    package var variables: [FileEntry.Field] = []
    /// The lines of bodies and other texts in which white space counts, where the parser knows them.
    package var verbatimLines: [ClosedRange<Int>] = []
    /// The paths of other files whose variables and named entries this one uses, as names of fields.
    package var imports: [FileEntry.Field] = []

    package init(path: String, entries: [FileEntry] = []) {
        self.path = path
        self.entries = entries
    }
}

/// A mistake in a file: where, and what is wrong.
package struct FileProblem: Error, Sendable, CustomStringConvertible {
    package let path: String
    package let place: FilePlace
    package let reason: String
    /// The line of the file.
    package let text: String

    package init(path: String, place: FilePlace, reason: String, text: String) {
        self.path = path
        self.place = place
        self.reason = reason
        self.text = text
    }

    /// A mistake in JSON.
    package init(path: String, json text: String, _ fault: JSONSyntax.Fault) {
        let before = text.utf8.prefix(fault.offset)
        let start = before.lastIndex(of: 0x0A).map { text.utf8.index(after: $0) } ?? text.startIndex
        let line = text[start...].prefix { !$0.isNewline }
        let column = text.utf8.distance(from: start, to: before.endIndex) + 1
        let place = FilePlace(line: before.count { $0 == 0x0A } + 1, column: column)
        self.init(path: path, place: place, reason: "this is no JSON", text: String(line))
    }

    /// The message with the line, and a caret below the place.
    package var description: String {
        if text.isEmpty { return "\(path):\(place.line): \(reason)" }
        // Of a long line, the part around the place is enough.
        let text = HiddenSecrets.line(text)
        let scalars = text.unicodeScalars
        let start = scalars.count > 200 ? max(min(place.column - 80, scalars.count - 160), 0) : 0
        let shown = scalars.count > 200 ? String(String.UnicodeScalarView(scalars.dropFirst(start).prefix(160))) : text
        let margin = String(repeating: " ", count: max(place.column - 1 - start, 0))
        return "\(path):\(place.line):\(place.column): \(reason)\n  \(shown)\n  \(margin)^"
    }
}

/// A place in a file, from 1. Columns count Unicode scalars.
package struct FilePlace: Sendable, Hashable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
}

/// Text with expressions in double braces, which are replaced when the entry runs.
package struct TemplateText: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        /// The expression between the braces.
        case expression(String, FilePlace)
    }

    package var parts: [Part]

    package init(_ parts: [Part] = []) { self.parts = parts }

    /// Text without expressions.
    package init(_ text: String) { parts = text.isEmpty ? [] : [.text(text)] }

    /// Text in which double braces enclose expressions. Braces that are not closed on their line are text.
    /// - Parameter place: the place of the text, for messages.
    package init(parsing text: String, at place: FilePlace = FilePlace(line: 1, column: 1)) {
        parts = []
        // The text from here on has not become a part.
        var begin = text.startIndex
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var rest = line
            // Each line is searched once: after its last closing braces, no opening ones are closed.
            while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
                rest = rest[close.upperBound...]
                let inner = line[open.upperBound..<close.lowerBound]
                if inner.allSatisfy(\.isWhitespace) { continue }
                if open.lowerBound > begin { parts.append(.text(String(text[begin..<open.lowerBound]))) }
                parts.append(.expression(String(inner).trimmed, place))
                begin = close.upperBound
            }
        }
        if begin < text.endIndex { parts.append(.text(String(text[begin...]))) }
    }

    /// The text, if it has no expression.
    package var plain: String? {
        var result = ""
        for part in parts {
            guard case .text(let text) = part else { return nil }
            result += text
        }
        return result
    }

    /// Percent-encoded, except for expressions. Their values are encoded when the entry runs.
    var percentEncoded: String {
        parts.map { part in
            switch part {
            case .expression(let text, _): "{{%\(text)}}"
            case .text(let text): PercentEncoding.encode(Array(text.utf8))
            }
        }.joined()
    }

    /// The parts before and after the first separator outside of expressions.
    func divided(at separator: Character) -> (TemplateText, TemplateText) {
        for (index, part) in parts.enumerated() {
            guard case .text(let text) = part, let place = text.firstIndex(of: separator) else { continue }
            let rest = String(text[text.index(after: place)...])
            let (left, right) = (TemplateText(String(text[..<place])), TemplateText(rest))
            return (TemplateText(parts[..<index] + left.parts), TemplateText(right.parts + parts[(index + 1)...]))
        }
        return (self, TemplateText())
    }

    /// The text as it stands in a file.
    package var source: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .expression(let text, _): "{{\(text)}}"
            }
        }.joined()
    }
}

/// A request, and the checks of its response.
package struct FileEntry: Sendable {
    package struct Field: Sendable {
        package let name: TemplateText
        package let value: TemplateText
        package let place: FilePlace

        package init(name: TemplateText, value: TemplateText, place: FilePlace) {
            self.name = name
            self.value = value
            self.place = place
        }
    }

    package struct Part: Sendable {
        package enum Content: Sendable {
            case text(TemplateText)
            case file(TemplateText)
        }

        package let name: TemplateText
        package let content: Content
        /// nil for the type that a file's name shows, and for a text without a type.
        package let contentType: TemplateText?
        /// The name of a file for the server; nil for the last part of its path.
        package let filename: TemplateText?
        package let place: FilePlace

        package init(
            name: TemplateText, content: Content, contentType: TemplateText? = nil, filename: TemplateText? = nil,
            place: FilePlace
        ) {
            self.name = name
            self.content = content
            self.contentType = contentType
            self.filename = filename
            self.place = place
        }
    }

    package enum Body: Sendable {
        case text(TemplateText, TextKind)
        case bytes([UInt8])
        case file(TemplateText)
        /// Text with files between.
        case pieces([Piece])
    }

    /// The kind of text that the form of a body shows.
    package enum TextKind: Sendable {
        case plain, json, xml, graphQL
        /// Pairs of a form as a user writes them, with blanks and characters that are not encoded.
        case form

        /// The media type if the entry names none; nil for plain text.
        package var mediaType: String? {
            switch self {
            case .plain: nil
            case .json, .graphQL: "application/json"
            case .xml: "application/xml"
            case .form: "application/x-www-form-urlencoded"
            }
        }
    }

    /// A piece of a body.
    package enum Piece: Sendable {
        case text(TemplateText)
        /// - Parameter charset: the charset of a file whose expressions are replaced; nil for bytes that stay as they are.
        case file(TemplateText, charset: FileCharset?)
    }

    /// The repetition of an entry.
    package enum Loop: Sendable {
        case times(Int)
        /// Once for each row of a table, whose columns are variables such as `row.name`.
        case rows(name: String, path: String)
    }

    /// An option of the entry, such as `location: true`.
    package struct Option: Sendable {
        package let name: String
        package let value: TemplateText
        package let place: FilePlace

        /// The names of options, which are those of Hurl.
        package static let names: Set = [
            "aws-sigv4", "basic", "cacert", "cert", "compressed", "connect-timeout", "connect-to", "delay", "digest",
            "header",
            "http1.0",
            "http1.1", "http2", "http2-prior-knowledge", "insecure", "ipv4", "ipv6", "key", "location", "max-redirs",
            "max-time", "netrc", "netrc-file", "no-cookie-store", "no-header", "no-jsonpath-coercion", "no-proxy",
            "output",
            "path-as-is", "proxy", "repeat", "resolve", "retry", "retry-interval", "skip", "unix-socket", "user",
            "variable",
        ]

        package init(name: String, value: TemplateText, place: FilePlace) {
            self.name = name
            self.value = value
            self.place = place
        }
    }

    package let place: FilePlace
    /// The name by which other entries refer to this one; nil if it has none.
    package var name: String?
    /// The text of the division before the entry; nil if it has none.
    package var title: String?
    package var tags: [String] = []
    /// The file of an imported entry, which runs only if another entry refers to it; nil for the file's own entries.
    package var importedFrom: String?
    /// Variables that the user has to give, with a description of each.
    package var prompts: [Field] = []
    package var loop: Loop?
    package var method: String
    package var url: TemplateText
    package var fields: [Field] = []
    package var query: [Field] = []
    package var form: [Field] = []
    package var parts: [Part] = []
    package var cookies: [Field] = []
    package var user: Field?
    /// The options that entries of this format have unless something else is said, before all others.
    package var standardOptions: [Option] = []
    package var options: [Option] = []
    package var body: Body?
    package var response: ExpectedResponse?
    /// Why this entry cannot run; nil if it can. Other entries of the file run.
    package var refusal: FileProblem?

    /// The options in the order in which they replace each other.
    package var allOptions: [Option] { standardOptions + options }

    package init(place: FilePlace, method: String, url: TemplateText) {
        self.place = place
        self.method = method
        self.url = url
    }
}

/// The response that an entry expects.
package struct ExpectedResponse: Sendable {
    package let place: FilePlace
    /// Such as `HTTP/1.1`; nil for any version.
    package var version: String?
    /// nil for any status.
    package var status: Int?
    package var fields: [FileEntry.Field] = []
    package var body: FileEntry.Body?
    package var bodyPlace: FilePlace?
    package var captures: [Capture] = []
    package var assertions: [Assertion] = []

    package init(place: FilePlace) { self.place = place }
}
