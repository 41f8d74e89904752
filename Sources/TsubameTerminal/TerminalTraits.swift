// TerminalTraits: what the environment says of a terminal, and of what its user wants.

/// Nothing is asked of the terminal itself: that would block, or eat what is being typed.
package struct TerminalTraits: Sendable {
    /// Whether text is coloured that goes to a terminal, unless asked for otherwise: not with `NO_COLOR`, `CLICOLOR=0`, or a
    /// terminal that is dumb or says nothing of itself; `CLICOLOR_FORCE` makes an exception of the last two. What goes
    /// elsewhere is no affair of these: a script's bytes must not depend on its user's taste.
    package let hasColours: Bool
    /// The theme for its background, as far as `COLORFGBG` tells: dark unless that says otherwise.
    package let theme: Theme
    /// How images are shown; nil if they cannot be, or if nobody asked.
    package let images: ImageProtocol?
    /// Whether it shows more characters than ASCII's.
    package let isUnicode: Bool

    /// - Parameters:
    ///   - asksForImages: whether to find out how images are shown.
    ///   - variable: the value of an environment variable.
    package init(asksForImages: Bool = true, _ variable: (String) -> String?) {
        /// What is empty is not set, as no-color.org and XDG have it.
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        let terminal = value("TERM") ?? "dumb"
        let isForced = value("CLICOLOR_FORCE").map { $0 != "0" } ?? false
        hasColours = value("NO_COLOR") == nil && (isForced || value("CLICOLOR") != "0" && terminal != "dumb")
        theme = Self.isLight(value("COLORFGBG")) ? .light : .dark
        images = terminal == "dumb" || !asksForImages ? nil : ImageProtocol(terminal: terminal, value)
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        isUnicode = locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }

    /// `15;0` or `0;default;15`: the last number is the background's, of the sixteen colours.
    private static func isLight(_ colours: String?) -> Bool {
        guard let background = colours?.split(separator: ";").last.flatMap({ Int($0) }) else { return false }
        return background == 7 || (9...15).contains(background)
    }
}
