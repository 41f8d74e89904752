// OutputStyle: how what is printed is made readable, if at all.
#if Tool
import ArgumentParser

/// `--pretty`.
enum Pretty: String, ExpressibleByArgument, CaseIterable {
    /// JSON is indented, text is in UTF-8.
    case all
    /// Everything as it was received, byte for byte, unless it goes to a terminal.
    case none
}

/// How bodies and heads are written.
struct OutputStyle: Sendable {
    /// JSON is indented.
    var indentsJSON = false
    /// Text is decoded by its charset and written as UTF-8; on a terminal, whatever it says that it is.
    var decodesText = false
    /// Binary data is named rather than shown, and a body ends with a line end.
    var isForReading = false

    /// - Parameters:
    ///   - pretty: as asked for; by default everything for a terminal, else nothing.
    ///   - isTerminal: whether a person reads it at once.
    ///   - textOnly: text in UTF-8, and nothing else changed.
    init(pretty: Pretty?, isTerminal: Bool, textOnly: Bool) {
        let pretty = pretty ?? (isTerminal ? .all : .none)
        guard !textOnly else {
            decodesText = true
            return
        }
        indentsJSON = pretty == .all
        decodesText = pretty == .all || isTerminal
        isForReading = isTerminal
    }
}

#endif
