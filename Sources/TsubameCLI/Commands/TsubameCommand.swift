// TsubameCommand: the tool's entry point, which runs the command that the arguments name.

import Tsubame
import TsubamePlatform

/// Runs a request, unless the first argument names another command.
enum TsubameCommand {
    static let version = "tsubame \(Client.version)"

    /// Reads the arguments, runs their command, and ends the process. A usage error ends it with 64.
    static func start() -> Never {
        Descriptor.reserveStandardStreams()
        let words = CommandLine.arguments.dropFirst()
        do {
            try checkBytes()
            exit(try run(words).rawValue)
        } catch let problem as UsageProblem {
            Diagnostics.say(problem)
            exit(ExitStatus.usage.rawValue)
        } catch {
            Diagnostics.say(error)
            exit(ExitStatus.failure.rawValue)
        }
    }

    /// Swift replaces bytes that are not UTF-8, so another file or another text would be meant.
    private static func checkBytes() throws(UsageProblem) {
        for index in 1..<max(CommandLine.argc, 1) {
            guard let argument = CommandLine.unsafeArgv[Int(index)], String(validatingCString: argument) == nil else {
                continue
            }
            // The argument may be a password.
            throw UsageProblem(
                "Argument \(index) is no text in UTF-8. A body of other bytes comes from a file: --raw @FILE.")
        }
    }

    private static func run(_ words: ArraySlice<String>) throws -> ExitStatus {
        switch words.first {
        case BenchCommand.name: return try run(BenchCommand.self, words.dropFirst())
        case CacheCommand.name: return try run(CacheCommand.self, words.dropFirst())
        case ConvertCommand.name: return try run(ConvertCommand.self, words.dropFirst())
        case FormatCommand.name: return try run(FormatCommand.self, words.dropFirst())
        case CookiesCommand.name: return try run(CookiesCommand.self, words.dropFirst())
        case RunCommand.name: return try run(RunCommand.self, words.dropFirst())
        case ServeCommand.name: return try run(ServeCommand.self, words.dropFirst())
        case DemoCommand.name: return try run(DemoCommand.self, words.dropFirst())
        case UploadCommand.name: return try run(UploadCommand.self, words.dropFirst())
        case WatchCommand.name: return try run(WatchCommand.self, words.dropFirst())
        case CurlCommand.name where words.count == 2 && ["--help", "--help-all"].contains(words.last):
            return try show(.named(CurlCommand.name), isWhole: words.last == "--help-all")
        case CurlCommand.name:
            return try runRequest(try CurlCommand.arguments(words.dropFirst())[...], isTranslated: true)
        case "help": return try help(words.dropFirst())
        default: return try runRequest(words)
        }
    }

    /// A word that is the name of a command, or almost, is not taken for a host.
    private static func refuseCommand(_ word: String?) throws(UsageProblem) {
        guard let word else { return }
        let names = CommandPage.names + ["help"]
        if names.contains(word) {
            throw UsageProblem("The name of a command comes first: tsubame \(word) …")
        }
        // Many hosts have names that are only like those of commands. So a word is a misspelling only in these cases. It is
        // the beginning of a name, has its letters in another order, lacks one of them, or has one of them twice.
        let letters = word.lowercased()
        let meant = names.first { name in
            letters.utf8.count > 2
                && (name.hasPrefix(letters) || lacksOne(letters, of: name) || doublesOne(letters, of: name))
                || letters.utf8.sorted() == name.utf8.sorted()
        }
        guard let meant else { return }
        throw UsageProblem(
            "There is no command “\(word)”; is \(meant) meant? A host of this name is written with its scheme: "
                + "https://\(word)/.")
    }

    /// Whether a word is the name with one of its letters twice.
    private static func doublesOne(_ word: String, of name: String) -> Bool {
        guard word.utf8.count == name.utf8.count + 1 else { return false }
        let letters = Array(word.utf8)
        return letters.indices.dropFirst().contains { index in
            letters[index] == letters[index - 1]
                && (letters[..<index] + letters[(index + 1)...]).elementsEqual(name.utf8)
        }
    }

    /// Whether a word is the name without one of its letters.
    private static func lacksOne(_ word: String, of name: String) -> Bool {
        guard word.utf8.count == name.utf8.count - 1 else { return false }
        let start = zip(word.utf8, name.utf8).prefix { $0 == $1 }.count
        return word.utf8.dropFirst(start).elementsEqual(name.utf8.dropFirst(start + 1))
    }

    private static func run<Command: ToolCommand>(
        _ type: Command.Type, _ words: ArraySlice<String>
    ) throws -> ExitStatus {
        do {
            let line = try ArgumentReader<Command>(words)
            if line.contains(GeneralOptions.helpAll) { return try show(CommandPage(type), isWhole: true) }
            if line.contains(GeneralOptions.help) { return try show(CommandPage(type)) }
            if let word = line.words.first, !type.takesWords {
                throw UsageProblem("“\(word)” means nothing here: tsubame \(type.name) takes options only.")
            }
            return try CommandArguments<Command>(line).command().run()
        } catch let problem as UsageProblem {
            throw problem.hinting("tsubame \(type.name) --help lists the options.")
        }
    }

    /// - Parameter isTranslated: whether the words come from a curl command, so that none names a command.
    private static func runRequest(_ words: ArraySlice<String>, isTranslated: Bool = false) throws -> ExitStatus {
        do {
            if !isTranslated, words.first?.hasPrefix("-") == false { try refuseCommand(words.first) }
            let arguments: CommandArguments<RequestCommand>
            do {
                arguments = try CommandArguments(ArgumentReader(words))
            } catch {
                throw misplaced(error, words)
            }
            if let status = try answer(about: arguments.line) { return status }
            if !isTranslated { try refuseCommand(arguments.line.words.first) }
            return try arguments.command().run()
        } catch let problem as UsageProblem {
            throw problem.hinting("tsubame --help-all lists the options and explains the items.")
        }
    }

    /// Answers `--help`, `--version` and `--generate`; nil if the arguments mean a request.
    private static func answer(about line: ArgumentReader<RequestCommand>) throws -> ExitStatus? {
        for use in line.uses {
            switch (use.name, use.value) {
            case (GeneralOptions.help, _): return try show(CommandPage(RequestCommand.self))
            case (GeneralOptions.helpAll, _): return try show(CommandPage(RequestCommand.self), isWhole: true)
            case (GeneralOptions.version, _):
                try Descriptor.output.writeAll(version + "\n")
                return .ok
            case (GeneralOptions.generate, .text(let name)):
                guard let text = GeneratedText(rawValue: name) else { continue }
                try Descriptor.output.writeAll(try text.written(for: line.words.first ?? ""))
                return .ok
            default: continue
            }
        }
        return nil
    }

    private static func help(_ words: ArraySlice<String>) throws -> ExitStatus {
        guard let name = words.first, name != "help" else { return try show(CommandPage(RequestCommand.self)) }
        return try show(.named(name))
    }

    private static func show(_ page: CommandPage, isWhole: Bool = false) throws -> ExitStatus {
        let width = OutputWidth(Descriptor.output.number).columns
        try Descriptor.output.writeAll(HelpText(page, width: width, isWhole: isWhole).text)
        return .ok
    }

    /// Hints at a command's name after an option. There it is taken for a URL, and the command's own options are
    /// unknown.
    private static func misplaced(_ problem: UsageProblem, _ words: ArraySlice<String>) -> UsageProblem {
        guard let name = CommandPage.all.map(\.name).first(where: words.contains) else { return problem }
        // The hint does not repeat the other arguments, because they may contain a password.
        return problem.hinting("if the command \(name) is meant, its name comes first: tsubame \(name) …")
    }
}
