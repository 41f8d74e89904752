// ToolCommand: a command of the tool, with its options, its words and its action.

/// One of the commands of `tsubame`, read from the command line by ``ArgumentReader``.
///
/// The tool reads its command line itself. The package swift-argument-parser finds options by reflection. With that
/// package each start took some 4 ms more of processor time, longer than the request. Completions, the manual page and
/// `--no-OPTION` also had to be made from the text that it prints about itself.
///
/// Here an option is one ``CommandOption`` beside the property that it sets. Its names, its help and its default are
/// written there and nowhere else. The first word with a hyphen makes the table of options, so `tsubame URL` makes
/// none. The types that describe options (``HelpText``, ``GeneratedText``, ``ManualPage``) run only on request.
protocol ToolCommand {
    /// The word after `tsubame`; empty for requests, which need no name.
    static var name: String { get }
    /// The purpose of the command, in one line.
    static var abstract: String { get }
    /// The forms of the command, without `tsubame` and its name.
    static var usage: [String] { get }
    static var table: OptionTable<Self> { get }
    /// The options that `--help` shows, each with a text for one line; empty for all options. `--help-all` shows all.
    static var commonOptions: KeyValuePairs<String, String> { get }
    /// Whether words that are not options have a meaning.
    static var takesWords: Bool { get }
    /// Whether these words are files.
    static var takesFiles: Bool { get }

    /// Whether the default options of requests apply.
    static var hasDefaults: Bool { get }
    /// Default options of requests that this command leaves out, though it has an option of the same name.
    static var ignoredDefaults: Set<String> { get }

    var words: [String] { get set }

    init()

    /// Checks the values of all options together.
    func validate() throws(UsageProblem)

    /// - Throws: a `UsageProblem`, which is reported with a hint at the help. Any other error is reported as a failure.
    func run() throws -> ExitStatus
}

extension ToolCommand {
    static var commonOptions: KeyValuePairs<String, String> { [:] }
    static var takesFiles: Bool { false }
    static var hasDefaults: Bool { false }
    static var ignoredDefaults: Set<String> { [] }
}
