// JSONValue: a JSON value whose members keep their order.

/// A JSON value (RFC 8259). Members keep their order. If two members have the same name, the last one counts.
package enum JSONValue: Sendable {
    case object([(name: String, value: JSONValue)])
    case array([JSONValue])
    case string(String)
    /// A whole number of at most 128 bits.
    case integer(Int128)
    case number(Double)
    case bool(Bool)
    case null

    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The value of a number.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The text, indented by four spaces, as HTTPie writes its files.
    package var indentedText: String { written(indentation: 0) }

    /// The text without white space.
    package var compactText: String { written(indentation: nil) }

    private func written(indentation: Int?) -> String {
        var text = ""
        write(to: &text, indentation: indentation)
        return text
    }

    /// Texts that are joined at each level would be copied as often as the value is deep.
    /// - Parameter indentation: the number of spaces before the value's last line; nil for no white space.
    private func write(to text: inout String, indentation: Int?) {
        func list<Element>(
            _ elements: [Element], _ open: String, _ close: String, _ each: (Element, Int?) -> Void
        ) {
            func line(_ count: Int) {
                guard indentation != nil, !elements.isEmpty else { return }
                text += "\n"
                text += String(repeating: " ", count: count)
            }
            let inner = indentation.map { $0 + 4 }
            text += open
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                line(inner ?? 0)
                each(element, inner)
            }
            line(indentation ?? 0)
            text += close
        }
        switch self {
        case .object(let members):
            list(members, "{", "}") { member, inner in
                text += JSONSyntax.string(member.name)
                text += inner == nil ? ":" : ": "
                member.value.write(to: &text, indentation: inner)
            }
        case .array(let values): list(values, "[", "]") { $0.write(to: &text, indentation: $1) }
        default: text += scalarText
        }
    }

    private var scalarText: String {
        switch self {
        case .object, .array: ""
        case .string(let text): JSONSyntax.string(text)
        case .integer(let number): "\(number)"
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? (number.isFinite ? "\(number)" : "null")
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }
}

extension JSONValue: Equatable {
    /// Whether both are the same value: numbers by their value, and objects in any order of their members.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): return left == right
        case (.array(let left), .array(let right)): return left == right
        case (.object, .object):
            let (left, right) = (left.uniqueMembers, right.uniqueMembers)
            return left == right
        default:
            guard let left = left.double, let right = right.double else { return false }
            return left == right
        }
    }

    private var uniqueMembers: [[UInt8]: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return Dictionary(members.map { (Array($0.name.utf8), $0.value) }) { $1 }
    }
}

extension JSONValue {
    /// Reads a JSON text in one pass.
    /// - Throws: `JSONSyntax.Fault` at the place where the text is not JSON, or is nested too deep.
    package init(_ text: String, maximumDepth: Int = JSONSyntax.maximumDepth) throws(JSONSyntax.Fault) {
        try JSONSyntax.check(text, maximumDepth: maximumDepth)
        var builder = JSONBuilder(bytes: Array(text.utf8))
        self = builder.value()
    }
}

/// Builds the values of checked JSON text.
private struct JSONBuilder {
    let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The byte after white space, colons and commas, which only separate in checked text; 0 at the end.
    private mutating func next() -> UInt8 {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: ":") { return byte }
            offset += 1
        }
        return 0
    }

    mutating func value() -> JSONValue {
        switch next() {
        case UInt8(ascii: "{"):
            offset += 1
            var members: [(name: String, value: JSONValue)] = []
            while next() == UInt8(ascii: "\"") { members.append((string(), value())) }
            offset += 1
            return .object(members)
        case UInt8(ascii: "["):
            offset += 1
            var values: [JSONValue] = []
            while next() != UInt8(ascii: "]"), offset < bytes.count { values.append(value()) }
            offset += 1
            return .array(values)
        case UInt8(ascii: "\""): return .string(string())
        case UInt8(ascii: "t"):
            offset += 4
            return .bool(true)
        case UInt8(ascii: "f"):
            offset += 5
            return .bool(false)
        case UInt8(ascii: "n"):
            offset += 4
            return .null
        default: return number()
        }
    }

    private mutating func string() -> String {
        let start = offset
        offset += 1
        var isPlain = true
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\") {
                isPlain = false
                offset += 1
            }
            offset += 1
        }
        let end = min(offset, bytes.count)
        offset = end + 1
        if isPlain { return String(decoding: bytes[min(start + 1, end)..<end], as: UTF8.self) }
        return JSONParts.text(ofString: String(decoding: bytes[start..<min(offset, bytes.count)], as: UTF8.self))
    }

    private mutating func number() -> JSONValue {
        let start = offset
        while offset < bytes.count, "+-.eE0123456789".utf8.contains(bytes[offset]) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        // In this case the text is no JSON, which was checked before; the builder still has to go on.
        if text.isEmpty { offset += 1 }
        if let integer = Int128(text) { return .integer(integer) }
        // A longer number is a fraction. One that is too large becomes the largest one.
        let number = Double(text) ?? 0
        return .number(number.isFinite ? number : number < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
    }
}
