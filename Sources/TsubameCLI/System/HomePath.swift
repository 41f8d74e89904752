// HomePath: expands a leading tilde, which no shell expands inside an item.

import TsubamePlatform

enum HomePath {
    /// `~` and `~/…` are replaced by the `HOME` of the environment. Other paths stay as they are.
    static func expand(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
