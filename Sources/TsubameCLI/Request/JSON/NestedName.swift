// NestedName: the name of a JSON item, read as a path into the body: `a[b][0][]`.

/// The steps that a name describes, in HTTPie's syntax.
///
/// The name begins with a member of the body, such as `a`. In it `\[`, `\]` and `\\` stand for brackets and a
/// backslash. After that member, or instead of it, follow steps in brackets. `[name]` is a member, `[3]` an element
/// counted from 0, and `[]` a new element. `[\3]` is the member `3`.
struct NestedName {
    struct Step: Hashable {
        enum Kind: Hashable {
            case member(String)
            case element(Int)
            case appended
        }

        let kind: Kind
        /// The step's place in the name, in bytes, brackets included.
        let range: Range<Int>
    }

    /// The error for a name, with its place in bytes.
    struct Fault: Error {
        let words: String
        let range: Range<Int>
    }

    /// Deeper nesting is rejected. Such a name is a mistake, and programs that read JSON have limits, too.
    private static let maximumDepth = 512

    private(set) var steps: [Step] = []
    private let bytes: [UInt8]
    private var offset = 0

    /// A part of the name, without its backslashes.
    private struct Text {
        var value: [UInt8] = []
        /// Whether a bracket or a backslash was escaped in it. The text is then not a number.
        var isEscaped = false
        var range: Range<Int>
    }

    init(_ name: String) throws(Fault) {
        bytes = Array(name.utf8)
        if bytes.first == Self.open {
            let step = try bracketed()
            if case .member = step.kind {
                throw Fault(
                    words: "at the beginning a number or “]” must follow “[”; write a member without brackets",
                    range: (step.range.lowerBound + 1)..<(step.range.upperBound - 1))
            }
            steps.append(step)
        } else {
            let text = text()
            if offset < bytes.count, bytes[offset] == Self.close { throw unexpectedClose() }
            steps.append(Step(kind: .member(Self.memberName(text)), range: text.range))
        }
        while offset < bytes.count {
            guard bytes[offset] == Self.open else {
                if bytes[offset] == Self.close { throw unexpectedClose() }
                throw Fault(words: "“[” or the end of the name belongs here", range: offset..<(offset + 1))
            }
            steps.append(try bracketed())
            guard steps.count <= Self.maximumDepth else {
                throw Fault(words: "more than \(Self.maximumDepth) levels are too many", range: offset..<bytes.count)
            }
        }
    }

    private static let open = UInt8(ascii: "[")
    private static let close = UInt8(ascii: "]")
    private static let backslash = UInt8(ascii: "\\")

    private func unexpectedClose() -> Fault {
        Fault(words: "there is no “[” for this “]”; \\] is the character itself", range: offset..<(offset + 1))
    }

    /// Reads a step from `[` to `]`.
    private mutating func bracketed() throws(Fault) -> Step {
        let start = offset
        offset += 1
        let text = text()
        guard offset < bytes.count else { throw Fault(words: "“]” is missing", range: offset..<(offset + 1)) }
        guard bytes[offset] == Self.close else {
            throw Fault(
                words: text.value.isEmpty
                    ? "a name, a number or “]” belongs here; \\[ is the character itself" : "“]” is missing",
                range: offset..<(offset + 1))
        }
        offset += 1
        let range = start..<offset
        guard !text.range.isEmpty else { return Step(kind: .appended, range: range) }
        guard !text.isEscaped, Self.isNumber(text.value[...]) else {
            return Step(kind: .member(Self.memberName(text)), range: range)
        }
        guard text.value.first != UInt8(ascii: "-") else {
            throw Fault(words: "elements are counted from 0, upwards", range: text.range)
        }
        // A number beyond `Int` is too large for any array.
        return Step(kind: .element(Int(String(decoding: text.value, as: UTF8.self)) ?? .max), range: range)
    }

    /// Reads up to a bracket or the end.
    private mutating func text() -> Text {
        let start = offset
        var text = Text(range: start..<start)
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == Self.open || byte == Self.close { break }
            offset += 1
            if byte == Self.backslash, offset < bytes.count {
                let next = bytes[offset]
                if next == Self.open || next == Self.close || next == Self.backslash {
                    text.isEscaped = true
                    text.value.append(next)
                    offset += 1
                    continue
                }
            }
            text.value.append(byte)
        }
        text.range = start..<offset
        return text
    }

    /// The text as a member name. A backslash before a number makes the number a name, and is not part of it.
    private static func memberName(_ text: Text) -> String {
        let isMarked = !text.isEscaped && text.value.first == backslash && isNumber(text.value.dropFirst())
        return String(decoding: isMarked ? text.value.dropFirst() : text.value[...], as: UTF8.self)
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
