// ConfigFile: the file of default options that apply to every request.

import TsubamePlatform

/// `$XDG_CONFIG_HOME/tsubame/config`, else `~/.config/tsubame/config`, with one default option of requests a line.
///
/// ```
/// # What our machines need.
/// --cacert "/etc/ssl/our roots.pem"
/// --timeout 30
/// --follow
/// ```
/// A line holds an option by its long name, and its value after a blank or `=`. Words are read as a shell reads them. A
/// blank ends a word unless it is quoted or follows a backslash, and `#` at the start of a word begins a comment. No
/// other shell syntax applies. These options come before those of the command line, so the command line wins.
struct ConfigFile {
    /// An option, and the number of its line.
    struct Line {
        /// Counted from 1.
        let number: Int
        // The option, and its value if the value is a word of its own.
        private let words: [String]

        init(number: Int, words: [String]) {
            self.number = number
            self.words = words
        }

        /// The option's long name, without its hyphens.
        var name: String { String((words.first ?? "").dropFirst(2).prefix { $0 != "=" }) }

        /// The arguments to read. Option and value are one word, so that no value can be taken for a URL.
        var arguments: [String] {
            words.count > 1 && !words[1].isEmpty ? [words.joined(separator: "=")] : words
        }
    }

    /// The longest file that is read, in bytes.
    private static let maximumBytes = 1 << 20
    let path: String
    private(set) var lines: [Line] = []
    /// The faults of lines that have no effect.
    private(set) var problems: [UsageProblem] = []

    /// Reads the file; nil if there is none. A file that cannot be read is reported and has no effect. A program
    /// that runs as another user may meet a folder that it cannot read.
    /// - Throws: for a wrong line about connections, TLS or credentials. Without it, a request could go another way than its
    ///   user believes.
    static func read() throws(UsageProblem) -> ConfigFile? {
        guard let path else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            // Without a file, this costs only one `open`.
            let file = try Descriptor.reading(path)
            defer { file.shut() }
            var read: [UInt8] = []
            while read.count <= maximumBytes, case let piece = try file.readPiece(64 << 10), piece.count > 0 {
                read += piece
            }
            bytes = read
        } catch {
            if !error.isMissingFile { Diagnostics.say("\(error); no default options are taken from it") }
            return nil
        }
        guard bytes.count <= maximumBytes else {
            Diagnostics.say("\(path) is longer than 1 MiB; no default options are taken from it")
            return nil
        }
        return try ConfigFile(path: path, text: String(decoding: bytes, as: UTF8.self))
    }

    /// The path that the environment gives; nil without a home folder.
    private static var path: String? {
        HomePath.base("XDG_CONFIG_HOME", orHome: ".config").flatMap { $0.hasPrefix("/") ? $0 + "/tsubame/config" : nil }
    }

    /// Another line that is wrong has no effect, and is one of ``problems``.
    /// - Throws: for a wrong line about connections, TLS or credentials.
    init(path: String, text: String) throws(UsageProblem) {
        self.path = path
        // Some editors begin a file with a byte order mark.
        let text = text.trimmingPrefix("\u{FEFF}")
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(UsageProblem) {
                if let line = try Self.line(index + 1, String(line), in: path) { lines.append(line) }
            } catch {
                try take(error, of: line)
            }
        }
    }

    /// Whether an option decides which way a request goes, or how safely.
    /// - Parameter name: the long name, also with `no-` before it.
    static func isOfSafety(_ name: some StringProtocol) -> Bool {
        let specs =
            ConnectionOptions.options.map(\.spec) + TLSOptions.options.map(\.spec) + AuthOptions.options.map(\.spec)
        return specs.contains { $0.name == name || "no-\($0.name)" == name }
    }

    /// The same for a group of letters, such as `vau:p`, up to the first that has a value.
    private static func isOfSafety(letters: Substring) -> Bool {
        for letter in letters {
            guard let spec = RequestCommand.table[letter]?.spec else { return false }
            if isOfSafety(spec.name) { return true }
            if spec.value != nil { return false }
        }
        return false
    }

    /// Notes that a line has no effect.
    /// - Parameter line: the line, or the beginning of its option.
    /// - Throws: the problem, if the line is about connections, TLS or credentials.
    mutating func take(_ problem: UsageProblem, of line: some StringProtocol) throws(UsageProblem) {
        let words =
            ShellWords.split(String(line))
            ?? line.split { $0 == " " || $0 == "\t" }.map { String($0.drop { $0 == "'" || $0 == "\"" }) }
        for (index, word) in words.enumerated() where index == 0 || word.hasPrefix("-") {
            let isShort = word.hasPrefix("-") && !word.hasPrefix("--")
            let name = word.drop { $0 == "-" }
            if isShort ? Self.isOfSafety(letters: name) : Self.isOfSafety(name.prefix { !" \t='\"".contains($0) }) {
                throw problem
            }
        }
        problems.append(problem)
    }

    private static func line(_ number: Int, _ text: String, in path: String) throws(UsageProblem) -> Line? {
        guard let words = ShellWords.split(text) else {
            throw UsageProblem("\(path):\(number): a quote is not closed.")
        }
        guard let first = words.first else { return nil }
        try check(first, words, place: "\(path):\(number)")
        return Line(number: number, words: words)
    }

    private static func check(_ first: String, _ words: [String], place: String) throws(UsageProblem) {
        guard first.hasPrefix("-"), first != "-" else {
            throw UsageProblem("\(place): “\(first)” is no option; write --name or --name value.")
        }
        guard first.hasPrefix("--") else {
            let long = first.dropFirst().first.flatMap { RequestCommand.table[$0] }?.spec.spelled
            // The letter's value may be a password.
            throw UsageProblem(
                "\(place): “\(first.prefix(2))” must be written by its long name\(long.map { ": \($0)" } ?? "").")
        }
        let name = String(first.prefix { $0 != "=" })
        // Options about the tool itself mean nothing as defaults.
        let isRefused = name == "--" || GeneralOptions.options.contains { $0.spec.spelled == name }
        guard !isRefused else { throw UsageProblem("\(place): \(name) cannot be a default option.") }
        let looksLikeOption = words.count > 1 && words[1].hasPrefix("-") && words[1] != "-"
        guard words.count <= (first.contains("=") ? 1 : 2), !looksLikeOption else {
            throw UsageProblem(
                "\(place): write one option a line, with its value after it; put a value with blanks in quotes, and "
                    + "one that begins with a hyphen after =.")
        }
    }
}
