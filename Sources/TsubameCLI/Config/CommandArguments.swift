// CommandArguments: the options and words of a command, from its command line and the default options of requests.

/// A command that is no request takes the defaults that it has, and leaves out the others.
struct CommandArguments<Command: ToolCommand> {
    /// Options that replace each other. An option of such a list on the command line removes the defaults of the same
    /// list.
    private static var alternatives: [[String]] {
        [
            ["json", "form", "multipart"], ["print", "headers", "body", "meta", "verbose"],
            // These count how often they are given.
            ["quiet"], ["compress"],
        ]
    }

    /// One default option, and its place in the file.
    fileprivate struct Default {
        /// `file:line`.
        let place: String
        let options: ArgumentReader<Command>
    }

    let line: ArgumentReader<Command>
    private var defaults: [Default] = []

    /// - Parameter line: the command line, without the names of the program and the command.
    /// - Throws: for a wrong option in the file.
    init(_ line: ArgumentReader<Command>) throws(UsageProblem) {
        self.line = line
        guard Command.hasDefaults else { return }
        // Help must work even if the file is wrong.
        guard line.uses.isEmpty || !GeneralOptions.options.contains(where: { line.contains($0.spec.name) }) else {
            return
        }
        try readDefaults()
    }

    /// The command with the defaults, and then the options of the command line.
    func command() throws(UsageProblem) -> Command {
        do {
            return try command(with: defaults)
        } catch {
            // A default that is wrong by itself has no effect. But the mistake may be one of the command line.
            var valid: [Default] = []
            var faults: [(line: Default, problem: UsageProblem)] = []
            for one in defaults {
                do throws(UsageProblem) {
                    try one.check()
                    valid.append(one)
                } catch {
                    faults.append((one, error))
                }
            }
            // Defaults may need each other, so only now is it known which ones are wrong.
            guard !faults.isEmpty, let command = try? command(with: valid) else { throw error }
            if let fault = faults.first(where: { $0.line.isOfSafety }) { throw fault.problem }
            warn(of: faults.map(\.problem))
            return command
        }
    }

    private func warn(of problems: [UsageProblem]) {
        guard line.uses.count(where: { $0.name == OutputOptions.quiet }) < 2 else { return }
        for problem in problems { Diagnostics.say("warning: \(problem) The line has no effect.") }
    }

    private func command(with defaults: [Default]) throws(UsageProblem) -> Command {
        var command = Command()
        for one in defaults { try one.apply(to: &command) }
        try line.apply(to: &command)
        command.words = line.words
        try command.validate()
        return command
    }

    /// Whether an option means nothing to this command, though it does to requests.
    private static func isForOthers(_ name: String) -> Bool {
        let isKnown = { (name: String) in Command.table[name] != nil }
        // `no-` before the name of an option that can be switched off.
        let base = name.hasPrefix("no-") && RequestCommand.table[name] == nil ? String(name.dropFirst(3)) : name
        return Command.ignoredDefaults.contains(base) || !isKnown(base) && RequestCommand.table[base] != nil
    }

    private mutating func readDefaults() throws(UsageProblem) {
        guard var config = try ConfigFile.read() else { return }
        let alternatives = Self.alternatives.filter { $0.contains(where: line.contains) }.joined()
        for entry in config.lines {
            guard !Self.isForOthers(entry.name) else { continue }
            let place = "\(config.path):\(entry.number)"
            let options: ArgumentReader<Command>
            do {
                options = try ArgumentReader(entry.arguments[...])
            } catch {
                try config.take(UsageProblem("\(place): \(error.description)"), of: entry.arguments[0])
                continue
            }
            if let name = options.takenBack.first {
                let problem = UsageProblem("\(place): --no-\(name) is for the command line, to take a default back.")
                try config.take(problem, of: entry.arguments[0])
                continue
            }
            let isReplaced = options.uses.contains {
                line.takenBack.contains($0.name) || alternatives.contains($0.name)
            }
            guard !isReplaced else { continue }
            let one = Default(place: place, options: options)
            do {
                // The value is read here, so that a wrong one has no effect.
                var command = Command()
                try one.apply(to: &command)
                defaults.append(one)
            } catch {
                try config.take(error, of: entry.arguments[0])
            }
        }
        warn(of: config.problems)
    }
}

extension CommandArguments.Default {
    /// Whether the option is about connections, TLS or credentials.
    var isOfSafety: Bool { options.uses.contains { ConfigFile.isOfSafety($0.name) } }

    func apply(to command: inout Command) throws(UsageProblem) {
        do {
            try options.apply(to: &command)
        } catch {
            throw UsageProblem("\(place): \(error.description)")
        }
    }

    /// Checks the default by itself, so that a mistake of the command line is not blamed on a line of the file.
    func check() throws(UsageProblem) {
        var command = Command()
        try apply(to: &command)
        do {
            try command.validate()
        } catch {
            throw UsageProblem("\(place): \(error.description)")
        }
    }
}
