// GeneralOptions: the options about the tool itself, such as help and version.

/// The tool looks for these options before it applies any other, so they set no property.
struct GeneralOptions: Options {
    static let title = "General"
    static let options: [CommandOption<Self>] = [
        .ignoreConfig,
        .help, .helpAll,
        .flag(version, "Show the version.") { _ in },
        .choice(
            generate, of: GeneratedText.self,
            "Print a shell's completions or the manual page; man COMMAND is the page of a command."
        ) { _, _ in },
    ]

    static let ignoreConfig = "ignore-config"
    static let help = "help"
    static let helpAll = "help-all"
    static let version = "version"
    static let generate = "generate"
}

extension CommandOption {
    static var ignoreConfig: Self {
        .flag(GeneralOptions.ignoreConfig, "Do not read the default options.") { _ in }
    }

    /// The `--help` that every command has.
    static var help: Self { .flag(GeneralOptions.help, "Show help.") { _ in } }

    /// The `--help-all` of a command whose `--help` leaves out options.
    static var helpAll: Self { .flag(GeneralOptions.helpAll, "Show help about all options.") { _ in } }
}
