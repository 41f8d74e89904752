// OutputStyle: how what is printed is made readable, if at all.
#if Tool
import TsubameTerminal

/// `--pretty`.
enum Pretty: String, CaseIterable {
    /// Formatted and coloured.
    case all
    /// Coloured; line ends and indentation stay.
    case colors
    /// JSON, XML and HTML are indented; text is in UTF-8.
    case format
    /// Everything as it was received, byte for byte, unless it goes to a terminal.
    case none
}

/// `--style`.
enum StyleName: String, CaseIterable {
    /// By what the environment says of the terminal's background.
    case auto
    case dark, light
    /// Bold and underlined instead of coloured.
    case mono
    case none
}

/// `--images`.
enum ImageStyle: String, CaseIterable {
    /// By what the environment says of the terminal.
    case auto
    case kitty, iterm2, sixel
    /// Described only.
    case none
}

/// How bodies and heads are written.
struct OutputStyle: Sendable {
    /// Structure becomes line ends and indentation.
    var isFormatted = false
    /// nil for no colours.
    var theme: Theme?
    /// Text is decoded by its charset and written as UTF-8; on a terminal, whatever it says that it is.
    var decodesText = false
    /// What goes to a terminal: binary data is named rather than shown, nothing steers the terminal, and a body ends with
    /// a line end.
    var isForReading = false
    /// Nothing is kept until it is whole.
    var isStreamed = false
    /// How a terminal shows images.
    var images: ImageProtocol?

    /// Whether text is painted or laid out.
    var isPretty: Bool { isFormatted || theme != nil }
}

#endif
