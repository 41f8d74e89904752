// ConfigFile: the options that somebody wants with every request, and where they are written.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// `$XDG_CONFIG_HOME/tsubame/config`, else `~/.config/tsubame/config`: default options of requests, one a line.
///
/// ```
/// # What our machines need.
/// --cacert "/etc/ssl/our roots.pem"
/// --timeout 30
/// --follow
/// ```
/// A line is an option by its long name, and its value behind a blank or `=`. Words are read as a shell reads them: blanks
/// end a word unless they stand in quotes or behind a backslash, and `#` begins a comment where a word could begin. Nothing
/// else a shell does is done. The options come before those of the command line, so that these win.
struct ConfigFile {
    /// An option, and where it stands.
    struct Line {
        /// From 1.
        let number: Int
        // The option, and its value if that is a word of its own.
        private let words: [String]

        init(number: Int, words: [String]) {
            self.number = number
            self.words = words
        }

        /// To be read: in one word, so that no value can be taken for a URL.
        var arguments: [String] {
            words.count > 1 && !words[1].isEmpty ? [words.joined(separator: "=")] : words
        }
    }

    /// More than this is not read.
    private static let maximumBytes = 1 << 20
    let path: String
    var lines: [Line] = []

    /// nil if there is none. One that cannot be read is told of and goes without effect, since a program that runs for
    /// another user may meet that one's folder.
    /// - Throws: at a line that is no option.
    static func read() throws(UsageProblem) -> ConfigFile? {
        guard let path else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            // One `open` is all that it costs where there is none.
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
            throw UsageProblem("\(path) is longer than a file of options can be.")
        }
        return try ConfigFile(path: path, text: String(decoding: bytes, as: UTF8.self))
    }

    /// By the environment; nil if there is no home.
    private static var path: String? {
        // A folder that is not absolute is to be ignored, says the XDG Base Directory Specification.
        if let folder = getenv("XDG_CONFIG_HOME").map({ String(cString: $0) }), folder.hasPrefix("/") {
            return folder + "/tsubame/config"
        }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else { return nil }
        return home + "/.config/tsubame/config"
    }

    init(path: String, text: String) throws(UsageProblem) {
        self.path = path
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            guard let words = ShellWords.split(line) else {
                throw UsageProblem("\(path):\(number): a quote is not closed.")
            }
            guard let first = words.first else { continue }
            try Self.check(first, words, place: "\(path):\(number)")
            lines.append(Line(number: number, words: words))
        }
    }

    private static func check(_ first: String, _ words: [String], place: String) throws(UsageProblem) {
        guard first.hasPrefix("-"), first != "-" else {
            throw UsageProblem("\(place): “\(first)” is no option; one is written --name, or --name value.")
        }
        guard first.hasPrefix("--") else {
            let long = first.dropFirst().first.flatMap { RequestCommand.table[$0] }?.spec.spelled
            throw UsageProblem("\(place): “\(first)” is to be written by its long name\(long.map { ": \($0)" } ?? "").")
        }
        let name = String(first.prefix { $0 != "=" })
        // Those about the tool itself mean nothing as a default.
        let isRefused = name == "--" || GeneralOptions.options.contains { $0.spec.spelled == name }
        guard !isRefused else { throw UsageProblem("\(place): \(name) is no default option.") }
        let looksLikeOption = words.count > 1 && words[1].hasPrefix("-") && words[1] != "-"
        guard words.count <= (first.contains("=") ? 1 : 2), !looksLikeOption else {
            throw UsageProblem(
                "\(place): one option a line, and its value behind it; one with blanks stands in quotes, one with a "
                    + "hyphen before it behind =.")
        }
    }
}

#endif
