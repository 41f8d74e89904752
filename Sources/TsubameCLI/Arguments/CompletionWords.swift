// CompletionWords: what all shells offer beside options.
#if Tool

enum CompletionWords {
    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]

    /// Names that come first, before anything else; `help` is one of them.
    static var commands: [String] { CommandPage.all.map(\.name).filter { !$0.isEmpty } + ["help"] }
}

extension OptionSpec {
    /// `--name`, and `-n` if there is one.
    var allNames: [String] {
        (letter.map { ["-\($0)"] } ?? []) + [spelled] + (isToggle ? ["--no-\(name)"] : [])
    }
}

#endif
