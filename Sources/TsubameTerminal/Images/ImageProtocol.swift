// ImageProtocol: the protocol by which a terminal shows images between its lines.

package enum ImageProtocol: String, Sendable, CaseIterable {
    /// Kitty's graphics protocol, for PNG.
    case kitty
    /// iTerm2's inline images, in any format that the terminal can read.
    case iterm2
    /// DEC's sixels, made from PNG.
    case sixel

    /// The protocol that the environment suggests; nil without a terminal that is known to show images. A multiplexer
    /// would not pass images on, so there the result is nil as well.
    init?(terminal: String, _ value: (String) -> String?) {
        if value("TMUX") != nil || value("STY") != nil || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") {
            return nil
        }
        let program = value("TERM_PROGRAM") ?? value("LC_TERMINAL") ?? ""
        if value("KITTY_WINDOW_ID") != nil || ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || program == "ghostty"
            || value("KONSOLE_VERSION") != nil
        {
            self = .kitty
        } else if ["iTerm.app", "iTerm2", "WezTerm", "mintty"].contains(program) {
            self = .iterm2
        } else if terminal == "foot" || terminal.hasPrefix("foot-") || terminal.hasPrefix("mlterm")
            || terminal.hasPrefix("yaft") || terminal.contains("sixel")
        {
            self = .sixel
        } else {
            return nil
        }
    }
}
