// UploadCommand: `tsubame upload [METHOD] URL @FILE [ITEM…]`, which sends a file and can continue later.

import Tsubame
import TsubameTerminal

struct UploadCommand: ToolCommand {
    static let name = "upload"
    static let abstract = "Send a file, so that an interrupted upload can be continued."
    static let usage = ["[OPTION …] [METHOD] URL @FILE [ITEM …]"]
    static let commonOptions: KeyValuePairs = [
        "continue": "Continue an earlier upload of this file to this URL.",
        "retry": "Resume at once after a broken connection, at most this often.",
        "print": "Print these parts of request and response.",
        "verbose": "Print request and response.",
        "timeout": "Limit the time of the whole upload.",
        "auth": "Send these credentials.",
        "proxy": "Use this proxy.",
        "verify": "Check the server's certificate, or do not.",
        "help-all": "Show all options.",
    ]
    static let takesWords = true
    static let hasDefaults = true
    /// A default that continues downloads says nothing about uploads.
    static let ignoredDefaults: Set = ["continue"]
    static let table = OptionTable<Self>(
        OptionGroup(\.uploads),
        OptionGroup(
            \.content,
            without: [
                "json", "form", "multipart", "boundary", "raw", "compress", "chunked", "offline", "request-target",
            ]),
        OptionGroup(\.repetition), OptionGroup(\.deadlines), OptionGroup(\.limits), OptionGroup(\.connection),
        OptionGroup(\.tls), OptionGroup(\.auth), OptionGroup(\.session),
        OptionGroup(\.output, without: ["inspect"]), OptionGroup(\.format),
        OptionGroup("General", [.ignoreConfig, .help, .helpAll]))

    var words: [String] = []
    private var uploads = UploadOptions()
    private var content = ContentOptions()
    private var repetition = RepetitionOptions()
    private var deadlines = DeadlineOptions()
    private var limits = LimitOptions()
    private var connection = ConnectionOptions()
    private var tls = TLSOptions()
    private var auth = AuthOptions()
    private var session = SessionOptions()
    private var output = OutputOptions()
    private var format = FormatOptions()

    func validate() throws(UsageProblem) {
        try content.validate()
        try repetition.validate()
        try limits.validate()
        try connection.validate()
        try tls.validate()
        try session.validate()
        try output.validate(isDownload: false)
        try format.validate()
    }

    func run() throws -> ExitStatus {
        CommandRuns.limitThreads()
        let words = try RequestWords(
            words, defaultScheme: content.defaultScheme?.rawValue, isDownload: false)
        let items = try RequestContent(words.items, format: content.format, boundary: content.boundary)
        let body = try content.body(of: items)
        guard case .file = body.content else {
            throw UsageProblem("There is no file to upload: write @FILE after the URL. An empty file needs no upload.")
        }
        let call = CallOptions(
            repetition: repetition, deadlines: deadlines, limits: limits, connection: connection, tls: tls, auth: auth,
            session: session, mayPrompt: !content.ignoreStdin)
        let plan = try CallPlan(call, url: words.url, items: items)
        let records = UploadRecords(folder: try UploadFolder.path(), continues: uploads.continues)
        let board = output.quiet > 0 ? nil : ProgressBoard(TerminalTraits(isTerminal: false))
        if let board { Diagnostics.keepClear(of: board) }
        let file = try OutputFile(output.output)
        let unset = items.unset
        do {
            let run = RequestRun(
                request: try content.request(words, items, body, plan),
                printer: output.printer(file, format, isOffline: false, isDownload: false), output: file, plan: plan,
                isSaved: output.output != nil, download: nil, upload: nil,
                resumable: ResumableUpload(records: records, board: board), isKept: false, transport: nil
            ) { configuration in
                if !unset.isEmpty { configuration.wireInterceptors.append(UnsetFields(names: unset)) }
            }
            return CommandRuns(runs: [run]).run()
        } catch {
            file.discard()
            throw error
        }
    }
}
