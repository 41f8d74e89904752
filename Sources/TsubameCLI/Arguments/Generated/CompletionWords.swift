// CompletionWords: the methods and commands that the completions of every shell offer.

enum CompletionWords {
    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]

    /// The names that are commands as the first word, with `help`.
    static var commands: [String] { CommandPage.all.map(\.name).filter { !$0.isEmpty } + ["help"] }
}

extension OptionSpec {
    /// `-n` if the option has a letter, `--name`, and `--no-name` of a toggle.
    var allNames: [String] {
        (letter.map { ["-\($0)"] } ?? []) + [spelled] + (isToggle ? ["--no-\(name)"] : [])
    }
}
