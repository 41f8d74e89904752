// JSONValue: a JSON value whose members keep their order.

/// A JSON value (RFC 8259). Members keep their order. If two members have the same name, the last one counts.
enum JSONValue: Sendable {
    case object([(name: String, value: JSONValue)])
    case array([JSONValue])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text, indented by four spaces, as HTTPie writes its files.
    func text(indentation: Int = 0) -> String {
        let inner = String(repeating: " ", count: indentation + 4)
        let outer = String(repeating: " ", count: indentation)
        func block(_ open: String, _ lines: [String], _ close: String) -> String {
            lines.isEmpty
                ? open + close : "\(open)\n\(inner)\(lines.joined(separator: ",\n" + inner))\n\(outer)\(close)"
        }
        return switch self {
        case .object(let members):
            block(
                "{", members.map { "\(JSONSyntax.string($0.name)): \($0.value.text(indentation: indentation + 4))" },
                "}")
        case .array(let values): block("[", values.map { $0.text(indentation: indentation + 4) }, "]")
        case .string(let text): JSONSyntax.string(text)
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? (number.isFinite ? "\(number)" : "null")
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }
}

extension JSONValue {
    /// The deepest nesting that is read. Each level is split anew, so the limit also bounds the time.
    static let maximumDepth = 32

    /// Reads a JSON text.
    /// - Throws: `JSONSyntax.Fault` at the place where the text is not JSON, or is nested too deep.
    init(_ text: String) throws(JSONSyntax.Fault) {
        try JSONSyntax.check(text, maximumDepth: Self.maximumDepth)
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        let trimmed = text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        self.init(checked: String(decoding: Array(trimmed), as: UTF8.self))
    }

    /// - Parameter text: valid JSON, without white space around it.
    private init(checked text: String) {
        switch JSONParts(text) {
        case .object(let members): self = .object(members.map { ($0.name, JSONValue(checked: $0.value)) })
        case .array(let values): self = .array(values.map { JSONValue(checked: $0) })
        case nil:
            switch text.utf8.first {
            case UInt8(ascii: "\""): self = .string(JSONParts.text(ofString: text))
            case UInt8(ascii: "t"): self = .bool(true)
            case UInt8(ascii: "f"): self = .bool(false)
            case UInt8(ascii: "n"): self = .null
            default: self = .number(Double(text) ?? 0)
            }
        }
    }
}
