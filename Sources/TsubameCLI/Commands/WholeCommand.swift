// WholeCommand: all commands as one tree, for what is made of their descriptions: completions and the manual page.
#if Tool
import ArgumentParser

/// Never run: a request is not to pay for the parsing of a tree of commands (``TsubameCommand``).
struct WholeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tsubame", abstract: RequestCommand.configuration.abstract,
        discussion: RequestCommand.configuration.discussion, subcommands: [Serve.self, Demo.self], helpNames: .long)

    /// Options that only say something about the program itself.
    static let descriptions = ["--generate-completion-script", "--experimental-dump-help"]

    @OptionGroup var request: RequestCommand

    struct Serve: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: ServeCommand.configuration.abstract, helpNames: .long)

        @OptionGroup var serve: ServeCommand
    }

    struct Demo: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "demo", abstract: DemoCommand.configuration.abstract, helpNames: .long)
    }
}

#endif
