// HomePath: expands a leading tilde, which no shell expands inside an item, and finds the folders of a user.

import TsubamePlatform

enum HomePath {
    /// The folder of the XDG Base Directory Specification that a variable names, such as `XDG_CONFIG_HOME`, or else the
    /// usual one below the home folder; nil without either.
    static func base(_ variable: String, orHome usual: String) -> String? {
        // The specification says to ignore a folder that is not absolute.
        if let named = getenv(variable).map({ String(cString: $0) }), named.hasPrefix("/") { return named }
        guard let home = getenv("HOME"), home.pointee != 0 else { return nil }
        return "\(String(cString: home))/\(usual)"
    }

    /// `~` and `~/…` are replaced by the `HOME` of the environment. Other paths stay as they are.
    static func expand(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
