// RequestArguments: the words of a command line with the default options before them, and without what is taken back.
#if Tool
import ArgumentParser

struct RequestArguments {
    /// An option of one of these makes a default of the same list none.
    private static let alternatives: [Set<String>] = [
        ["--json", "-j", "--form", "-f", "--multipart"],
        ["--print", "-p", "--headers", "-h", "--body", "-b", "--meta", "-m", "--verbose", "-v"],
    ]
    /// What follows them is their value, whatever it looks like.
    private static let valueOptions: Set<String> = ["--raw", "--auth", "-a"]

    private var config: ConfigFile?
    private var words: [String]

    /// - Parameter words: of the command line, without the program's name.
    /// - Throws: at a wrong line of the file of default options.
    init(_ words: [String]) throws(UsageProblem) {
        self.words = words
        let options = Self.options(words)
        // Help must be there, too, when that file is wrong.
        if !options.contains("--ignore-config"), !options.contains("--help"), !options.contains("--version") {
            config = try ConfigFile.read()
        }
        for alternative in Self.alternatives where config != nil && !alternative.isDisjoint(with: options) {
            config?.lines.removeAll { alternative.contains($0.option) }
        }
        takeBack(options.filter { $0.hasPrefix("--no-") })
    }

    /// For the parser: the defaults come first, so that the command line wins.
    var all: [String] { (config?.lines.flatMap(\.arguments) ?? []) + words }

    /// The parser's error as one that names the line of the file of default options that it is about, if it is.
    func problem(of error: any Error) -> any Error {
        // None has a mistake that only the command line has.
        for line in config?.lines ?? [] {
            do {
                _ = try RequestCommand.parse(line.arguments + ["localhost"])
            } catch {
                let message = RequestCommand.message(for: error)
                return ValidationError("\(config?.path ?? ""):\(line.number): \(message)")
            }
        }
        return error
    }

    /// The options among the words: flags that are written together one by one, long ones without their values.
    private static func options(_ words: [String]) -> Set<String> {
        var options: Set<String> = []
        var previous = ""
        for word in words {
            if valueOptions.contains(previous) {
                previous = ""
                continue
            }
            previous = word
            if word == "--" { break }
            if word.hasPrefix("--") {
                options.insert(String(word.prefix { $0 != "=" }))
            } else if word.hasPrefix("-") {
                for letter in word.dropFirst() where letter.isLetter { options.insert("-\(letter)") }
            }
        }
        return options
    }

    // MARK: --no-OPTION

    /// Takes `--no-OPTION`, and every OPTION before or behind it, out of the words and the defaults.
    private mutating func takeBack(_ requests: Set<String>) {
        guard !requests.isEmpty else { return }
        let table = OptionTable()
        for request in requests where table[request] == nil {
            // Of an option that does not exist, the parser tells.
            guard let entry = table["--" + request.dropFirst("--no-".count)] else { continue }
            config?.lines.removeAll { entry.names.contains($0.option) }
            words = Self.words(words, without: entry, and: request, table)
        }
    }

    private static func words(
        _ words: [String], without entry: OptionTable.Entry, and request: String, _ table: OptionTable
    ) -> [String] {
        var result: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return result + [word] + rest }
            let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : word
            if word == request { continue }
            if entry.names.contains(name) {
                if entry.takesValue, name == word { _ = rest.popFirst() }
                continue
            }
            if let other = table[name] {
                result.append(word)
                if other.takesValue, name == word, let value = rest.popFirst() { result.append(value) }
                continue
            }
            let left = entry.takesValue ? word : Self.cluster(word, without: entry)
            if left != "-" || word == "-" { result.append(left) }
        }
        return result
    }

    /// `-Fv` without `-F` is `-v`.
    private static func cluster(_ word: String, without entry: OptionTable.Entry) -> String {
        guard word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2 else { return word }
        let kept = word.dropFirst().filter { !entry.names.contains("-\($0)") }
        return "-" + kept
    }
}

#endif
