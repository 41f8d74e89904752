// ShellLine: splits text into commands and words as a POSIX shell does, without running anything.

/// A command that was copied for a shell.
package struct ShellLine {
    package struct Problem: Error, Sendable {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    private var scalars: [Unicode.Scalar]
    private var offset = 0
    private let variable: (String) -> String?

    /// The commands of a text, each as its words. Quotes of all kinds, `$'…'`, variables, comments and continued lines
    /// are read.
    ///
    /// Browsers also copy commands for Windows. There `^` escapes, and continues a line; such a text is recognised by
    /// `curl ^"` or by lines that end with ` ^`.
    /// - Parameter variable: the values of `$NAME`.
    package static func commands(
        in text: String, variable: @escaping (String) -> String?
    ) throws(Problem) -> [[String]] {
        let isOfWindows = text.hasPrefix("curl ^\"") || text.contains(" ^\n") || text.contains(" ^\r\n")
        var line = ShellLine(
            scalars: Array((isOfWindows ? fromWindows(text) : text).unicodeScalars), variable: variable)
        var commands: [[String]] = []
        while line.offset < line.scalars.count {
            let words = try line.words()
            if !words.isEmpty { commands.append(words) }
        }
        return commands
    }

    /// The same words for a POSIX shell: without carets, and with `"` escaped by a backslash.
    private static func fromWindows(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            guard scalar == "^", index < scalars.count else {
                // Within quotes, the command interpreter doubles a percent sign.
                if scalar == "$" || scalar == "`" { result.append("\\") }
                result.append(scalar)
                continue
            }
            if scalars[index] == "\r" { index += 1 }
            if index < scalars.count, scalars[index] == "\n" {
                index += 1
                result.append(" ")
            } else if index < scalars.count {
                if scalars[index] == "$" || scalars[index] == "`" { result.append("\\") }
                result.append(scalars[index])
                index += 1
            }
        }
        return String(result)
    }

    private var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = current else { return nil }
        offset += 1
        return scalar
    }

    /// The words up to the end of the command.
    private mutating func words() throws(Problem) -> [String] {
        var words: [String] = []
        // nil between words, because '' is a word.
        var word: String.UnicodeScalarView?
        func end() {
            if let found = word { words.append(String(found)) }
            word = nil
        }
        func add(_ text: String) {
            if word == nil { word = String.UnicodeScalarView() }
            word?.append(contentsOf: text.unicodeScalars)
        }
        while let scalar = next() {
            switch scalar {
            case "\\":
                guard let escaped = next() else { break }
                if escaped == "\r", current == "\n" { offset += 1 }
                if escaped != "\n", escaped != "\r" { add(String(escaped)) }
            case "'": add(try quoted())
            case "\"": add(try doubleQuoted())
            case "$" where current == "'":
                offset += 1
                add(try ansiQuoted())
            case "$": add(try expansion())
            case "`": throw Problem("` would run a command, and none is run here")
            case " ", "\t": end()
            case "\n", "\r", ";":
                end()
                return words
            case "|", "&", "<", ">":
                throw Problem("\(scalar) belongs to the shell, and only a curl command can stand here")
            case "#" where word == nil: while let rest = current, rest != "\n" { offset += 1 }
            default: add(String(scalar))
            }
        }
        end()
        return words
    }

    private mutating func quoted() throws(Problem) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = next() {
            if scalar == "'" { return String(text) }
            text.append(scalar)
        }
        throw Problem("a quotation mark ' is not closed")
    }

    private mutating func doubleQuoted() throws(Problem) -> String {
        var text = ""
        while let scalar = next() {
            switch scalar {
            case "\"": return text
            case "\\":
                guard let escaped = next() else { break }
                if escaped == "\n" { continue }
                if !"\"\\$`".unicodeScalars.contains(escaped) { text += "\\" }
                text.unicodeScalars.append(escaped)
            case "$": text += try expansion()
            case "`": throw Problem("` would run a command, and none is run here")
            default: text.unicodeScalars.append(scalar)
            }
        }
        throw Problem("a quotation mark \" is not closed")
    }

    /// `$'…'` with its escapes. Escapes of bytes are read as UTF-8 together.
    private mutating func ansiQuoted() throws(Problem) -> String {
        var bytes: [UInt8] = []
        func digits(_ count: Int, radix: Int) -> UInt32? {
            var text = ""
            while text.count < count, let scalar = current, Int(String(scalar), radix: radix) != nil {
                text.unicodeScalars.append(scalar)
                offset += 1
            }
            return UInt32(text, radix: radix)
        }
        while let scalar = next() {
            if scalar == "'" {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw Problem("a text in $'…' is not UTF-8; save it in a file, and give --data-binary @FILE")
                }
                return text
            }
            guard scalar == "\\", let escaped = next() else {
                bytes += Array(String(scalar).utf8)
                continue
            }
            switch escaped {
            case "n": bytes.append(0x0A)
            case "r": bytes.append(0x0D)
            case "t": bytes.append(0x09)
            case "a": bytes.append(0x07)
            case "b": bytes.append(0x08)
            case "f": bytes.append(0x0C)
            case "v": bytes.append(0x0B)
            case "e", "E": bytes.append(0x1B)
            case "x": bytes.append(UInt8(truncatingIfNeeded: digits(2, radix: 16) ?? 0))
            case "u", "U":
                guard let value = digits(escaped == "u" ? 4 : 8, radix: 16) else { break }
                // Browsers write characters above U+FFFF as two escapes.
                var number = value
                if (0xD800...0xDBFF).contains(value), current == "\\", offset + 1 < scalars.count,
                    scalars[offset + 1] == "u"
                {
                    offset += 2
                    let low = digits(4, radix: 16) ?? 0
                    if (0xDC00...0xDFFF).contains(low) { number = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00) }
                }
                bytes += Array(String(Unicode.Scalar(number) ?? "\u{FFFD}").utf8)
            case "0"..."7":
                offset -= 1
                bytes.append(UInt8(truncatingIfNeeded: digits(3, radix: 8) ?? 0))
            default: bytes += Array(String(escaped).utf8)
            }
        }
        throw Problem("a quotation mark $' is not closed")
    }

    /// `$NAME` or `${NAME}`; a dollar sign alone stands for itself.
    private mutating func expansion() throws(Problem) -> String {
        if current == "(" { throw Problem("$( would run a command, and none is run here") }
        let isBraced = current == "{"
        if isBraced { offset += 1 }
        var name = ""
        while let scalar = current, scalar.isASCII,
            scalar.properties.isAlphabetic || scalar == "_" || ("0"..."9").contains(scalar)
        {
            name.unicodeScalars.append(scalar)
            offset += 1
        }
        if isBraced {
            guard next() == "}", !name.isEmpty else {
                throw Problem("only ${NAME} can stand here, and no other expansion")
            }
        }
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return "$" + name }
        guard let value = variable(name) else { throw Problem("the environment has no variable \(name)") }
        return value
    }
}
