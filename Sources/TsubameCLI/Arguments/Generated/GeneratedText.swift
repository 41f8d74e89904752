// GeneratedText: the texts that `--generate` writes: completions for the shells, and the manual page.

/// The value of `--generate`.
enum GeneratedText: String, CaseIterable {
    case bash, zsh, fish, man

    var written: String {
        switch self {
        case .bash: BashCompletion.text
        case .zsh: ZshCompletion.text
        case .fish: FishCompletion.text
        case .man: ManualPage.text
        }
    }
}
