// ArgumentReader: reads a command line as the options of a command and the words between them.

/// Options stand anywhere before `--`. `--name value`, `--name=value`, `-n value`, `-nvalue` and `-n=value` give a
/// value. Letters of flags may be written together, and the last of them may take a value. If an option is given twice,
/// the last one counts. `--no-name` takes an option back, wherever it stands.
struct ArgumentReader<Command: ToolCommand> {
    /// An option that was given.
    struct Use {
        let option: CommandOption<Command>
        let value: OptionValue

        var name: String { option.spec.name }
    }

    /// The words that are not options, and every word after `--`.
    private(set) var words: [String] = []
    /// The given options, without those that were taken back.
    private(set) var uses: [Use] = []
    /// Names of the options that were taken back, without `--no-`.
    private(set) var takenBack: [String] = []
    private var rest: ArraySlice<String>

    /// - Throws: for an unknown option, and for a value that is missing or superfluous.
    init(_ arguments: ArraySlice<String>) throws(UsageProblem) {
        rest = arguments
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else {
                words.append(word)
                continue
            }
            if word == "--" {
                words += rest
                break
            }
            if word.hasPrefix("--") { try readName(word) } else { try readLetters(word) }
        }
        if !takenBack.isEmpty { uses.removeAll { takenBack.contains($0.name) } }
    }

    func contains(_ name: String) -> Bool { uses.contains { $0.name == name } }

    /// Sets the properties of `command` that the given options name.
    func apply(to command: inout Command) throws(UsageProblem) {
        for use in uses {
            do {
                try use.option.set(&command, use.value)
            } catch {
                throw UsageProblem("\(use.option.spec.spelled): \(error.description)")
            }
        }
    }

    private mutating func readName(_ word: String) throws(UsageProblem) {
        let text = word.dropFirst(2)
        let end = text.firstIndex(of: "=") ?? text.endIndex
        let name = text[..<end]
        let value = end == text.endIndex ? nil : String(text[text.index(after: end)...])
        // `--no-verify` would switch verification back on, but its user hardly ever means that.
        if name == "no-verify", let hint = ForeignOptions.hint(name) { throw UsageProblem("--no-verify: \(hint).") }
        // The help of a small command is whole.
        if let option = Command.table[name]
            ?? (name == GeneralOptions.helpAll ? Command.table[GeneralOptions.help] : nil)
        {
            try add(option, value, as: "--\(name)")
        } else if name.hasPrefix("no-"), value != nil, let option = Command.table["no" + name.dropFirst(3)] {
            // curl calls it --noproxy; users of HTTPie's --no-OPTION write a hyphen.
            try add(option, value, as: "--\(name)")
        } else if name.hasPrefix("no-"), let option = Command.table[name.dropFirst(3)] {
            guard value == nil else { throw UsageProblem("--\(name) takes no value.") }
            if option.spec.isToggle {
                uses.append(Use(option: option, value: .off))
            } else {
                takenBack.append(option.spec.name)
            }
        } else {
            throw UsageProblem("There is no option --\(name)\(Self.suggestion(name))")
        }
    }

    private mutating func readLetters(_ word: String) throws(UsageProblem) {
        // Otherwise `-output x` would write to a file named utput.
        if word.utf8.count > 2, Command.table[word.dropFirst()] != nil {
            throw UsageProblem("“\(word)” is written with two hyphens: -\(word).")
        }
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = Command.table[letter] else {
                let place = word.count > 2 ? " in “\(word)”" : ""
                throw UsageProblem("There is no option -\(letter)\(place)\(Self.suggestion(word.dropFirst()))")
            }
            if option.spec.value != nil, !letters.isEmpty {
                let value = letters.first == "=" ? letters.dropFirst() : letters
                return try add(option, String(value), as: "-\(letter)")
            }
            guard letters.first != "=" else { throw UsageProblem("-\(letter) takes no value.") }
            try add(option, nil, as: "-\(letter)")
        }
    }

    /// - Parameters:
    ///   - value: the value from the same word, if there is one.
    ///   - spelled: the option as the user typed it.
    private mutating func add(
        _ option: CommandOption<Command>, _ value: String?, as spelled: String
    ) throws(UsageProblem) {
        guard let kind = option.spec.value else {
            guard value == nil else { throw UsageProblem("\(spelled) takes no value.") }
            uses.append(Use(option: option, value: .on))
            return
        }
        if let value {
            uses.append(Use(option: option, value: .text(value)))
            return
        }
        guard let next = rest.first else { throw UsageProblem("\(spelled) needs a value: \(kind.name).") }
        guard kind.isAnyWord || next == "-" || !next.hasPrefix("-") else {
            throw UsageProblem(
                "\(spelled) needs a value: \(kind.name). One that begins with a hyphen goes after =: "
                    + "\(option.spec.spelled)=-…")
        }
        rest.removeFirst()
        uses.append(Use(option: option, value: .text(next)))
    }

    private static func suggestion(_ name: some StringProtocol) -> String {
        // The hints are about request options of curl and HTTPie, so only requests give them.
        if Command.name.isEmpty, let hint = ForeignOptions.hint(name) { return "; \(hint)." }
        if Command.name == RunCommand.name, let hint = ForeignOptions.hurlHint(String(name)) { return "; \(hint)." }
        let nearest = Command.table.nearest(to: name)
        guard let last = nearest.last else { return "." }
        let others = nearest.dropLast().joined(separator: ", ")
        return "; is \(others.isEmpty ? "" : others + " or ")\(last) meant?"
    }
}
