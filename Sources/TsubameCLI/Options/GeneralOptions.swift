// GeneralOptions: the options about the tool itself.
#if Tool

/// Looked for before any other is obeyed, so that they set nothing.
struct GeneralOptions: Options {
    static let title = "The tool itself"
    static let options: [CommandOption<Self>] = [
        .flag(ignoreConfig, "Do not read the file of default options.") { _ in },
        .help,
        .flag(version, "Show the version.") { _ in },
        .choice(generate, of: GeneratedText.self, "Write the completions of a shell, or the manual page.") { _, _ in },
    ]

    static let ignoreConfig = "ignore-config"
    static let help = "help"
    static let version = "version"
    static let generate = "generate"
}

extension CommandOption {
    /// Of every command.
    static var help: Self { .flag(GeneralOptions.help, "Show this.") { _ in } }
}

#endif
