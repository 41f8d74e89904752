// FormatChoice: one part of the value of --format-options.

import TsubameTerminal

/// A name and a value, such as `json.indent:2`.
enum FormatChoice: Sendable {
    case formatsJSON(Bool)
    case jsonIndent(Int)
    case sortsMembers(Bool)
    case sortsFields(Bool)
    case formatsMarkup(Bool)
    case xmlIndent(Int)

    static let words = [
        "json.format:false", "json.indent:2", "json.sort_keys:true", "headers.sort:true", "xml.format:false",
        "xml.indent:4",
    ]
    private static let maximumIndent = 16

    /// The choices of a text such as `json.indent:2,headers.sort:true`.
    static func list(_ text: String) throws(UsageProblem) -> [FormatChoice] {
        try text.split { $0 == "," || $0 == " " }.map { part throws(UsageProblem) in try FormatChoice(String(part)) }
    }

    private init(_ text: String) throws(UsageProblem) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw UsageProblem("“\(text)” has no value; write it as json.indent:2.") }
        switch parts[0] {
        case "json.format": self = .formatsJSON(try Self.flag(parts[1], text))
        case "json.indent": self = .jsonIndent(try Self.indent(parts[1], text))
        case "json.sort_keys": self = .sortsMembers(try Self.flag(parts[1], text))
        case "headers.sort": self = .sortsFields(try Self.flag(parts[1], text))
        case "xml.format": self = .formatsMarkup(try Self.flag(parts[1], text))
        case "xml.indent": self = .xmlIndent(try Self.indent(parts[1], text))
        default:
            let names = Self.words.map { String($0.prefix { $0 != ":" }) }.joined(separator: ", ")
            throw UsageProblem("“\(parts[0])” is none of \(names).")
        }
    }

    private static func flag(_ value: String, _ text: String) throws(UsageProblem) -> Bool {
        switch value.lowercased() {
        case "true": return true
        case "false": return false
        default: throw UsageProblem("“\(text)”: the value is true or false.")
        }
    }

    private static func indent(_ value: String, _ text: String) throws(UsageProblem) -> Int {
        guard let number = Int(value), (0...maximumIndent).contains(number) else {
            throw UsageProblem("“\(text)”: the value is a number of spaces from 0 to \(maximumIndent).")
        }
        return number
    }

    func apply(to options: inout FormatOptions) {
        switch self {
        case .formatsJSON(let isOn): options.layout.formatsJSON = isOn
        case .jsonIndent(let spaces): options.layout.jsonIndent = spaces
        case .sortsMembers(let isOn): options.layout.sortsMembers = isOn
        case .sortsFields(let isOn): options.sortsFields = isOn
        case .formatsMarkup(let isOn): options.layout.formatsMarkup = isOn
        case .xmlIndent(let spaces): options.layout.xmlIndent = spaces
        }
    }
}
