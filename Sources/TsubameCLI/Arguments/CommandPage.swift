// CommandPage: everything that help, completions and the manual page say about one command.

struct CommandPage: Sendable {
    struct Section: Sendable {
        let title: String
        let options: [OptionSpec]
    }

    /// The command's name; empty for requests.
    let name: String
    let abstract: String
    /// The words besides the options.
    enum Words: Sendable {
        case none, files
        /// A URL and its items.
        case items
    }

    /// The forms of the command, each a whole line.
    let usage: [String]
    let words: Words
    /// The options by sections. Hidden options are left out, and the help of an option includes its default.
    let sections: [Section]
    /// The options that the short help shows, in its order; empty for all.
    let common: [OptionSpec]

    /// All commands, requests first.
    static var all: [CommandPage] {
        [
            CommandPage(RequestCommand.self), CommandPage(RunCommand.self), CommandPage(FormatCommand.self),
            CommandPage(ConvertCommand.self), ofCurl, CommandPage(BenchCommand.self),
            CommandPage(WatchCommand.self), CommandPage(UploadCommand.self), CommandPage(CookiesCommand.self),
            CommandPage(CacheCommand.self),
            CommandPage(ServeCommand.self), CommandPage(DemoCommand.self),
        ]
    }

    /// The names of the commands that have one, without making their pages.
    static let names = [
        RunCommand.name, FormatCommand.name, ConvertCommand.name, CurlCommand.name, BenchCommand.name,
        WatchCommand.name, UploadCommand.name, CookiesCommand.name,
        CacheCommand.name,
        ServeCommand.name, DemoCommand.name,
    ]

    init<Command: ToolCommand>(_ type: Command.Type) {
        name = type.name
        abstract = type.abstract
        usage = type.usage.map { form in ["tsubame", type.name, form].filter { !$0.isEmpty }.joined(separator: " ") }
        words = type.takesFiles ? .files : type.takesWords ? .items : .none
        let standard = Command()
        sections = type.table.groups.map { group in
            Section(
                title: group.title,
                options: group.options.filter { !$0.spec.isHidden }.map { option in
                    guard let shown = option.shownDefault?(standard) else { return option.spec }
                    return option.spec.with(help: "\(option.spec.help) The default is \(shown).")
                })
        }
        common = type.commonOptions.compactMap { name, text in type.table[name]?.spec.with(help: text) }
    }

    /// The page of `from-curl`, which has the options of requests.
    private static var ofCurl: CommandPage {
        let requests = CommandPage(RequestCommand.self)
        let common = CurlCommand.commonOptions.compactMap { name, text in
            RequestCommand.table[name]?.spec.with(help: text)
        }
        return CommandPage(
            name: CurlCommand.name, abstract: CurlCommand.abstract,
            usage: CurlCommand.usage.map { "tsubame \(CurlCommand.name) \($0)" }, words: .none,
            sections: requests.sections, common: common)
    }

    private init(
        name: String, abstract: String, usage: [String], words: Words, sections: [Section], common: [OptionSpec]
    ) {
        self.name = name
        self.abstract = abstract
        self.usage = usage
        self.words = words
        self.sections = sections
        self.common = common
    }

    /// - Parameter name: the name of a command; empty for requests.
    static func named(_ name: String) throws(UsageProblem) -> CommandPage {
        if let page = all.first(where: { $0.name == name }) { return page }
        throw UsageProblem(
            "There is no command “\(name)”: the commands are \(names.joined(separator: ", ")), and requests need none.")
    }

    var options: [OptionSpec] { sections.flatMap(\.options) }

    /// The command as the user calls it.
    var command: String { name.isEmpty ? "tsubame" : "tsubame \(name)" }
}

extension OptionSpec {
    fileprivate func with(help: String) -> OptionSpec {
        OptionSpec(
            name: name, letter: letter, value: value, help: help, isHidden: isHidden, isToggle: isToggle)
    }
}
