// RequestItem: one item of a command line, such as `Accept:text/html` or `name=value`.

/// A name, a separator that says how it is used, and a value.
struct RequestItem: Hashable {
    /// The separators, by the characters between name and value.
    enum Kind: String, CaseIterable {
        /// `name:=json`, and the same from a file.
        case json = ":="
        case jsonFile = ":=@"
        /// `name==value`: a query parameter.
        case query = "=="
        case queryFile = "==@"
        /// `name=value`: text of the JSON object or of the form.
        case text = "="
        case textFile = "=@"
        /// `Name:value`; without a value the field is not sent.
        case field = ":"
        case fieldFile = ":@"
        /// `Name;`: an empty field.
        case emptyField = ";"
        /// `name@file`, and `@file`: the body.
        case file = "@"

        /// JSON and forms may have a member without a name, and `@file` has none.
        fileprivate var allowsEmptyName: Bool {
            switch self {
            case .json, .jsonFile, .text, .textFile, .file: true
            case .query, .queryFile, .field, .fieldFile, .emptyField: false
            }
        }

        /// Longer separators come first, because the longest at a position counts.
        fileprivate static let byLength = allCases.sorted { $0.rawValue.utf8.count > $1.rawValue.utf8.count }
    }

    let kind: Kind
    let name: String
    /// The value without the backslashes that made separators ordinary; for a kind that reads a file, its path.
    let value: String
    /// The position in the typed word of each byte of name, separator and value, and of the end.
    private let offsets: [Int]
    private let valueStart: Int

    /// Splits at the first separator. A backslash before `:`, `;`, `=` or `@` makes that character ordinary. Any other
    /// backslash stands for itself.
    init(_ word: String) throws(UsageProblem) {
        let typed = Array(word.utf8)
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        /// For each byte, whether it may be part of a separator.
        var isPlain: [Bool] = []
        var offset = 0
        while offset < typed.count {
            var byte = typed[offset]
            var isEscaped = false
            offset += 1
            if byte == 0x5C, offset < typed.count {
                isEscaped = Self.isSpecial(typed[offset])
                if !isEscaped {
                    bytes.append(byte)
                    offsets.append(offset - 1)
                    isPlain.append(true)
                }
                byte = typed[offset]
                offset += 1
            }
            bytes.append(byte)
            // An escaped character has the position of its backslash.
            offsets.append(isEscaped ? offset - 2 : offset - 1)
            isPlain.append(!isEscaped)
        }
        offsets.append(typed.count)

        for start in bytes.indices where isPlain[start] {
            guard
                let kind = Kind.byLength.first(where: { kind in
                    let separator = kind.rawValue.utf8
                    let end = start + separator.count
                    return end <= isPlain.count && isPlain[start..<end].allSatisfy { $0 }
                        && bytes[start..<end].elementsEqual(separator)
                })
            else { continue }
            // A field name cannot contain such a character, but the name of a form part can.
            let isOfField = kind == .field || kind == .fieldFile || kind == .emptyField
            if isOfField, bytes[..<start].contains(where: { $0 < 0x20 }) { continue }
            self.kind = kind
            name = String(decoding: bytes[..<start], as: UTF8.self)
            valueStart = start + kind.rawValue.utf8.count
            value = String(decoding: bytes[valueStart...], as: UTF8.self)
            self.offsets = offsets
            if kind == .emptyField, !value.isEmpty {
                throw UsageProblem(
                    "“\(word)”: write a field without a value as “\(name);”, and one with a value as “\(name):…”.")
            }
            if name.isEmpty, !kind.allowsEmptyName {
                let isURL = kind == .field && (value.first?.isNumber == true || value.first == "/")
                let hint = isURL ? " A URL goes before the items, and -d takes several." : ""
                throw UsageProblem("“\(word)”: there is no name before “\(kind.rawValue)”.\(hint)")
            }
            return
        }
        throw UsageProblem(
            "“\(word)” is not an item: write Name:value (field), name==value (query), name=text, name:=json or @file.")
    }

    /// The typed range of a part of the name; both in bytes.
    func typedRange(ofName range: Range<Int>) -> Range<Int> { typed(range) }

    /// The typed range of a byte of the value, or of its end.
    func typedRange(ofValueAt offset: Int) -> Range<Int> {
        let start = valueStart + min(offset, offsets.count)
        return typed(start..<(start + 1))
    }

    private func typed(_ range: Range<Int>) -> Range<Int> {
        let end = offsets.last ?? 0
        let start = offsets.indices.contains(range.lowerBound) ? offsets[range.lowerBound] : end
        let last = offsets.indices.contains(range.upperBound) ? offsets[range.upperBound] : end
        return start..<max(start, last)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "@")
    }
}
