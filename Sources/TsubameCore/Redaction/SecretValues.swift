// SecretValues: secrets that are known by value, and withheld wherever a text repeats them.

/// A set of secret values. A server that echoes a password repeats it under another name, or in a text without names.
package struct SecretValues: Sendable {
    /// The shortest value that is searched for, in bytes. A shorter one would be found in innocent words.
    package static let shortest = 6

    /// The values by their first ``shortest`` bytes, so that one pass over a text finds all of them.
    private var values: [UInt64: [[UInt8]]] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(shortest).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Adds a value, and the forms that it has in URLs, in forms and in JSON.
    /// - Returns: whether the set did not hold the value yet.
    @discardableResult
    package mutating func insert(_ value: some Collection<UInt8>) -> Bool {
        guard add(Array(value)) else { return false }
        _ = add(Array(PercentEncoding.encode(value).utf8))
        if let text = String(validating: value, as: UTF8.self) {
            _ = add(Array(PercentEncoding.encode(text, spaceAsPlus: true).utf8))
            let once = Set(Self.jsonStyles.map { Self.json(text, $0) })
            // JSON as a string of other JSON, perhaps by another program.
            let twice = once.flatMap { inner in Self.jsonStyles.map { Self.json(inner, $0) } }
            for form in once.union(twice) { _ = add(Array(form.utf8)) }
        }
        return true
    }

    private static let jsonStyles = [(false, false), (false, true), (true, false), (true, true)]

    /// The text as it stands in a string of JSON.
    /// - Parameter style: what a program may escape or not.
    private static func json(_ text: String, _ style: (slashes: Bool, nonASCII: Bool)) -> String {
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
        guard value.count >= Self.shortest else { return false }
        let key = Self.key(value[...])
        guard values[key]?.contains(value) != true else { return false }
        values[key, default: []].append(value)
        // The longest first: a value may begin with another one.
        values[key]?.sort { $0.count > $1.count }
        return true
    }

    /// The bytes with ``Redaction/placeholder`` in place of each value; nil if they hold none.
    package func replaced(in bytes: [UInt8]) -> [UInt8]? {
        guard !values.isEmpty, bytes.count >= Self.shortest else { return nil }
        let mask: UInt64 = (1 << (UInt64(Self.shortest) * 8)) - 1
        var output: [UInt8] = []
        var start = 0
        var end = 0
        var key: UInt64 = 0
        var count = 0
        while end < bytes.count {
            key = (key << 8 | UInt64(bytes[end])) & mask
            count += 1
            end += 1
            guard count >= Self.shortest, let candidates = values[key] else { continue }
            let rest = bytes[(end - Self.shortest)...]
            guard let found = candidates.first(where: { rest.starts(with: $0) }) else { continue }
            output += bytes[start..<rest.startIndex]
            output += Redaction.placeholder.utf8
            start = rest.startIndex + found.count
            (end, key, count) = (start, 0, 0)
        }
        return start == 0 ? nil : output + bytes[start...]
    }
}
