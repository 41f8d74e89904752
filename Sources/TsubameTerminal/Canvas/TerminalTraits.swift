// TerminalTraits: the abilities of a terminal and the wishes of its user, read from the environment.

/// The terminal itself is not queried, because that would block, or swallow typed input.
package struct TerminalTraits: Sendable {
    /// Whether text for the terminal is coloured by default. Colours are off with `NO_COLOR`, with `CLICOLOR=0`, and if
    /// `TERM` is missing or `dumb`. `CLICOLOR_FORCE` overrides the last two. These variables do not affect output that
    /// goes elsewhere, because a script's bytes must not depend on its user's settings.
    package let hasColours: Bool
    /// The theme for the background that `COLORFGBG` names; dark by default.
    package let theme: Theme
    /// The image protocol; nil if the terminal shows no images, or if the caller did not ask for it.
    package let images: ImageProtocol?
    /// Whether lines can be drawn anew: not on a terminal with the name `dumb`, which knows no sequences.
    package let redrawsLines: Bool
    /// Whether the terminal shows characters outside ASCII.
    package let isUnicode: Bool

    /// - Parameters:
    ///   - asksForImages: whether to look for the image protocol.
    ///   - variable: returns the value of an environment variable.
    package init(asksForImages: Bool = true, _ variable: (String) -> String?) {
        /// An empty variable counts as not set, as no-color.org and XDG say.
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        let terminal = value("TERM") ?? "dumb"
        let isForced = value("CLICOLOR_FORCE").map { $0 != "0" } ?? false
        hasColours = value("NO_COLOR") == nil && (isForced || value("CLICOLOR") != "0" && terminal != "dumb")
        redrawsLines = value("TERM") != "dumb"
        theme = Self.isLight(value("COLORFGBG")) ? .light : .dark
        images = terminal == "dumb" || !asksForImages ? nil : ImageProtocol(terminal: terminal, value)
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        isUnicode = locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }

    /// In `15;0` or `0;default;15`, the last number is the background, as one of the sixteen colours.
    private static func isLight(_ colours: String?) -> Bool {
        guard let background = colours?.split(separator: ";").last.flatMap({ Int($0) }) else { return false }
        return background == 7 || (9...15).contains(background)
    }
}
