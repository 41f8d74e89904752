// Palette: the colours of a named theme, as numbers of the 256 colours of xterm.

/// Each colour is an SGR parameter after `38;5`.
struct Palette: Sendable {
    /// Names of members, and tags.
    let name: UInt8
    let string: UInt8
    /// Numbers, and attributes of tags.
    let number: UInt8
    /// Literals, and escapes in strings.
    let literal: UInt8
    let comment: UInt8
    /// Names of fields, and the target of a request.
    let field: UInt8
    /// The method and the version.
    let accent: UInt8

    /// The SGR parameters of a role; nil for a role that all themes share.
    func parameters(of role: Role) -> String? {
        switch role {
        case .name, .tag: "38;5;\(name)"
        case .string: "38;5;\(string)"
        case .number, .attribute: "38;5;\(number)"
        case .literal, .escape: "38;5;\(literal)"
        case .comment: "38;5;\(comment)"
        case .fieldName, .target, .label: "38;5;\(field)"
        case .method: "1;38;5;\(accent)"
        case .version: "38;5;\(accent)"
        default: nil
        }
    }

    static let dracula = Palette(name: 212, string: 228, number: 141, literal: 141, comment: 61, field: 117, accent: 84)
    static let fruity = Palette(name: 202, string: 32, number: 33, literal: 202, comment: 28, field: 198, accent: 202)
    static let githubDark = Palette(
        name: 114, string: 153, number: 111, literal: 111, comment: 246, field: 114, accent: 210)
    static let gruvboxDark = Palette(
        name: 109, string: 142, number: 175, literal: 208, comment: 245, field: 108, accent: 214)
    static let gruvboxLight = Palette(
        name: 24, string: 100, number: 96, literal: 130, comment: 245, field: 65, accent: 136)
    static let monokai = Palette(
        name: 197, string: 186, number: 141, literal: 141, comment: 242, field: 81, accent: 148)
    static let nord = Palette(name: 109, string: 144, number: 139, literal: 110, comment: 60, field: 110, accent: 150)
    static let oneDark = Palette(name: 204, string: 114, number: 173, literal: 170, comment: 59, field: 39, accent: 180)
    static let pie = Palette(name: 74, string: 71, number: 140, literal: 167, comment: 244, field: 74, accent: 168)
    static let pieDark = Palette(
        name: 117, string: 150, number: 183, literal: 216, comment: 246, field: 117, accent: 211)
    static let pieLight = Palette(name: 25, string: 28, number: 91, literal: 124, comment: 242, field: 25, accent: 125)
    static let solarized = Palette(name: 33, string: 37, number: 125, literal: 166, comment: 240, field: 33, accent: 64)
}
