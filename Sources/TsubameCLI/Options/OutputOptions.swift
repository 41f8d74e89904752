// OutputOptions: the options about what is printed, how, and where.

import Tsubame
import TsubamePlatform
import TsubameTerminal

struct OutputOptions: Options {
    var print: PrintParts?
    var historyPrint: PrintParts?
    /// The number of times that `--verbose` was given.
    var verbose = 0
    var headers = false
    var body = false
    var meta = false
    var timings = false
    var all = false
    /// The number of times that `--quiet` was given.
    var quiet = 0
    var pretty: Pretty?
    var style = StyleName.auto
    var images = ImageStyle.auto
    var stream = false
    var responseMime: String?
    var responseCharset: String?
    var output: String?
    var text = false
    var inspect = false

    static let title = "Printing"
    static let options: [CommandOption<Self>] = [
        .value(
            "print", letter: "p", "HBhbmt",
            "Parts to print: H and B are head and body of the request, h and b of the response; m is figures about the "
                + "call, t a waterfall of its timings. hb on a terminal, else b; empty for nothing.",
            reading: PrintParts.init
        ) { $0.print = $1 },
        .value(
            "history-print", letter: "P", "HBhb",
            "The same for messages between the first request and the last response.",
            reading: PrintParts.init
        ) { $0.historyPrint = $1 },
        .flag(
            "verbose", letter: "v",
            "Print both messages of every exchange, informational responses and trailers: --all --print=HBhb. "
                + "-vv: also figures."
        ) { $0.verbose += 1 },
        .flag(
            "headers", letter: "h",
            "Print only the response's head, and do not read its body: --print=h. Not with --download."
        ) {
            $0.headers = true
        },
        .flag("body", letter: "b", "Print only the response's body: --print=b.") { $0.body = true },
        .flag("meta", letter: "m", "Print only figures about the call: --print=m.") { $0.meta = true },
        .flag(
            "timings",
            "Also print a waterfall: queue (for a connection), DNS, connect, TLS, send, wait and receive; on the standard "
                + "error if the output is not a terminal."
        ) { $0.timings = true },
        .flag("all", "Also print the responses before the last one.") { $0.all = true },
        .flag("quiet", letter: "q", "Print only errors and warnings; -o still writes. -qq: no warnings either.") {
            $0.quiet += 1
        },
        .choice(
            "pretty", of: Pretty.self,
            "all: formatted and coloured (default on a terminal); colors, format: only that; none: as received (default "
                + "elsewhere)."
        ) { $0.pretty = $1 },
        .choice(
            "style", letter: "s", of: StyleName.self,
            "Colours for the background; auto (default) follows COLORFGBG."
        ) { $0.style = $1 },
        .choice(
            "images", of: ImageStyle.self,
            "Image protocol of the terminal; auto (default) goes by its name."
        ) { $0.images = $1 },
        .flag("stream", letter: "S", "Show XML as it arrives, too, instead of indenting it when complete.") {
            $0.stream = true
        },
        .flag("inspect", "Show the calls live in a browser, at the URL that is printed, until Ctrl-C.") {
            $0.inspect = true
        },
        .value("response-mime", "type/subtype", "Treat the response as this media type.") { $0.responseMime = $1 },
        .value("response-charset", "charset", "Decode the response's text with this charset.") {
            $0.responseCharset = $1
        },
        .value("output", letter: "o", "file", completion: .file, "Write to a file, complete or not at all.") {
            $0.output = $1
        },
        .flag("text", isHidden: true, "Write the body as UTF-8, otherwise unchanged.") { $0.text = true },
    ]

    func validate() throws(UsageProblem) {
        if let responseMime, MediaType(responseMime) == nil {
            throw UsageProblem("--response-mime is a type and a subtype, such as text/html.")
        }
        if let responseCharset, Charset(label: responseCharset) == nil {
            throw UsageProblem("“\(responseCharset)” is not a supported charset.")
        }
    }

    /// The printer that these options describe.
    /// - Parameters:
    ///   - isOffline: whether nothing is sent. The printer then shows the request.
    ///   - isDownload: whether the body goes into a file of its own.
    func printer(_ file: OutputFile, isOffline: Bool, isDownload: Bool) -> ExchangePrinter {
        let traits = Self.traits(isTerminal: file.isTerminal)
        var plan = PrintPlan(parts: parts(isTerminal: file.isTerminal, isOffline, isDownload), history: [])
        plan.isVerbose = verbose > 0
        plan.showsAll = all || plan.isVerbose
        if quiet > 0 {
            plan.readsBody = !headers
            plan.isSilent = quiet > 1
        } else if timings {
            plan.sendsTimingsToErrors = !file.isTerminal && !plan.parts.contains(.timings)
            plan.parts.insert(.timings)
        }
        plan.history = historyPrint ?? plan.parts
        plan.reading = ContentReading(mime: responseMime, charset: responseCharset)
        plan.isUnicode = traits.isUnicode
        if plan.sendsTimingsToErrors { plan.errorStyle = style(isTerminal: Descriptor.errors.isTerminal, traits) }
        return ExchangePrinter(plan, file, style(isTerminal: file.isTerminal, traits))
    }

    /// The style in which a terminal shows a body.
    var terminalStyle: OutputStyle { style(isTerminal: true, Self.traits(isTerminal: true)) }

    static func traits(isTerminal: Bool) -> TerminalTraits {
        TerminalTraits(asksForImages: isTerminal) { getenv($0).map { String(cString: $0) } }
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

    private func style(isTerminal: Bool, _ traits: TerminalTraits) -> OutputStyle {
        var result = OutputStyle()
        result.isForReading = isTerminal
        guard !text else {
            result.decodesText = true
            return result
        }
        let pretty = pretty ?? (isTerminal ? .all : .none)
        result.isFormatted = pretty == .all || pretty == .format
        result.decodesText = pretty != .none || isTerminal
        result.isStreamed = stream
        // An explicit `--pretty` gives colours everywhere, also against the environment.
        if pretty == .all || pretty == .colors, self.pretty != nil || traits.hasColours { result.theme = theme(traits) }
        if isTerminal {
            switch images {
            case .auto: result.images = pretty == .none ? nil : traits.images
            case .none: break
            case .kitty, .iterm2, .sixel: result.images = ImageProtocol(rawValue: images.rawValue)
            }
        }
        return result
    }

    private func theme(_ traits: TerminalTraits) -> Theme? {
        switch style {
        case .auto: traits.theme
        case .dark: .dark
        case .light: .light
        case .mono: .mono
        case .none: nil
        }
    }
}
