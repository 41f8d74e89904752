// BenchCommand: `tsubame bench [METHOD] URL [ITEM…]`, which measures a server under load.

import Dispatch
import Tsubame
import TsubamePlatform
import TsubameRequestFiles
import TsubameTerminal

struct BenchCommand: ToolCommand {
    static let name = "bench"
    static let abstract = "Send many requests at once, and report rate, latency and errors."
    static let usage = [
        "[OPTION …] [METHOD] URL [ITEM …]", "[OPTION …] --urls FILE [ITEM …]", "[OPTION …] --requests-of FILE",
    ]
    static let commonOptions: KeyValuePairs = [
        "requests": "Send this many requests.",
        "duration": "Send requests for this time; 10s by default.",
        "connections": "Keep so many connections busy; 50 by default.",
        "streams": "Use HTTP/2, with so many requests on each of them.",
        "rate": "Send so many requests a second.",
        "warm-up": "Do not count the requests of the first time.",
        "urls": "Send requests to the URLs of this file in turn.",
        "requests-of": "Send the requests of this .http or .hurl file in turn.",
        "report": "Choose the form of the report.",
        "raw": "Send this body.",
        "timeout": "Limit the time of each request.",
        "auth": "Send these credentials.",
        "verify": "Check the server's certificate, or do not.",
        "help-all": "Show all options.",
    ]
    static let takesWords = true
    static let table = OptionTable<Self>(
        OptionGroup(\.load), OptionGroup(\.options.content, without: ["offline", "as"]), OptionGroup(\.variables),
        OptionGroup(\.options.call.deadlines),
        OptionGroup(\.options.call.connection, without: ["max-connections"]),
        OptionGroup(\.options.call.tls), OptionGroup(\.options.call.auth),
        OptionGroup("General", [.ignoreConfig, .help, .helpAll]))
    static let hasDefaults = true
    static let ignoredDefaults: Set = ["http-version"]

    /// The files that the tool needs beside its connections, at most.
    private static let otherFiles = 64
    /// How often the live view is drawn, in milliseconds.
    private static let interval = 500

    var words: [String] = []
    private var load = BenchOptions()
    private var options = RepeatedRequests()
    private var variables = VariableOptions()

    func validate() throws(UsageProblem) {
        try load.validate()
        try options.validate()
        try variables.validate()
        if load.requestsOf == nil, !variables.isEmpty {
            throw UsageProblem("--var, --env and --env-file are for --requests-of.")
        }
        if load.streams != nil, let version = options.call.connection.httpVersion, [.http10, .http11].contains(version)
        {
            throw UsageProblem("-p is for HTTP/2, and this --http-version excludes it.")
        }
        if load.urls == "-", options.content.raw == "@-" {
            throw UsageProblem("--urls - and --raw @- both read the standard input.")
        }
    }

    func run() throws -> ExitStatus {
        CommandRuns.limitThreads()
        let (requests, plan) = try targets()
        // libdispatch ends the process if it can open no file, so some are left to it.
        let files = load.connections + Self.otherFiles
        if let limit = OpenFiles.allow(files), limit < files {
            throw UsageProblem(
                "-c \(load.connections) needs \(files) open files, and the system allows \(limit): see ulimit -n.")
        }
        let bench = load(requests, plan)
        let signals = EndSignals.observe { bench.stop(.interrupted(by: $0)) }
        defer { signals.forEach { $0.cancel() } }
        bench.start()
        let target =
            requests.count == 1
            ? requests[0].summary : "\(requests.count) URLs of \(load.urls ?? load.requestsOf ?? "")"
        watch(bench, target)
        options.warnOfUnsentInput()
        return try report(bench.snapshot, target)
    }

    /// The requests of the command line or of a file.
    private func targets() throws -> ([Request], CallPlan) {
        guard let path = load.requestsOf else {
            return try options.prepared(
                BenchTargets.words(words, file: load.urls, defaultScheme: options.content.defaultScheme?.rawValue))
        }
        guard words.isEmpty, load.urls == nil, options.content.raw == nil else {
            throw UsageProblem("--requests-of gives the whole requests, so no URL, item, --urls or --raw goes with it.")
        }
        do {
            let whole = try RequestFileReader.read(path)
            let file = RequestFileReader.chosen(whole, names: [], tags: []).withoutSkipped
            let auth = options.call.auth
            let requests = try RequestFileReader.requests(
                of: file, RunEnvironment(options: variables),
                answersChallenges: auth.auth != nil && [.digest, .any].contains(auth.authType))
            for loss in Set(FileFormat.lostOptions(of: file)).sorted() { Diagnostics.say("without \(loss)") }
            guard let first = requests.first?.uri?.string else { throw UsageProblem("\(path) contains no request.") }
            guard requests.allSatisfy({ $0.body.canBeSentAgain }) else {
                throw UsageProblem("\(path) has a body that can be read only once.")
            }
            let words = try RequestWords([first], defaultScheme: nil, isDownload: false)
            return (requests, try options.prepared([words]).1)
        } catch let problem as FileProblem {
            throw UsageProblem(problem.description)
        }
    }

    private func load(_ requests: [Request], _ plan: CallPlan) -> BenchLoad {
        let version = options.call.connection.httpVersion
        let isHTTP2 = load.streams != nil || version == .http2 || version == .negotiated
        let clients = (0..<(isHTTP2 ? load.connections : 1)).map { _ in
            client(of: plan, connections: isHTTP2 ? 1 : load.connections, isHTTP2: isHTTP2)
        }
        return BenchLoad(
            requests, by: clients, streams: isHTTP2 ? load.streams ?? 1 : load.connections, isHTTP2: isHTTP2,
            schedule: load.schedule(from: MonotonicClock.now))
    }

    /// A client without cookies, caches, redirects and retries. It still answers a challenge, and sends a request again
    /// whose reused connection the server has just closed.
    private func client(of plan: CallPlan, connections: Int, isHTTP2: Bool) -> Client {
        Client {
            plan.apply(to: &$0, ofRuns: 1)
            $0.connection.connectionsPerOrigin = connections
            $0.limits.bufferedBody = BenchLoad.wholeBytes
            if !isHTTP2, $0.connection.httpVersion == .negotiated { $0.connection.httpVersion = .http11 }
            $0.cookies = .off
            $0.hsts = .off
            $0.decoding = .off
        }
    }

    /// Waits for the end of the load, and shows on a terminal how it goes.
    private func watch(_ bench: BenchLoad, _ target: String) {
        let traits = TerminalTraits(isTerminal: true)
        let isShown = Descriptor.errors.isTerminal && traits.redrawsLines
        var lines = LiveLines()
        while !bench.ends(within: Self.interval) {
            guard isShown else { continue }
            var canvas = Canvas(theme: traits.hasColours ? traits.theme : nil, isTerminal: true)
            let height = LiveBench(bench.snapshot, target, load)
                .paint(OutputWidth(Descriptor.errors.number), isUnicode: traits.isUnicode, on: &canvas)
            lines.draw(String(decoding: canvas.finish(), as: UTF8.self), lines: height)
        }
        lines.clear()
    }

    private func report(_ snapshot: BenchLoad.Snapshot, _ target: String) throws -> ExitStatus {
        switch snapshot.stop {
        case .noAnswer(let error) where load.report == .text:
            Diagnostics.say(error)
            return ExitStatus(error, maximumRedirects: .max)
        case .noStreams:
            Diagnostics.say(
                "the server speaks HTTP/1.1, which has no streams: leave \(load.streams == nil ? "--http-version 2" : "-p") out, or try --http-version 2-prior-knowledge"
            )
            return .failure
        case .noAnswer, .interrupted, nil: break
        }
        let report = BenchReport(snapshot, target: target, load)
        switch load.report {
        case .json: try Descriptor.output.writeAll(report.json)
        case .csv: try Descriptor.output.writeAll(report.csv)
        case .text:
            let isTerminal = Descriptor.output.isTerminal
            let traits = TerminalTraits(isTerminal: isTerminal)
            var canvas = Canvas(theme: isTerminal && traits.hasColours ? traits.theme : nil, isTerminal: isTerminal)
            report.paint(
                width: OutputWidth(Descriptor.output.number).columns, isUnicode: traits.isUnicode, on: &canvas)
            try Descriptor.output.writeAll(String(decoding: canvas.finish(), as: UTF8.self))
        }
        guard report.record.answers == 0 else { return .ok }
        guard let error = report.firstError else {
            if case .interrupted(let number) = snapshot.stop {
                Diagnostics.say("the load was interrupted before it had an answer to measure")
                EndSignals.endAsInterrupted(by: number)
            }
            Diagnostics.say("the load ended before it had an answer to measure")
            return .failure
        }
        Diagnostics.say(error)
        return ExitStatus(error, maximumRedirects: .max)
    }
}
