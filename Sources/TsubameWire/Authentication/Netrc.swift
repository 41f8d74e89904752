// Netrc: names and passwords of hosts, in the `~/.netrc` format of ftp and curl.

import TsubameCore

/// The entries of a netrc file.
///
/// A file consists of words, separated by white space. `machine NAME` or `default` begins an entry. `login`,
/// `password` and `account` follow in any order and on any line. `macdef` and all text up to an empty line is
/// skipped.
///
/// A word in double quotes may hold spaces; with a backslash it may hold quotes, backslashes, `\n`, `\r` and `\t`. A
/// `#` where a keyword could begin starts a comment that runs to the end of the line.
package struct Netrc: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// In the form of ``Origin/host``; nil for the default entry.
        let host: String?
        package var login: String?
        package var password: String?
    }

    private static let maximumBytes = 1 << 20
    private static let maximumWord = 4 << 10

    private var entries: [Entry] = []

    /// A file without entries.
    package init() {}

    /// - Throws: ``NetrcError`` if the file cannot be parsed. A half-read file could send the wrong credentials.
    package init(_ bytes: some Collection<UInt8>) throws(NetrcError) {
        guard bytes.count <= Self.maximumBytes else {
            throw NetrcError(line: 1, reason: "the file has more than \(Self.maximumBytes) bytes")
        }
        // Some editors begin a file with a byte order mark.
        var scanner = NetrcScanner(Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]))
        var entry: Entry?
        func value(of keyword: String, line: Int) throws(NetrcError) -> String {
            guard let word = try scanner.word() else {
                throw NetrcError(line: line, reason: "no value follows \(keyword)")
            }
            return word.text
        }
        while let word = try scanner.word(skippingComments: true) {
            let keyword = word.isQuoted ? "" : word.text.lowercased()
            switch keyword {
            case "machine", "default":
                if let entry { entries.append(entry) }
                let host = keyword == "default" ? nil : Self.host(try value(of: keyword, line: word.line))
                entry = Entry(host: host, login: nil, password: nil)
            case "macdef":
                _ = try value(of: keyword, line: word.line)
                scanner.skipMacro()
            case "login", "password", "account":
                let text = try value(of: keyword, line: word.line)
                guard entry != nil else {
                    throw NetrcError(line: word.line, reason: "\(keyword) comes before the first machine or default")
                }
                if keyword == "login" { entry?.login = text }
                if keyword == "password" { entry?.password = text }
            default:
                // The word may be part of a password, so the error does not show it.
                throw NetrcError(line: word.line, reason: "a word is not a keyword; put a value with spaces in quotes")
            }
        }
        if let entry { entries.append(entry) }
    }

    /// The first entry for a host, or else the default entry.
    /// - Parameters:
    ///   - host: in the form of ``Origin/host``.
    ///   - login: if given, only an entry with this name matches.
    package func entry(for host: String, login: String? = nil) -> Entry? {
        let host = Self.withoutRoot(host)
        let fitting = entries.filter { login == nil || $0.login == login }
        return fitting.first { $0.host == host } ?? fitting.first { $0.host == nil }
    }

    /// The host in the form that URLs use, if it is valid in a URL.
    private static func host(_ name: String) -> String {
        let literal = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
        return withoutRoot(Origin("http://\(literal)")?.host ?? name.lowercased())
    }

    private static func withoutRoot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }

    fileprivate static var longestWord: Int { maximumWord }
}

/// A netrc file that cannot be parsed.
public struct NetrcError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line at fault, counted from 1.
    public let line: Int
    /// The reason, without any value from the file.
    public let reason: String

    init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}

/// A position in the bytes of a netrc file.
private struct NetrcScanner {
    struct Word {
        let text: String
        let isQuoted: Bool
        let line: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func advance() {
        if current == 0x0A { line += 1 }
        offset += 1
    }

    mutating func word(skippingComments: Bool = false) throws(NetrcError) -> Word? {
        while let byte = current {
            if byte <= 0x20 {
                advance()
            } else if skippingComments, byte == UInt8(ascii: "#") {
                skipLine()
            } else {
                break
            }
        }
        guard let first = current else { return nil }
        let start = line
        let isQuoted = first == UInt8(ascii: "\"")
        let word = try isQuoted ? quoted() : plain()
        guard word.count <= Netrc.longestWord else {
            throw NetrcError(line: start, reason: "a word has more than \(Netrc.longestWord) bytes")
        }
        guard let text = String(validating: word, as: UTF8.self) else {
            throw NetrcError(line: start, reason: "a word is no text in UTF-8")
        }
        return Word(text: text, isQuoted: isQuoted, line: start)
    }

    private mutating func plain() -> [UInt8] {
        let start = offset
        while let byte = current, byte > 0x20 { offset += 1 }
        return Array(bytes[start..<offset])
    }

    private mutating func quoted() throws(NetrcError) -> [UInt8] {
        let start = line
        var word: [UInt8] = []
        offset += 1
        while let byte = current, byte != 0x0A {
            offset += 1
            if byte == UInt8(ascii: "\"") { return word }
            guard byte == UInt8(ascii: "\\"), let escaped = current, escaped != 0x0A else {
                word.append(byte)
                continue
            }
            offset += 1
            switch escaped {
            case UInt8(ascii: "n"): word.append(0x0A)
            case UInt8(ascii: "r"): word.append(0x0D)
            case UInt8(ascii: "t"): word.append(0x09)
            default: word.append(escaped)
            }
        }
        throw NetrcError(line: start, reason: "a quote is not closed")
    }

    private mutating func skipLine() {
        while let byte = current, byte != 0x0A { offset += 1 }
    }

    /// Skips to the next empty line or the end of the file.
    mutating func skipMacro() {
        skipLine()
        while current != nil {
            advance()
            let start = offset
            skipLine()
            if bytes[start..<offset].allSatisfy({ $0 == 0x0D }) { return }
        }
    }
}
