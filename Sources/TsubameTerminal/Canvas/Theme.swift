// Theme: the colours of each role.

/// The colours of the first two are the sixteen of ANSI, which the user's own palette defines. The named themes have the
/// colours of a ``Palette``.
package enum Theme: String, Sendable, CaseIterable {
    /// For light text on a dark background.
    case dark
    /// For dark text on a light background, without pale colours.
    case light
    /// Weight and underlines instead of colours.
    case mono
    case dracula
    case fruity
    case githubDark = "github-dark"
    case gruvboxDark = "gruvbox-dark"
    case gruvboxLight = "gruvbox-light"
    case monokai
    case nord
    case oneDark = "one-dark"
    case pie
    case pieDark = "pie-dark"
    case pieLight = "pie-light"
    case solarized

    private var palette: Palette? {
        switch self {
        case .dark, .light, .mono: nil
        case .dracula: .dracula
        case .fruity: .fruity
        case .githubDark: .githubDark
        case .gruvboxDark: .gruvboxDark
        case .gruvboxLight: .gruvboxLight
        case .monokai: .monokai
        case .nord: .nord
        case .oneDark: .oneDark
        case .pie: .pie
        case .pieDark: .pieDark
        case .pieLight: .pieLight
        case .solarized: .solarized
        }
    }

    /// The SGR parameters of a role (ECMA-48 section 8.3.117); nil if the role needs none.
    package func parameters(of role: Role) -> String? {
        switch self {
        case .mono: mono(role)
        case .light, .gruvboxLight, .pieLight: palette?.parameters(of: role) ?? shared(role) ?? light(role)
        default: palette?.parameters(of: role) ?? shared(role) ?? dark(role)
        }
    }

    private func shared(_ role: Role) -> String? {
        switch role {
        case .comment: "90"
        case .escape: "35"
        case .control: "7"
        case .informational: "36"
        case .success: "32"
        case .clientError: "31"
        case .serverError: "1;31"
        case .sending: "35"
        case .receiving: "32"
        case .queued: "90"
        default: nil
        }
    }

    private func dark(_ role: Role) -> String? {
        switch role {
        case .name, .tag: "94"
        case .string: "32"
        case .number, .attribute: "33"
        case .literal: "95"
        case .method: "1;32"
        case .target, .fieldName, .connecting: "36"
        case .version, .label: "94"
        case .redirect, .waiting: "33"
        case .resolving: "96"
        case .securing: "94"
        default: nil
        }
    }

    private func light(_ role: Role) -> String? {
        switch role {
        case .name, .tag: "34"
        case .string: "32"
        case .number, .attribute: "31"
        case .literal: "35"
        case .method: "1;32"
        case .target, .fieldName, .connecting: "36"
        case .version, .label: "34"
        case .redirect, .waiting: "35"
        case .resolving: "36"
        case .securing: "34"
        default: nil
        }
    }

    private func mono(_ role: Role) -> String? {
        switch role {
        case .name, .tag, .fieldName, .label, .method: "1"
        case .target: "4"
        case .comment, .version: "2"
        case .success, .redirect, .informational, .clientError, .serverError: "1"
        case .control: "7"
        default: nil
        }
    }
}
