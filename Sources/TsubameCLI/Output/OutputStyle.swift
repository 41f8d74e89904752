// OutputStyle: whether and how printed heads and bodies are made readable.

import TsubameTerminal

/// The value of `--pretty`.
enum Pretty: String, CaseIterable {
    /// Formatted and coloured.
    case all
    /// Coloured, with line ends and indentation as received.
    case colors
    /// JSON, XML and HTML are indented, and text is in UTF-8.
    case format
    /// Everything as received, byte for byte, unless it goes to a terminal.
    case none
}

/// The value of `--style`.
enum StyleName {
    /// From the environment's hint about the terminal's background.
    case auto
    case none
    case theme(Theme)

    static let words = ["auto", "none"] + Theme.allCases.map(\.rawValue)

    init(_ text: String) throws(UsageProblem) {
        switch text {
        case "auto": self = .auto
        case "none": self = .none
        default:
            guard let theme = Theme(rawValue: text) else {
                throw UsageProblem("“\(text)” is none of \(Self.words.joined(separator: ", ")).")
            }
            self = .theme(theme)
        }
    }
}

/// The value of `--images`.
enum ImageStyle: String, CaseIterable {
    /// From the environment's hint about the terminal.
    case auto
    case kitty, iterm2, sixel
    /// Images are only described.
    case none
}

/// How heads and bodies are written.
struct OutputStyle: Sendable {
    /// How structure is shown by line ends and indentation; nil if it is not.
    var layout: LayoutStyle?
    /// Fields are sorted by name.
    var sortsFields = false
    /// nil for no colours.
    var theme: Theme?
    /// Text is decoded by its charset and written as UTF-8; on a terminal, also text without a text type.
    var decodesText = false
    /// The output is a terminal. Binary data is named instead of shown, no byte can control the terminal, and a body
    /// ends with a line end.
    var isForReading = false
    /// Nothing waits until it is complete.
    var isStreamed = false
    /// The image protocol of the terminal.
    var images: ImageProtocol?

    /// Whether text is coloured or laid out.
    var isPretty: Bool { layout != nil || theme != nil }
}
