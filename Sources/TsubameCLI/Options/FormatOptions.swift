// FormatOptions: the options that make printed heads and bodies readable.

import Tsubame
import TsubamePlatform
import TsubameTerminal

struct FormatOptions: Options {
    var pretty: Pretty?
    var theme = StyleName.auto
    var layout = LayoutStyle()
    var sortsFields = false
    var images = ImageStyle.auto
    var stream = false
    var responseMime: String?
    var responseCharset: String?
    var text = false

    static let title = "Format"
    static let options: [CommandOption<Self>] = [
        .choice(
            "pretty", of: Pretty.self,
            "all: formatted and coloured (default on a terminal); colors, format: only that; none: as received (default "
                + "elsewhere)."
        ) { $0.pretty = $1 },
        .value(
            "style", letter: "s", "name", completion: .words(StyleName.words),
            "Colours: \(StyleName.words.joined(separator: ", ")). The default, auto, is dark or light by COLORFGBG.",
            reading: StyleName.init
        ) { $0.theme = $1 },
        .value(
            "format-options", "name:value,…", completion: .words(FormatChoice.words),
            "Change the format, with the defaults json.format:true, json.indent:4, json.sort_keys:false, "
                + "headers.sort:false, xml.format:true and xml.indent:2.",
            reading: FormatChoice.list
        ) { options, choices in choices.forEach { $0.apply(to: &options) } },
        .flag(
            "sorted", "Sort fields, and the members of a JSON body, by name: json.sort_keys:true and headers.sort:true."
        ) {
            ($0.layout.sortsMembers, $0.sortsFields) = (true, true)
        },
        .flag("unsorted", "Keep the order as received, which is the default.") {
            ($0.layout.sortsMembers, $0.sortsFields) = (false, false)
        },
        .choice(
            "images", of: ImageStyle.self,
            "Image protocol of the terminal; auto (default) goes by its name."
        ) { $0.images = $1 },
        .flag("stream", letter: "S", "Show each body as it arrives: XML is not indented, and JSON is not sorted.") {
            $0.stream = true
        },
        .value("response-mime", "type/subtype", "Treat the response as this media type.") { $0.responseMime = $1 },
        .value("response-charset", "charset", "Decode the response's text with this charset.") {
            $0.responseCharset = $1
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

    var reading: ContentReading { ContentReading(mime: responseMime, charset: responseCharset) }

    /// The style in which a terminal shows a body.
    var terminalStyle: OutputStyle { style(isTerminal: true, TerminalTraits(isTerminal: true)) }

    func style(isTerminal: Bool, _ traits: TerminalTraits) -> OutputStyle {
        var result = OutputStyle()
        result.isForReading = isTerminal
        guard !text else {
            result.decodesText = true
            return result
        }
        let pretty = pretty ?? (isTerminal ? .all : .none)
        if pretty == .all || pretty == .format { (result.layout, result.sortsFields) = (layout, sortsFields) }
        result.decodesText = pretty != .none || isTerminal
        result.isStreamed = stream
        // An explicit `--pretty` gives colours everywhere, also against the environment.
        if pretty == .all || pretty == .colors, self.pretty != nil || traits.hasColours {
            result.theme = theme(traits)
        }
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
        switch theme {
        case .auto: traits.theme
        case .none: nil
        case .theme(let theme): theme
        }
    }
}

extension TerminalTraits {
    /// The traits of the terminal of this process. For other output, the tool does not look for images.
    init(isTerminal: Bool) {
        self.init(asksForImages: isTerminal) { getenv($0).map { String(cString: $0) } }
    }
}
