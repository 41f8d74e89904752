// TsubameCommand: which of the commands the arguments mean.
#if Tool
import ArgumentParser

/// `tsubame`: a request, unless the first argument names another command.
enum TsubameCommand {
    private static let commands: [(name: String, type: any ParsableCommand.Type)] = [
        ("serve", ServeCommand.self), ("demo", DemoCommand.self),
    ]

    /// Parses the arguments, runs what they mean, and ends the process; usage errors end it with 64.
    static func start() -> Never {
        Descriptor.reserveStandardStreams()
        // Chosen by hand: a request is not to pay for the parsing of a tree of commands.
        var arguments = CommandLine.arguments.dropFirst()
        let asksForHelp = arguments.first == "help"
        if asksForHelp { arguments.removeFirst() }
        var type: any ParsableCommand.Type = RequestCommand.self
        if let option = arguments.first, WholeCommand.descriptions.contains(where: option.hasPrefix) {
            type = WholeCommand.self
        } else if let named = commands.first(where: { $0.name == arguments.first }) {
            type = named.type
            arguments.removeFirst()
        }
        guard type == RequestCommand.self, !asksForHelp else {
            type.main(asksForHelp ? ["--help"] : Array(arguments))
            type.exit()
        }
        startRequest(Array(arguments))
    }

    private static func startRequest(_ words: [String]) -> Never {
        do {
            let arguments = try RequestArguments(words)
            let command: any ParsableCommand
            do {
                command = try RequestCommand.parseAsRoot(withEmptyValues(arguments.all))
            } catch {
                if RequestCommand.exitCode(for: error).rawValue == 64 { tellOfMisplacedCommand(words) }
                RequestCommand.exit(withError: arguments.problem(of: error))
            }
            var running = command
            try running.run()
            RequestCommand.exit()
        } catch let problem as UsageProblem {
            RequestCommand.exit(withError: ValidationError(problem.description))
        } catch {
            RequestCommand.exit(withError: error)
        }
    }

    /// Behind an option, the name of a command is taken for a URL, and its options are not known.
    private static func tellOfMisplacedCommand(_ words: [String]) {
        guard let name = commands.map(\.name).first(where: words.contains) else { return }
        // The rest is not repeated: there may be a password in it.
        Diagnostics.say("if the command \(name) is meant, its name comes first: tsubame \(name) …")
    }

    /// `--print=` prints nothing, and `--proxy=` names none: the parser would take the next word for a value that has been
    /// forgotten, unlike an empty word.
    private static func withEmptyValues(_ arguments: [String]) -> [String] {
        var (result, previous, areOptionsOver): ([String], String, Bool) = ([], "", false)
        for argument in arguments {
            // What follows these is their value, whatever it looks like.
            let isValue = ["--raw", "--auth", "-a", "--cert-key-pass"].contains(previous)
            if argument == "--" { areOptionsOver = true }
            let isEmpty = argument.hasPrefix("--") && argument.firstIndex(of: "=") == argument.indices.last
            result += isEmpty && !isValue && !areOptionsOver ? [String(argument.dropLast()), ""] : [argument]
            previous = isValue ? "" : argument
        }
        return result
    }
}

#endif
