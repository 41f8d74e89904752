// CurlFormPart: the value of `-F`, one part of a form.

/// `name=value`, `name=@file` or `name=<file`, with `;type=` and `;filename=` after it. Quotation marks enclose a value
/// that has semicolons.
struct CurlFormPart {
    enum Content: Equatable {
        case text(String)
        case file(String)
        /// A part whose text is in a file.
        case textFile(String)
    }

    let name: String
    private(set) var content: Content
    private(set) var type: String?
    private(set) var filename: String?
    /// Words after a semicolon that are no option. curl leaves them out.
    private(set) var ignored: [String] = []

    /// - Parameter isPlain: whether the value has no options, as after `--form-string`.
    init(_ text: String, isPlain: Bool) throws(ShellLine.Problem) {
        guard let equals = text.firstIndex(of: "=") else { throw ShellLine.Problem("-F “\(text)” is not name=content") }
        name = String(text[..<equals])
        var rest = text[text.index(after: equals)...]
        guard !isPlain else {
            content = .text(String(rest))
            return
        }
        let mark = rest.first
        if mark == "@" || mark == "<" { rest.removeFirst() }
        rest = rest.drop { $0 == " " || $0 == "\t" }
        let value = Self.word(&rest)
        content = mark == "@" ? .file(value) : mark == "<" ? .textFile(value) : .text(value)
        if mark == "@", value.contains(","), text[equals...].firstIndex(of: "\"") == nil {
            throw ShellLine.Problem("a part with several files cannot be sent here: “\(text)”")
        }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let option = rest.prefix(9).lowercased()
            if option.hasPrefix("type=") {
                rest = rest.dropFirst(5)
                type = Self.type(&rest)
            } else if option.hasPrefix("filename=") {
                rest = rest.dropFirst(9)
                filename = Self.word(&rest)
            } else if option.hasPrefix("headers=") || option.hasPrefix("encoder=") {
                throw ShellLine.Problem("a part cannot have fields or an encoding of its own here: “\(text)”")
            } else {
                ignored.append(Self.word(&rest))
            }
        }
    }

    /// The text up to the next semicolon, or within quotation marks.
    private static func word(_ rest: inout Substring) -> String {
        // A quotation mark that is not closed is part of the word.
        guard rest.first == "\"", rest.dropFirst().contains("\"") else {
            let word = rest.prefix { $0 != ";" }
            rest = rest[word.endIndex...]
            return String(word).trimmed
        }
        rest.removeFirst()
        var result = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let next = rest.first, next == "\\" || next == "\"" {
                result.append(rest.removeFirst())
            } else {
                result.append(character)
            }
        }
        rest = rest.drop { $0 != ";" }
        return result
    }

    /// A media type with its own parameters, which end where an option of curl begins.
    private static func type(_ rest: inout Substring) -> String {
        var end = rest.startIndex
        while let semicolon = rest[end...].firstIndex(of: ";") {
            let next = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
            if ["filename=", "headers=", "encoder="].contains(where: next.hasPrefix) {
                end = semicolon
                break
            }
            end = next.startIndex
        }
        if end == rest.startIndex || rest[end...].first != ";" { end = rest.endIndex }
        let type = String(rest[..<end]).trimmed
        rest = rest[end...]
        return type
    }
}
