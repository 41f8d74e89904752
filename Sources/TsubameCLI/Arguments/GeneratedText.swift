// GeneratedText: what is written of the options for other programs: completions and the manual page.
#if Tool

/// `--generate`.
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

#endif
