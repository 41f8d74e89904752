// UploadCommand: `tsubame upload [METHOD] URL @FILE [ITEM…]`, which sends a file and can continue later.

import Tsubame
import TsubamePlatform
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
                "json", "form", "multipart", "boundary", "part-type", "raw", "compress", "chunked", "offline",
                "request-target", "as",
            ]),
        OptionGroup(\.call.repetition), OptionGroup(\.call.deadlines), OptionGroup(\.call.limits),
        OptionGroup(\.call.connection), OptionGroup(\.call.tls), OptionGroup(\.call.auth), OptionGroup(\.call.session),
        OptionGroup(\.output, without: ["inspect", "history-print", "har"]), OptionGroup(\.format),
        OptionGroup("General", [.ignoreConfig, .help, .helpAll]))

    var words: [String] = []
    private var uploads = UploadOptions()
    private var content = ContentOptions()
    private var call = CallOptions()
    private var output = OutputOptions()
    private var format = FormatOptions()

    func validate() throws(UsageProblem) {
        try content.validate()
        try call.validate()
        try output.validate(isDownload: false)
        try format.validate()
    }

    func run() throws -> ExitStatus {
        CommandRuns.limitThreads()
        if let word = words.first(where: { !RequestWords.isMethod($0) }), word.hasPrefix("@") {
            throw UsageProblem("The file goes after the URL.")
        }
        let words = try RequestWords(
            words, defaultScheme: content.defaultScheme?.rawValue, isDownload: false)
        for word in words.items where word.hasPrefix("@") {
            let path = try FilePart(String(word.dropFirst()), in: word).path
            // A pipe would have to be read before it is known whether it can be uploaded.
            if path == "-" || FileStatus(of: path).map({ $0.kind != .regular }) == true {
                throw UsageProblem(
                    "\(path == "-" ? "The standard input" : path) cannot be continued: give a regular file.")
            }
        }
        let items = try RequestContent(words.items, content)
        let body = try content.body(of: items)
        guard case .file = body.content else {
            throw UsageProblem(
                items.hasBody
                    ? "Only a file on disk that is not empty can be uploaded in parts: write @FILE after the URL."
                    : "There is no file to upload: write @FILE after the URL.")
        }
        if let method = words.method, ["GET", "HEAD"].contains(method) {
            throw UsageProblem("\(method) sends no file: leave the method out, or write PUT.")
        }
        var call = call
        call.mayPrompt = !content.ignoreStdin
        let plan = try CallPlan(call, url: words.url, items: items)
        let records = try records()
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
            return try CommandRuns(runs: [run]).run()
        } catch {
            file.discard()
            throw error
        }
    }
    /// The place for the record; nil, with a report, if there is none. The upload works without it.
    private func records() throws -> UploadRecords? {
        do throws(SystemError) {
            return UploadRecords(folder: try UploadFolder.path(), continues: uploads.continues)
        } catch {
            if uploads.continues { throw error }
            if output.quiet < 2 { Diagnostics.say("\(error): no later run can continue this upload") }
            return nil
        }
    }
}
