// RunCommand: `tsubame run FILE…`, which runs files of requests and checks the responses.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

struct RunCommand: ToolCommand {
    static let name = "run"
    static let abstract = "Run files of requests, and check the responses."
    static let usage = ["[OPTION …] FILE-OR-FOLDER …"]
    static let commonOptions: KeyValuePairs = [
        "var": "Set a variable.",
        "env": "Use the variables of this environment.",
        "name": "Run only the requests of this name.",
        "tag": "Run only requests with this tag.",
        "jobs": "Run this many files at once.",
        "report": "Write a report: junit=FILE, json=FILE or html=FILE.",
        "check": "Only read the files, and send nothing.",
        "keep-going": "Go on with a file after a request that failed.",
        "print": "Print these parts of each exchange.",
        "verbose": "Show each request with its status and its time.",
        "timeout": "Limit the time of each request.",
        "verify": "Check the server's certificate, or do not.",
        "help-all": "Show all options.",
    ]
    static let takesWords = true
    static let takesFiles = true
    static let hasDefaults = true
    static let ignoredDefaults: Set = ["verbose", "print"]
    static let table = OptionTable<Self>(
        OptionGroup(\.options), OptionGroup(\.variables), OptionGroup(\.deadlines), OptionGroup(\.connection),
        OptionGroup(\.tls),
        OptionGroup("General", [.ignoreConfig, .help, .helpAll]))

    var words: [String] = []
    private var options = RunOptions()
    private var variables = VariableOptions()
    private var deadlines = DeadlineOptions()
    private var connection = ConnectionOptions()
    private var tls = TLSOptions()

    func validate() throws(UsageProblem) {
        try options.validate()
        try variables.validate()
        try connection.validate()
        try tls.validate()
    }

    func run() throws -> ExitStatus {
        guard !words.isEmpty else { throw UsageProblem("There is no file: tsubame run FILE …") }
        let words = try words.flatMap { word throws(SystemError) in try RequestFolder.files(at: word) }
        guard !words.isEmpty else { throw UsageProblem("There is no .http, .rest or .hurl file there.") }
        CommandRuns.limitThreads()
        try EntryOptions.check(options.entryOptions)
        guard let files = try read(words) else { return .usage }
        if options.checks {
            let entries = files.reduce(0) { $0 + $1.entries.count }
            try Descriptor.output.writeAll(
                "\(CountText.of(files.count, "file")), \(CountText.of(entries, "request")): no mistakes\n")
            return .ok
        }
        let chosen = files.map { RequestFileReader.chosen($0, names: options.names, tags: options.tags) }
        guard chosen.contains(where: { !$0.entries.isEmpty }) || options.names.isEmpty && options.tags.isEmpty else {
            throw UsageProblem("No request has that name or tag.")
        }
        let environment = RunEnvironment(options: variables)
        let tls = try tls.asking(mayPrompt: true)
        let prepared = try chosen.map { file in
            var file = file
            let variables = try environment.variables(for: &file)
            return (file, variables)
        }
        for (file, variables) in prepared { try FileCheck.answered(file, variables) }
        for report in options.reports {
            let folder = FilePath.folder(of: FilePath.absolute(report.path))
            guard access(folder, W_OK | X_OK) == 0 else {
                throw SystemError("--report: \(report.path) cannot be written")
            }
        }
        let archive = try options.archive.map { path throws(SystemError) in try CallArchive(path) }
        let interruption = RunInterruption()
        // They are kept to the end, so that a second signal is seen while the reports are written.
        let signals = EndSignals.observe { interruption.stop(by: $0) }
        defer { withExtendedLifetime(signals) {} }
        let results = try runAll(prepared, interruption) {
            let client = client(tls)
            archive?.watch(client)
            return client
        }
        try archive?.write()
        for report in options.reports { try RunReport(results).write(report) }
        interruption.endProcess()
        return results.allSatisfy(\.isGood) ? .ok : .failure
    }

    /// All files; nil if one has a mistake, which was reported.
    private func read(_ words: [String]) throws -> [RequestFile]? {
        var files: [RequestFile] = []
        var isGood = true
        for word in words {
            do {
                let file = try RequestFileReader.read(word)
                let problems = options.checks ? FileCheck.problems(in: file) : []
                for problem in problems { Diagnostics.say(problem.description) }
                isGood = isGood && problems.isEmpty
                files.append(file)
            } catch let problem as FileProblem {
                Diagnostics.say(problem.description)
                isGood = false
            }
        }
        return isGood ? files : nil
    }

    private func client(_ tls: TLSOptions) -> Client {
        Client {
            deadlines.apply(to: &$0.timeouts)
            connection.apply(to: &$0.connection)
            tls.apply(to: &$0.connection.tls)
            $0.cookies = .jar(CookieJar())
            ($0.redirects, $0.retry, $0.hsts) = (.off, .off, .off)
        }
    }

    /// Runs the files, `--jobs` at once. The output of a file appears when it has ended.
    private func runAll(
        _ files: [(file: RequestFile, FileVariables)], _ interruption: RunInterruption,
        makeClient: @escaping @Sendable () -> Client
    ) throws -> [FileResult] {
        let (options, printer) = (options, RunPrinter(isVerbose: options.isVerbose))
        let start = MonotonicClock.now
        let results = try AsyncRun.result {
            try await interruption.watching {
                try await Self.results(of: files, options, printer, makeClient: makeClient)
            }
        }
        if results.count > 1 { try printer.writeTotal(results, nanoseconds: MonotonicClock.now - start) }
        return results
    }

    private static func results(
        of files: [(file: RequestFile, FileVariables)], _ options: RunOptions, _ printer: RunPrinter,
        makeClient: @escaping @Sendable () -> Client
    ) async throws -> [FileResult] {
        try await withThrowingTaskGroup(of: (Int, FileResult).self) { group in
            var results = [FileResult?](repeating: nil, count: files.count)
            for (index, (file, variables)) in files.enumerated() {
                if index >= options.jobs, let (done, result) = try await group.next() { results[done] = result }
                group.addTask {
                    let client = makeClient()
                    var run = FileRun(file, client, variables: variables, options)
                    do {
                        let atOnce = options.print != nil
                        let result = try await Self.run(&run, file, printer, printsAtOnce: atOnce)
                        await client.close()
                        return (index, result)
                    } catch {
                        await client.close()
                        throw error
                    }
                }
            }
            for try await (index, result) in group { results[index] = result }
            return results.compactMap { $0 }
        }
    }

    private static func run(
        _ run: inout FileRun, _ file: RequestFile, _ printer: RunPrinter, printsAtOnce: Bool
    ) async throws -> FileResult {
        var lines: [String] = []
        let start = MonotonicClock.now
        let (outcomes, left) = try await run.run { outcome, variables in
            lines += printer.lines(of: outcome, in: file.path, variables)
            // Printed exchanges stand before the lines about them.
            if printsAtOnce {
                try printer.write(lines)
                lines = []
            }
        }
        let result = FileResult(
            path: file.path, outcomes: outcomes, nanoseconds: MonotonicClock.now - start, left: left,
            variables: run.variables)
        try printer.write(lines, result)
        return result
    }
}
