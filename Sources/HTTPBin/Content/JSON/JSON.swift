// JSON: a JSON value, and the two forms in which httpbin writes it.
#if Server

enum JSON: Sendable {
    case null
    case bool(Bool)
    /// The number as the client spelled it, so that no digit is lost.
    case number(String)
    case string(String)
    case array([JSON])
    /// The members in any order. They are written sorted by name; of equal names the last member counts.
    case object([(String, JSON)])

    /// Sorted names, two spaces of indentation and a newline at the end, as Flask writes JSON.
    var pretty: [UInt8] {
        var writer = Writer(indents: true)
        writer.write(self, depth: 0)
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }

    /// The value on one line, with a newline at its end.
    var line: [UInt8] {
        var writer = Writer(indents: false)
        writer.write(self, depth: 0)
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number("\(value)") }
    init(_ value: Int) { self = .number("\(value)") }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON {
    /// Writes ASCII only, as Python does by default.
    private struct Writer {
        let indents: Bool
        var bytes: [UInt8] = []

        mutating func write(_ value: JSON, depth: Int) {
            switch value {
            case .null: bytes.append(contentsOf: "null".utf8)
            case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
            case .number(let text): bytes.append(contentsOf: text.utf8)
            case .string(let text): write(text)
            case .array(let elements):
                writeList(elements, open: "[", close: "]", depth: depth) { writer, element in
                    writer.write(element, depth: depth + 1)
                }
            case .object(let members):
                writeList(Self.ordered(members), open: "{", close: "}", depth: depth) { writer, member in
                    writer.write(member.0)
                    writer.bytes.append(contentsOf: ": ".utf8)
                    writer.write(member.1, depth: depth + 1)
                }
            }
        }

        private mutating func writeList<Element>(
            _ elements: [Element], open: String, close: String, depth: Int,
            each: (inout Writer, Element) -> Void
        ) {
            bytes.append(contentsOf: open.utf8)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(contentsOf: (indents ? "," : ", ").utf8) }
                if indents { breakLine(depth: depth + 1) }
                each(&self, element)
            }
            if indents, !elements.isEmpty { breakLine(depth: depth) }
            bytes.append(contentsOf: close.utf8)
        }

        private mutating func breakLine(depth: Int) {
            bytes.append(UInt8(ascii: "\n"))
            // Deeper lines would be mostly blanks.
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * min(depth, 64)))
        }

        private mutating func write(_ text: String) {
            bytes.append(UInt8(ascii: "\""))
            for unit in text.utf16 {
                switch unit {
                case 0x22: bytes.append(contentsOf: #"\""#.utf8)
                case 0x5C: bytes.append(contentsOf: #"\\"#.utf8)
                case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
                case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
                case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
                case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
                case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
                case 0x20...0x7F: bytes.append(UInt8(truncatingIfNeeded: unit))
                default:
                    bytes.append(contentsOf: #"\u"#.utf8)
                    for shift in [12, 8, 4, 0] as [UInt16] {
                        bytes.append(Hexadecimal.lowercaseDigit(UInt8(truncatingIfNeeded: unit >> shift) & 0xF))
                    }
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }

        /// Compares bytes, because `String`'s order treats canonically equivalent names as equal.
        private static func ordered(_ members: [(String, JSON)]) -> [(String, JSON)] {
            let sorted = members.enumerated().sorted { left, right in
                if left.element.0.utf8.elementsEqual(right.element.0.utf8) { return left.offset < right.offset }
                return left.element.0.utf8.lexicographicallyPrecedes(right.element.0.utf8)
            }
            var result: [(String, JSON)] = []
            result.reserveCapacity(sorted.count)
            for (_, member) in sorted {
                if let last = result.last, last.0.utf8.elementsEqual(member.0.utf8) { result.removeLast() }
                result.append(member)
            }
            return result
        }
    }
}

#endif
