// DatePattern: reads a text in a format of `strptime`.

import TsubamePlatform

/// The C library's own `strptime` takes names in the language of the process, and is hidden on some systems.
struct DatePattern {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    private var text: Substring
    private var parts = tm()
    private var nanoseconds: Int32 = 0
    /// Seconds east of universal time.
    private var offset: Int64 = 0
    /// nil if the format has no `%p`.
    private var isAfternoon: Bool?

    private init(_ text: String) {
        self.text = text[...]
        parts.tm_mday = 1
        parts.tm_year = 70
    }

    /// The moment; nil if the text does not fit the format as a whole.
    static func date(of text: String, format: String) -> FileDate? {
        var pattern = DatePattern(text)
        guard pattern.read(format), pattern.text.isEmpty else { return nil }
        if let isAfternoon = pattern.isAfternoon {
            pattern.parts.tm_hour = pattern.parts.tm_hour % 12 + (isAfternoon ? 12 : 0)
        }
        // The C library takes the 31st of February for the 3rd of March.
        let (day, month) = (pattern.parts.tm_mday, pattern.parts.tm_mon)
        let seconds = Int64(timegm(&pattern.parts))
        guard pattern.parts.tm_mday == day, pattern.parts.tm_mon == month else { return nil }
        return FileDate(seconds: seconds - pattern.offset, nanoseconds: pattern.nanoseconds)
    }

    private mutating func read(_ format: String) -> Bool {
        var rest = format[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                if character.isWhitespace {
                    text = text.drop(while: \.isWhitespace)
                } else if text.popFirst() != character {
                    return false
                }
                continue
            }
            // Such as `%.f`, `%.3f` and `%-d`.
            while let modifier = rest.first, modifier == "-" || modifier == "_" || modifier == ":" {
                rest.removeFirst()
            }
            if rest.first == "." {
                rest = rest.dropFirst().drop(while: \.isNumber)
                guard rest.popFirst() == "f", readFraction() else { return false }
                continue
            }
            guard let directive = rest.popFirst(), read(directive) else { return false }
        }
        return true
    }

    private mutating func read(_ directive: Character) -> Bool {
        switch directive {
        case "Y": return number(4, -9_999...9_999) { $0.tm_year = $1 - 1_900 }
        case "y": return number(2, 0...99) { $0.tm_year = $1 < 69 ? $1 + 100 : $1 }
        case "m": return number(2, 1...12) { $0.tm_mon = $1 - 1 }
        case "d", "e": return number(2, 1...31) { $0.tm_mday = $1 }
        case "H", "k": return number(2, 0...23) { $0.tm_hour = $1 }
        case "I", "l": return number(2, 1...12) { $0.tm_hour = $1 }
        case "M": return number(2, 0...59) { $0.tm_min = $1 }
        case "S": return number(2, 0...60) { $0.tm_sec = $1 }
        case "f": return readNanoseconds()
        case "b", "B", "h": return name(of: Self.months) { $0.tm_mon = $1 }
        case "a", "A": return name(of: Self.days) { _, _ in }
        case "p", "P":
            isAfternoon = text.lowercased().hasPrefix("pm")
            guard isAfternoon == true || text.lowercased().hasPrefix("am") else { return false }
            text = text.dropFirst(2)
            return true
        case "z": return readZone()
        case "Z":
            guard text.hasPrefix("UTC") || text.hasPrefix("GMT") else { return false }
            text = text.dropFirst(3)
            return true
        case "T": return read("%H:%M:%S")
        case "R": return read("%H:%M")
        case "F": return read("%Y-%m-%d")
        case "D": return read("%m/%d/%y")
        case "+": return read("%Y-%m-%dT%H:%M:%S%.f%z")
        case "%": return text.popFirst() == "%"
        default: return false
        }
    }

    private mutating func number(
        _ digits: Int, _ range: ClosedRange<Int32>, _ set: (inout tm, Int32) -> Void
    ) -> Bool {
        text = text.drop { $0 == " " }
        let found = text.prefix(digits).prefix { $0.isASCII && $0.isNumber }
        guard let value = Int32(found), range.contains(value) else { return false }
        text = text.dropFirst(found.count)
        set(&parts, value)
        return true
    }

    /// The whole name, or its first three letters.
    private mutating func name(of names: [String], _ set: (inout tm, Int32) -> Void) -> Bool {
        let lowered = text.prefix(9).lowercased()
        for (index, name) in names.enumerated() where lowered.hasPrefix(name.prefix(3)) {
            text = text.dropFirst(lowered.hasPrefix(name) ? name.count : 3)
            set(&parts, Int32(index))
            return true
        }
        return false
    }

    /// A point and digits, or nothing.
    private mutating func readFraction() -> Bool {
        guard text.first == "." else { return true }
        text.removeFirst()
        return readNanoseconds()
    }

    private mutating func readNanoseconds() -> Bool {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let nine = digits.prefix(9)
        guard let value = Int32(nine + String(repeating: "0", count: 9 - nine.count)), !digits.isEmpty else {
            return false
        }
        nanoseconds = value
        text = text.dropFirst(digits.count)
        return true
    }

    /// `Z`, `+0100` or `+01:00`.
    private mutating func readZone() -> Bool {
        guard let sign = text.popFirst() else { return false }
        if sign == "Z" || sign == "z" { return true }
        guard sign == "+" || sign == "-" else { return false }
        var digits = ""
        while digits.count < 4, let next = text.first, next == ":" || next.isASCII && next.isNumber {
            text.removeFirst()
            if next != ":" { digits.append(next) }
        }
        guard digits.count == 4, let hours = Int64(digits.prefix(2)), let minutes = Int64(digits.suffix(2)),
            minutes < 60
        else { return false }
        offset = (hours * 60 + minutes) * 60 * (sign == "-" ? -1 : 1)
        return true
    }
}
