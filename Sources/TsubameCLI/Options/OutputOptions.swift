// OutputOptions: the options about what is printed, how, and where to.
#if Tool
import ArgumentParser
import Tsubame
import TsubameTerminal
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .long],
        help: ArgumentHelp(
            "What is printed: H and B are head and body of the request, h and b of the response; m is figures about the "
                + "call, t a waterfall of its timings. hb on a terminal, else b; nothing if it is empty.",
            valueName: "HBhbmt"))
    var print: PrintParts?

    @Option(
        name: [.customShort("P"), .long],
        help: ArgumentHelp(
            "The same for the messages between the first request and the last response.", valueName: "HBhb"))
    var historyPrint: PrintParts?

    @Flag(
        name: [.short, .long],
        help: ArgumentHelp(
            "Print both messages of every exchange, informational responses and trailers: --all --print=HBhb. "
                + "-vv: figures, too."))
    var verbose: Int

    @Flag(name: [.short, .long], help: "Print the response's head only, and do not read its body: --print=h.")
    var headers = false

    @Flag(name: [.short, .long], help: "Print the response's body only: --print=b.")
    var body = false

    @Flag(name: [.short, .long], help: "Print figures about the call only: --print=m.")
    var meta = false

    @Flag(
        help: ArgumentHelp(
            "Print a waterfall, too: DNS, connect, TLS, send, wait and receive; elsewhere than on a terminal, on the "
                + "standard error."))
    var timings = false

    @Flag(help: "Print the responses before the last one, too.")
    var all = false

    @Flag(
        name: [.short, .long],
        help: "Print nothing but errors and warnings; -o still writes. -qq: no warnings either.")
    var quiet: Int

    @Option(
        help: ArgumentHelp(
            "all: formatted and coloured (on a terminal); colors, format: only that; none: as received, byte for byte "
                + "(else).", valueName: "all|colors|format|none"))
    var pretty: Pretty?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The colours, by the background; auto goes by COLORFGBG.", valueName: "auto|dark|light|mono|none"))
    var style = StyleName.auto

    @Option(
        help: ArgumentHelp(
            "How the terminal shows images; auto goes by what it is called.", valueName: "auto|kitty|iterm2|sixel|none")
    )
    var images = ImageStyle.auto

    @Flag(
        name: [.customShort("S"), .long],
        help: "Show everything as it comes. Only XML ever waits to be whole, to be indented.")
    var stream = false

    @Option(help: ArgumentHelp("Take the response for this media type.", valueName: "type/subtype"))
    var responseMime: String?

    @Option(help: ArgumentHelp("Take the response's text for this charset.", valueName: "charset"))
    var responseCharset: String?

    @Option(name: [.short, .long], help: ArgumentHelp("Write into a file, once it is whole.", valueName: "file"))
    var output: String?

    @Flag(help: ArgumentHelp("Write the body as UTF-8, otherwise unchanged.", visibility: .hidden))
    var text = false

    func validate() throws {
        if let responseMime, MediaType(responseMime) == nil {
            throw ValidationError("--response-mime is a type and a subtype, such as text/html.")
        }
        if let responseCharset, Charset(label: responseCharset) == nil {
            throw ValidationError("“\(responseCharset)” is no charset that can be read.")
        }
    }

    /// What prints it all.
    /// - Parameters:
    ///   - isOffline: nothing is sent, so that what would be is printed.
    ///   - isDownload: the body goes into a file of its own.
    func printer(_ file: OutputFile, isOffline: Bool, isDownload: Bool) -> ExchangePrinter {
        let traits = Self.traits
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

    static var traits: TerminalTraits {
        TerminalTraits { getenv($0).map { String(cString: $0) } }
    }

    private func parts(isTerminal: Bool, _ isOffline: Bool, _ isDownload: Bool) -> PrintParts {
        guard !isDownload else {
            let isAsked = print != nil || verbose > 0 || headers || meta
            return isAsked && quiet == 0 ? parts(isTerminal: true, isOffline, false).subtracting(.responseBody) : []
        }
        // What goes into a file is no noise.
        if quiet > 0, output == nil { return [] }
        if let print { return print }
        if isOffline { return .request }
        if verbose > 0 { return verbose > 1 ? [.messages, .metadata] : .messages }
        if headers || body || meta {
            var parts: PrintParts = []
            if headers { parts.insert(.responseHead) }
            if body { parts.insert(.responseBody) }
            if meta { parts.insert(.metadata) }
            return parts
        }
        return isTerminal ? .response : .responseBody
    }

    private func style(isTerminal: Bool, _ traits: TerminalTraits) -> OutputStyle {
        var result = OutputStyle()
        guard !text else {
            result.decodesText = true
            return result
        }
        let pretty = pretty ?? (isTerminal ? .all : .none)
        result.isFormatted = pretty == .all || pretty == .format
        result.decodesText = pretty != .none || isTerminal
        result.isForReading = isTerminal
        result.isStreamed = stream
        // Who asks for colours gets them, wherever they go and whatever the environment says.
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

#endif
