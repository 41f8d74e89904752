// GeneratedText: the texts that `--generate` writes: completions for the shells, and the manual page.

/// The value of `--generate`.
enum GeneratedText: String, CaseIterable {
    case bash, zsh, fish, man

    /// - Parameter command: the command of a manual page; empty for requests.
    func written(for command: String) throws(UsageProblem) -> String {
        if self != .man, !command.isEmpty {
            throw UsageProblem("“\(command)” means nothing here: the completions are for all commands.")
        }
        return switch self {
        case .bash: BashCompletion.text
        case .zsh: ZshCompletion.text
        case .fish: FishCompletion.text
        case .man: command.isEmpty ? ManualPage.text : ManualPage.text(of: try .named(command))
        }
    }
}
