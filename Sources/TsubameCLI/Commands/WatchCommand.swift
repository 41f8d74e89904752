// WatchCommand: `tsubame watch [METHOD] URL [ITEM…]`, which repeats a request until its answer changes.

import Dispatch
import Tsubame
import TsubameTerminal

struct WatchCommand: ToolCommand {
    static let name = "watch"
    static let abstract = "Repeat a request until its answer changes."
    static let usage = ["[OPTION …] [METHOD] URL [ITEM …]"]
    static let commonOptions: KeyValuePairs = [
        "interval": "Wait from one request to the next; 2s by default.",
        "checks": "Give up after this many requests.",
        "duration": "Give up after this time.",
        "compare": "Compare status and body, or the status alone.",
        "timeout": "Limit the time of each request.",
        "auth": "Send these credentials.",
        "verify": "Check the server's certificate, or do not.",
        "help-all": "Show all options.",
    ]
    static let takesWords = true
    static let hasDefaults = true
    static let table = OptionTable<Self>(
        OptionGroup(\.repetition), OptionGroup(\.options.content, without: ["offline", "as"]),
        OptionGroup(\.options.call.deadlines),
        OptionGroup(\.options.call.connection, without: ["max-connections"]),
        OptionGroup(\.options.call.tls), OptionGroup(\.options.call.auth),
        OptionGroup("General", [.ignoreConfig, .help, .helpAll]))

    /// How often the line on a terminal is drawn, in milliseconds.
    private static let drawing = 200

    var words: [String] = []
    private var repetition = WatchOptions()
    private var options = RepeatedRequests()

    func validate() throws(UsageProblem) {
        try repetition.validate()
        try options.validate()
    }

    func run() throws -> ExitStatus {
        CommandRuns.limitThreads()
        let target = try RequestWords(words, defaultScheme: options.content.defaultScheme?.rawValue, isDownload: false)
        let (requests, plan) = try options.prepared([target])
        let watch = WatchRun(requests[0], repetition) {
            Client {
                plan.apply(to: &$0, ofRuns: 1)
                ($0.cookies, $0.hsts) = (.off, .off)
            }
        }
        let signals = EndSignals.observe { watch.stop(.interrupted(by: $0)) }
        defer { signals.forEach { $0.cancel() } }
        watch.start()
        show(watch)
        options.warnOfUnsentInput()
        return try report(watch.snapshot, requests[0].summary)
    }

    /// Waits for the end, and shows on a terminal how often the answer was the same.
    private func show(_ watch: WatchRun) {
        let isShown = Descriptor.errors.isTerminal && TerminalTraits(isTerminal: true).redrawsLines
        var lines = LiveLines()
        while !watch.ends(within: Self.drawing) {
            let snapshot = watch.snapshot
            guard isShown, let last = snapshot.last else { continue }
            lines.draw("\(snapshot.count) times \(last.shown)", lines: 1)
        }
        lines.clear()
    }

    private func report(_ snapshot: WatchRun.Snapshot, _ target: String) throws -> ExitStatus {
        let isTerminal = Descriptor.output.isTerminal
        let traits = TerminalTraits(isTerminal: isTerminal)
        var canvas = Canvas(theme: isTerminal && traits.hasColours ? traits.theme : nil, isTerminal: isTerminal)
        canvas.write(target, .target)
        let (text, status): (String, ExitStatus) =
            switch snapshot.end {
            case .changed(let old, let new):
                (
                    "changed at request \(snapshot.count), from \(old.shown) to "
                        + (old.shown == new.shown ? "another body" : new.shown), .ok
                )
            case .interrupted: ("unchanged until it was interrupted, \(CountText.of(snapshot.count, "request"))", .ok)
            case .unchanged, nil: ("unchanged, \(CountText.of(snapshot.count, "request"))", .timeout)
            }
        canvas.write("\n\(text)\n")
        if let error = snapshot.lastError, error.kind != .cancelled {
            canvas.write("\(Canvas.visible(FlagNames.text(of: error)))\n")
        }
        for (address, record) in snapshot.records.sorted(by: { $0.key < $1.key }) {
            canvas.write("\n")
            canvas.write(address, .label)
            canvas.write(", \(CountText.of(record.answers, "answer"))\n")
            LatencyTable(rows: LatencyTable.rows(of: record, hasRate: false)).paint(on: &canvas)
        }
        try Descriptor.output.writeAll(String(decoding: canvas.finish(), as: UTF8.self))
        if case .interrupted(let number) = snapshot.end { EndSignals.endAsInterrupted(by: number) }
        // Nothing changed, but nothing worked either.
        if case .unchanged = snapshot.end, case .failure = snapshot.last, let error = snapshot.lastError {
            return ExitStatus(error, maximumRedirects: .max)
        }
        return status
    }
}
