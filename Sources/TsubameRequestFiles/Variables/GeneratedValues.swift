// GeneratedValues: the values that come from the clock, from chance and from the environment.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import TsubamePlatform

/// The expressions that begin with a dollar sign, and Hurl's functions.
package struct GeneratedValues: Sendable {
    private let now: @Sendable () -> FileDate
    private let environment: @Sendable (String) -> String?
    /// Called for a variable of the environment that is missing, whose value is empty.
    private let onMissing: @Sendable (_ name: String) -> Void
    /// The pairs of the file `.env` beside the requests.
    private let dotenv: [String: String]

    package init(
        now: @escaping @Sendable () -> FileDate = FileDate.now,
        environment: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } },
        dotenv: [String: String] = [:],
        onMissing: @escaping @Sendable (_ name: String) -> Void = { _ in }
    ) {
        self.now = now
        self.environment = environment
        self.onMissing = onMissing
        self.dotenv = dotenv
    }

    /// nil if the expression is no generated value.
    func value(of expression: String, in variables: FileVariables, depth: Int) throws(ValueProblem) -> FileValue? {
        switch expression {
        case "newUuid": return .text(Self.uuid())
        case "newDate": return .date(now())
        default: break
        }
        if expression.hasPrefix("random"), let text = try Self.random(Self.words(expression[...])) { return text }
        guard expression.hasPrefix("$") else { return nil }
        var words = Self.words(expression.dropFirst())
        guard !words.isEmpty else { return nil }
        let name = words.removeFirst()
        switch name {
        case "guid", "uuid", "random.uuid": return .text(Self.uuid())
        case "timestamp": return .integer(Int128(try moved(words).seconds))
        case "isoTimestamp": return .text(now().formatted("%Y-%m-%dT%H:%M:%S%.3fZ") ?? "")
        case "datetime", "localDatetime":
            guard let format = words.first else { throw ValueProblem("$\(name) needs a format, such as iso8601") }
            let date = try moved(Array(words.dropFirst()))
            return .text(try Self.text(of: date, format, isLocal: name == "localDatetime"))
        case "randomInt", "random.integer": return .integer(Int128(try Self.number(words, name)))
        case "random.float": return .number(try Self.fraction(words))
        case "random.alphabetic": return .text(try Self.letters(words, name, "abcdefghijklmnopqrstuvwxyz"))
        case "random.alphanumeric":
            return .text(try Self.letters(words, name, "abcdefghijklmnopqrstuvwxyz0123456789"))
        case "random.hexadecimal": return .text(try Self.letters(words, name, "0123456789abcdef"))
        case "random.email":
            return .text(try Self.letters(["8"], name, "abcdefghijklmnopqrstuvwxyz") + "@example.com")
        case "processEnv":
            let text = try variable(words, in: variables, depth: depth) { name in
                if let value = environment(name) { return value }
                // Editors send nothing in its place.
                onMissing(variables.redacted(name))
                return ""
            }
            return .text(text)
        case "dotenv":
            return .text(try variable(words, in: variables, depth: depth, place: "the file .env") { dotenv[$0] })
        case _ where name.hasPrefix("env."):
            return .text(try variable([String(name.dropFirst(4))], in: variables, depth: depth, environment))
        default: throw ValueProblem("$\(name) is no generated value")
        }
    }

    /// Words separated by spaces, commas or parentheses. A word in quotation marks may contain these.
    private static func words(_ text: Substring) -> [String] {
        var (words, word, quote): ([String], String, Character?) = ([], "", nil)
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if " \t,()".contains(character) {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// Hurl's functions of chance; nil if the words name none.
    private static func random(_ words: [String]) throws(ValueProblem) -> FileValue? {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        func word() throws(ValueProblem) -> String {
            try Self.letters(["\(Int.random(in: 4...9))"], "randomWord", letters)
        }
        let rest = Array(words.dropFirst())
        switch words.first {
        case "randomBool": return .bool(Bool.random())
        case "randomInt": return .integer(Int128(try number(rest, "randomInt")))
        case "randomString": return .text(try Self.letters(rest, "randomString", letters + "0123456789"))
        case "randomEmail": return .text("\(try word())@example.com")
        case "randomWord": return .text(try word())
        case "randomFirstName", "randomLastName": return .text(try word().capitalizedFirst)
        case "randomFullName": return .text("\(try word().capitalizedFirst) \(try word().capitalizedFirst)")
        default: return nil
        }
    }

    private static func uuid() -> String { UUID().uuidString.lowercased() }

    /// The time, moved by a number of units: `-3 h`, `1 d`.
    private func moved(_ words: [String]) throws(ValueProblem) -> FileDate {
        if words.isEmpty { return now() }
        let seconds: [String: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        let months: [String: Int64] = ["M": 1, "Q": 3, "y": 12]
        if words.count == 2, let count = Int64(words[0]), (-1_000_000_000...1_000_000_000).contains(count) {
            if let unit = seconds[words[1]] { return now().adding(seconds: count * unit) }
            if let unit = months[words[1]] {
                guard let date = now().adding(months: count * unit) else {
                    throw ValueProblem("the time moved by \(count) \(words[1]) is out of range")
                }
                return date
            }
            if words[1] == "ms" { return now().adding(milliseconds: count) }
        }
        throw ValueProblem("a time is moved by a number and a unit (y, Q, M, w, d, h, m, s or ms), such as -3 h")
    }

    private static func text(
        of date: FileDate, _ format: String, isLocal: Bool
    ) throws(ValueProblem) -> String {
        let zone = isLocal ? date.formatted("%z", isLocal: true) ?? "+0000" : "+0000"
        let longZone = "\(zone.prefix(3)):\(zone.suffix(2))"
        let thousandths = String(date.formatted("%.3f")?.dropFirst() ?? "000")
        switch format {
        case "rfc1123": return date.formatted("%a, %d %b %Y %H:%M:%S \(isLocal ? zone : "GMT")", isLocal: isLocal) ?? ""
        case "iso8601":
            return date.formatted("%Y-%m-%dT%H:%M:%S%.3f\(isLocal ? longZone : "Z")", isLocal: isLocal) ?? ""
        default: break
        }
        // The letters of a format, the longest first.
        let letters = [
            ("YYYY", "%Y"), ("YY", "%y"), ("MMMM", "%B"), ("MMM", "%b"), ("MM", "%m"), ("DD", "%d"), ("dddd", "%A"),
            ("ddd", "%a"), ("HH", "%H"), ("hh", "%I"), ("mm", "%M"), ("ss", "%S"), ("SSS", thousandths), ("A", "%p"),
            ("ZZ", zone), ("Z", longZone), ("X", "\(date.seconds)"), ("x", "\(date.seconds)\(thousandths)"),
            ("d", "%w"), ("D", "%-d"), ("M", "%-m"), ("H", "%-H"), ("h", "%-I"),
            ("m", "%-M"), ("s", "%-S"), ("a", "%P"),
        ]
        var (rest, pattern) = (format[...], "")
        while let character = rest.first {
            if character == "[", let end = rest.firstIndex(of: "]") {
                // Brackets enclose text that stands for itself.
                pattern += rest[..<end].dropFirst().replacing("%", with: "%%")
                rest = rest[rest.index(after: end)...]
            } else if let (text, directive) = letters.first(where: { rest.hasPrefix($0.0) }) {
                pattern += directive
                rest = rest.dropFirst(text.count)
            } else {
                pattern += character == "%" ? "%%" : String(character)
                rest = rest.dropFirst()
            }
        }
        guard let text = date.formatted(pattern, isLocal: isLocal) else {
            throw ValueProblem("“\(format)” is no format of a date")
        }
        return text
    }

    /// A number from the first up to the second, without the second: from 0 to 1000 unless they are given.
    private static func number(_ words: [String], _ name: String) throws(ValueProblem) -> Int64 {
        if words.isEmpty { return Int64.random(in: 0..<1_000) }
        guard words.count == 2, let low = Int64(words[0]), let high = Int64(words[1]), low < high else {
            throw ValueProblem("$\(name) needs two numbers, the smaller one first")
        }
        return Int64.random(in: low..<high)
    }

    /// A fraction from the first number up to the second: from 0 to 1000 unless they are given.
    private static func fraction(_ words: [String]) throws(ValueProblem) -> Double {
        if words.isEmpty { return Double.random(in: 0..<1_000) }
        guard words.count == 2, let low = Double(words[0]), let high = Double(words[1]), low < high,
            (high - low).isFinite
        else { throw ValueProblem("$random.float needs two numbers, the smaller one first") }
        return Double.random(in: low..<high)
    }

    private static func letters(_ words: [String], _ name: String, _ alphabet: String) throws(ValueProblem) -> String {
        guard let word = words.first, let count = Int(word), (1...65_536).contains(count) else {
            throw ValueProblem("$\(name) needs a length from 1 to 65536")
        }
        let letters = Array(alphabet)
        return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }

    /// The value of a name. With `%` before it, the name is that of a variable whose value is the name.
    private func variable(
        _ words: [String], in variables: FileVariables, depth: Int, place: String = "the environment",
        _ look: (String) -> String?
    ) throws(ValueProblem) -> String {
        guard var name = words.first, words.count == 1 else {
            throw ValueProblem("the name of one variable is missing")
        }
        if name.hasPrefix("%") { name = try variables.value(of: String(name.dropFirst()), depth: depth + 1).text }
        guard let value = look(name) else { throw ValueProblem("\(place) has no variable \(name)") }
        return value
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
