// ToolCommand: what every command is: options, words, and something to do.
#if Tool

/// One of the commands of `tsubame`, read from the command line by ``ArgumentReader``.
///
/// The tool reads its command line itself. With swift-argument-parser, whose way of finding options is reflection, each
/// start of the tool cost some 4 ms of processor time more, which was more than the request; and completions, the manual
/// page and `--no-OPTION` had to be made from what it prints of itself. Here an option is one ``CommandOption`` beside the
/// property that it sets: its names, its help and its default are written there and nowhere else. The table of them is
/// made when the first word with a hyphen is met, so that `tsubame URL` makes none; what describes options
/// (``HelpText``, ``CompletionScript``, ``ManualPage``) is made when somebody asks for it.
protocol ToolCommand {
    /// Behind `tsubame`; empty for the command that needs no name.
    static var name: String { get }
    /// What it does, in a line.
    static var abstract: String { get }
    /// Its forms, without `tsubame` and its name.
    static var usage: [String] { get }
    static var table: OptionTable<Self> { get }
    /// Whether words that are no options mean something.
    static var takesWords: Bool { get }

    var words: [String] { get set }

    init()

    /// Looks at the values of all options together.
    func validate() throws(UsageProblem)

    /// - Throws: a `UsageProblem`, which is told with a hint to the help; anything else is told and is a failure.
    func run() throws -> ExitStatus
}

#endif
