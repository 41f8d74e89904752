// RunOptions: the options of `tsubame run` about the files, their variables and the reports.

import Tsubame

struct RunOptions: Options {
    /// A report, and the file that receives it.
    struct Report: Sendable {
        enum Kind: String, CaseIterable {
            case junit, json, html
        }

        let kind: Kind
        let path: String
    }

    private static let mostJobs = 64

    /// Options for every entry, before its own.
    var entryOptions: [(name: String, value: String)] = []
    var names: [String] = []
    var tags: [String] = []
    var jobs = 1
    var reports: [Report] = []
    var checks = false
    /// The file of `--har`.
    var archive: String?
    var keepsGoing = false
    var ignoresAsserts = false
    var isVerbose = false
    /// The parts of each exchange that are printed; nil for none.
    var print: PrintParts?

    static let title = "Files"
    static let options: [CommandOption<Self>] = [
        .value(
            "option", "name=value", isAnyWord: true,
            "Set an option of every request, as [Options] in Hurl's files does: location=true, retry=5, delay=1s.",
            reading: entryOption
        ) { $0.entryOptions.append($1) },
        .value(
            "name", "name",
            "Run only the requests of this name or title, and those that they refer to. May be repeated."
        ) { $0.names.append($1) },
        .value("tag", "tag", "Run only requests with this tag. May be repeated.") { $0.tags.append($1) },
        .value(
            "jobs", letter: "j", "n", "Run this many files at once, each with cookies of its own.",
            shown: { "\($0.jobs)" }, reading: jobs
        ) { $0.jobs = $1 },
        .value(
            "report", "kind=file", "Write reports: junit, json or html, each with its file; commas between.",
            reading: reports
        ) { $0.reports += $1 },
        .value(
            "har", "file", completion: .file,
            "Write the requests and responses with all secrets to this HTTP archive, which only you can read."
        ) { $0.archive = $1 },
        .flag("check", "Only read the files, and report their mistakes. Nothing is sent.") { $0.checks = true },
        .flag("keep-going", letter: "k", "Go on with a file after a request that failed.") { $0.keepsGoing = true },
        .flag("ignore-asserts", "Send the requests, and check nothing. Captures are still made.") {
            $0.ignoresAsserts = true
        },
        .value(
            "print", letter: "p", "HBhb",
            "Print these parts of each exchange: H and B are head and body of the request, h and b of the response.",
            reading: PrintParts.init
        ) { $0.print = $1 },
        .flag("verbose", letter: "v", "Show each request with its status and its time.") { $0.isVerbose = true },
    ]

    private static func entryOption(_ text: String) throws(UsageProblem) -> (name: String, value: String) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw UsageProblem("“\(text)” is not written name=value, such as location=true.")
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private static func jobs(_ text: String) throws(UsageProblem) -> Int {
        guard let count = Int(text), (1...mostJobs).contains(count) else {
            throw UsageProblem("“\(text)” is not a number from 1 to \(mostJobs).")
        }
        return count
    }

    private static func reports(_ text: String) throws(UsageProblem) -> [Report] {
        try text.split(separator: ",").map { part throws(UsageProblem) in
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, let kind = Report.Kind(rawValue: pair[0]) else {
                throw UsageProblem("“\(part)” is no report: write junit=FILE, json=FILE or html=FILE.")
            }
            return Report(kind: kind, path: pair[1])
        }
    }

    func validate() throws(UsageProblem) {
        if checks, !reports.isEmpty { throw UsageProblem("--check sends nothing, so there is nothing to --report.") }
    }
}
