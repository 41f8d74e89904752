// OutputOptions: the options about what is printed, how, and where.

import TsubamePlatform
import TsubameTerminal

struct OutputOptions: Options {
    var print: PrintParts?
    /// The value of `-P`: parts, or the folder of downloads.
    private(set) var historyText: String?
    /// The number of times that `--verbose` was given.
    var verbose = 0
    var headers = false
    var body = false
    var meta = false
    var timings = false
    var all = false
    /// The number of times that `--quiet` was given.
    var quiet = 0
    var output: String?
    var inspect = false
    /// The file of `--har`.
    var archive: String?

    static let title = "Printing"
    static let quiet = "quiet"
    static let options: [CommandOption<Self>] = [
        .value(
            "print", letter: "p", "HBhbmt",
            "Parts to print: H and B are head and body of the request, h and b of the response; m is figures about the "
                + "call, t a waterfall of its timings. hb on a terminal, else b; empty for nothing.",
            reading: PrintParts.init
        ) {
            $0.print = $1
            ($0.headers, $0.body, $0.meta) = (false, false, false)
        },
        .value(
            "history-print", letter: "P", "HBhb|folder",
            "With --all: the same for messages between the first request and the last response. With --download: the folder "
                + "for the files, also if an existing folder has one of these letters as its name."
        ) { $0.historyText = $1 },
        .flag(
            "verbose", letter: "v",
            "Print both messages of every exchange, informational responses and trailers: --all --print=HBhb. "
                + "-vv: also figures."
        ) { $0.verbose += 1 },
        .flag(
            "headers", letter: "h",
            "Print only the response's head, and do not read its body: --print=h. Not with --download."
        ) { ($0.headers, $0.print) = (true, nil) },
        .flag("body", letter: "b", "Print only the response's body: --print=b.") { ($0.body, $0.print) = (true, nil) },
        .flag("meta", letter: "m", "Print only figures about the call: --print=m.") {
            ($0.meta, $0.print) = (true, nil)
        },
        .flag(
            "timings",
            "Also print a waterfall: queue (for a connection), DNS, connect, TLS, send, wait and receive; on the standard "
                + "error if the output is not a terminal."
        ) { $0.timings = true },
        .flag("all", "Also print the responses before the last one.") { $0.all = true },
        .flag(quiet, letter: "q", "Print only errors and warnings; -o still writes. -qq: no warnings either.") {
            $0.quiet += 1
        },
        .flag("inspect", "Show the calls live in a browser, at the URL that is printed, until Ctrl-C.") {
            $0.inspect = true
        },
        .value(
            "har", "file", completion: .file,
            "Write what was sent and received, with all secrets, to this HTTP archive, which only you can read."
        ) { $0.archive = $1 },
        .value(
            "output", letter: "o", "file", completion: .file,
            "Write to a file, complete or not at all, and keep an older one unless the status is a success, or "
                + "--no-check-status is given; to a folder, with / at its end, for several downloads."
        ) { $0.output = $1 },
    ]

    func validate(isDownload: Bool) throws(UsageProblem) {
        guard let historyText else { return }
        if isDownload {
            if historyText.isEmpty { throw UsageProblem("-P names no folder.") }
            if folder != nil, output != nil {
                throw UsageProblem("--output and -P both name a place for the download.")
            }
        } else {
            do {
                _ = try PrintParts(historyText)
            } catch {
                throw UsageProblem("--history-print: \(error) A folder for files needs --download.")
            }
        }
    }

    /// The folder for downloads that `-P` names. Letters that are parts are parts if anything shows that they are meant, or
    /// if there is no folder of that name; `./b` is always a folder.
    var folder: String? {
        guard let historyText else { return nil }
        if (try? PrintParts(historyText)) != nil {
            let meansParts = all || verbose > 0 || output != nil
            guard !meansParts, FileStatus(of: historyText)?.kind == .folder else { return nil }
        }
        return historyText.hasSuffix("/") ? historyText : historyText + "/"
    }

    /// Whether heads or figures are printed beside the body.
    var printsMore: Bool { print != nil || verbose > 0 || headers || meta }

    /// The printer that these options describe.
    /// - Parameters:
    ///   - format: how the parts are made readable.
    ///   - isOffline: whether nothing is sent. The printer then shows the request.
    ///   - isDownload: whether the body goes into a file of its own.
    func printer(_ file: OutputFile, _ format: FormatOptions, isOffline: Bool, isDownload: Bool) -> ExchangePrinter {
        let traits = TerminalTraits(isTerminal: file.isTerminal)
        var plan = PrintPlan(parts: parts(isTerminal: file.isTerminal, isOffline, isDownload), history: [])
        plan.isVerbose = verbose > 0
        plan.isDownload = isDownload
        plan.showsAll = all || plan.isVerbose
        if quiet > 0 {
            plan.readsBody = !headers
            plan.isSilent = quiet > 1
        } else if timings {
            plan.sendsTimingsToErrors = !file.isTerminal && !plan.parts.contains(.timings)
            plan.parts.insert(.timings)
        }
        // Figures are known when the body has arrived, but `-h` means not to read it.
        if !plan.parts.isDisjoint(with: .figures), !headers || meta { plan.readsBody = true }
        plan.history = historyText.flatMap { try? PrintParts($0) } ?? plan.parts
        plan.reading = format.reading
        plan.isUnicode = traits.isUnicode
        if plan.sendsTimingsToErrors {
            plan.errorStyle = format.style(isTerminal: Descriptor.errors.isTerminal, traits)
        }
        return ExchangePrinter(plan, file, format.style(isTerminal: file.isTerminal, traits))
    }

    private func parts(isTerminal: Bool, _ isOffline: Bool, _ isDownload: Bool) -> PrintParts {
        guard !isDownload else {
            let isAsked = print != nil || verbose > 0 || headers || meta
            return isAsked && quiet == 0 ? parts(isTerminal: true, isOffline, false).subtracting(.responseBody) : []
        }
        // `--quiet` silences the terminal, not a file that was asked for.
        if quiet > 0, output == nil { return [] }
        if let print { return print }
        if isOffline { return .request }
        if headers || body || meta {
            var parts: PrintParts = []
            if headers { parts.insert(.responseHead) }
            if body { parts.insert(.responseBody) }
            if meta { parts.insert(.metadata) }
            return parts
        }
        if verbose > 0 { return verbose > 1 ? [.messages, .metadata] : .messages }
        return isTerminal ? .response : .responseBody
    }
}
