// SecretValues: secrets that are known by value, and withheld wherever a text repeats them.

/// A set of secret values. A server that echoes a password repeats it under another name, or in a text without names.
package struct SecretValues: Sendable {
    /// The shortest value that is searched for, in bytes. A shorter one would be found in innocent words.
    package static let shortest = 6
    /// The longest value that is searched for, in bytes. A longer one is a document with a secret name, and its forms
    /// would take much memory.
    package static let longest = 4 << 10

    /// The bytes of all values and their forms that are searched for. A server that sends more secrets than that could
    /// fill the memory; further ones are withheld under their names alone.
    private static let most = 16 << 20

    /// Values with the same first ``shortest`` bytes. There can be thousands of them, such as a list of tokens.
    private struct Group: Sendable {
        var values: Set<[UInt8]> = []
        /// The lengths of the values, the greatest first: a value may begin with another one.
        var lengths: [Int] = []
        /// The bytes that are compared where the first bytes stand in a text.
        var comparedBytes = 0
    }

    /// How many bytes may be compared for each byte of a text. A server could send thousands of secrets with the same first
    /// bytes, and then a text full of these.
    private static let effort = 30

    /// By their first ``shortest`` bytes, so that one pass over a text finds all of them.
    private var values: [UInt64: Group] = [:]
    private var bytes = 0

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(shortest).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Adds a value, and the forms that it has in URLs, in forms and in JSON.
    /// - Returns: whether the set did not hold the value yet.
    @discardableResult
    package mutating func insert(_ value: some Collection<UInt8>) -> Bool {
        guard value.count <= Self.longest, add(Array(value)) else { return false }
        addBothCases(PercentEncoding.encode(value))
        if let text = String(validating: value, as: UTF8.self) {
            addBothCases(PercentEncoding.encode(text, spaceAsPlus: true))
            addHTMLSafe(text)
            let once = Set(Self.jsonStyles.map { Self.json(text, $0) })
            // JSON as a string of other JSON, perhaps by another program.
            let twice = once.flatMap { inner in Self.jsonStyles.map { Self.json(inner, $0) } }
            for form in once.union(twice) { _ = add(Array(form.utf8)) }
        }
        return true
    }

    /// Adds a percent-encoded value. Some programs write its escapes in lower case.
    private mutating func addBothCases(_ encoded: String) {
        _ = add(Array(encoded.utf8))
        var lower = Array(encoded.utf8)
        for index in lower.indices where lower[index] == UInt8(ascii: "%") {
            for digit in lower[(index + 1)...].indices.prefix(2) where (0x41...0x46).contains(lower[digit]) {
                lower[digit] |= 0x20
            }
        }
        _ = add(lower)
    }

    /// Adds the text as programs write it in JSON that may stand inside HTML.
    private mutating func addHTMLSafe(_ text: String) {
        for isUpper in [false, true] {
            let safe = Self.json(text, (false, true)).unicodeScalars.reduce(into: "") { result, scalar in
                guard "<>&'+".unicodeScalars.contains(scalar) else { return result.unicodeScalars.append(scalar) }
                result += "\\u00" + String(scalar.value, radix: 16, uppercase: isUpper)
            }
            _ = add(Array(safe.utf8))
        }
    }

    private static let jsonStyles = [(false, false), (false, true), (true, false), (true, true)]

    /// The text as it stands in a string of JSON.
    /// - Parameter style: what a program may escape or not.
    static func json(_ text: String, _ style: (slashes: Bool, nonASCII: Bool)) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "/" where style.slashes: result += "\\/"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                guard scalar.value < 0x20 || (style.nonASCII && scalar.value > 0x7E) else {
                    result.unicodeScalars.append(scalar)
                    break
                }
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
    }

    private mutating func add(_ value: [UInt8]) -> Bool {
        guard value.count >= Self.shortest, bytes + value.count <= Self.most else { return false }
        let key = Self.key(value[...])
        guard values[key, default: Group()].values.insert(value).inserted else { return false }
        bytes += value.count
        if values[key]?.lengths.contains(value.count) == false {
            values[key]?.lengths.append(value.count)
            values[key]?.lengths.sort(by: >)
            values[key]?.comparedBytes += value.count
        }
        return true
    }

    /// The length of the longest value of a group that stands at a place; nil if none does. A number stands there only if
    /// it is not a part of a longer number.
    private static func length(of group: Group, in bytes: [UInt8], at start: Int) -> Int? {
        let digits: ClosedRange<UInt8> = 0x30...0x39
        return group.lengths.first { length in
            let end = start + length
            guard end <= bytes.count, group.values.contains(Array(bytes[start..<end])) else { return false }
            guard bytes[start..<end].allSatisfy(digits.contains) else { return true }
            return !(start > 0 && digits.contains(bytes[start - 1]))
                && !(end < bytes.count && digits.contains(bytes[end]))
        }
    }

    /// Whether the set holds exactly this value.
    func contains(_ value: ArraySlice<UInt8>) -> Bool {
        value.count >= Self.shortest && values[Self.key(value)]?.values.contains(Array(value)) == true
    }

    /// The bytes with ``Redaction/placeholder`` in place of each value; nil if they hold none. A text that takes too long
    /// to search is withheld as a whole.
    package func replaced(in bytes: [UInt8]) -> [UInt8]? {
        guard !values.isEmpty, bytes.count >= Self.shortest else { return nil }
        let mask: UInt64 = (1 << (UInt64(Self.shortest) * 8)) - 1
        var output: [UInt8] = []
        var start = 0
        var end = 0
        var key: UInt64 = 0
        var count = 0
        var effort = (bytes.count + 64) * Self.effort
        while end < bytes.count {
            key = (key << 8 | UInt64(bytes[end])) & mask
            count += 1
            end += 1
            guard count >= Self.shortest, let group = values[key] else { continue }
            effort -= group.comparedBytes
            if effort < 0 { return Array(Redaction.placeholder.utf8) }
            let place = end - Self.shortest
            guard let length = Self.length(of: group, in: bytes, at: place) else { continue }
            output += bytes[start..<place]
            output += Redaction.placeholder.utf8
            start = place + length
            (end, key, count) = (start, 0, 0)
        }
        return start == 0 ? nil : output + bytes[start...]
    }
}
