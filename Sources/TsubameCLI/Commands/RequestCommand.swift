// RequestCommand: `tsubame [METHOD] URL [ITEM…]`, which sends requests.

import Tsubame
import TsubameTerminal

struct RequestCommand: ToolCommand {
    static let name = ""
    static let abstract = "HTTP from the command line."
    static let usage = ["[OPTION …] [METHOD] URL [ITEM …]"]
    static let commonOptions: KeyValuePairs = [
        "json": "Send items as JSON (the default).",
        "form": "Send items as a form, with files if any.",
        "raw": "Send this body.",
        "print": "Print these parts of request and response.",
        "verbose": "Print request and response.",
        "output": "Write to a file.",
        "download": "Save to a file that the server names.",
        "follow": "Follow redirects.",
        "timeout": "Limit the time of the whole call.",
        "auth": "Send these credentials.",
        "session": "Keep cookies and credentials for the next run.",
        "verify": "Check the server's certificate, or do not.",
        "offline": "Show the request, and send nothing.",
        "help-all": "Show all options, and explain more.",
    ]
    static let takesWords = true
    static let hasDefaults = true
    static let table = OptionTable<Self>(
        OptionGroup(\.content), OptionGroup(\.options.repetition), OptionGroup(\.options.deadlines),
        OptionGroup(\.options.limits), OptionGroup(\.options.connection), OptionGroup(\.options.tls),
        OptionGroup(\.options.auth), OptionGroup(\.options.session), OptionGroup(\.cache), OptionGroup(\.output),
        OptionGroup(\.format), OptionGroup(\.downloads), OptionGroup(\.general))

    var words: [String] = []
    private var content = ContentOptions()
    private var options = CallOptions()
    private var cache = CacheOptions()
    private var output = OutputOptions()
    private var format = FormatOptions()
    private var downloads = DownloadOptions()
    private var general = GeneralOptions()

    private var call: CallOptions {
        var call = options
        // A saved redirect would be of no use.
        if downloads.download { call.repetition.follow = true }
        call.mayPrompt = !content.ignoreStdin
        return call
    }

    func validate() throws(UsageProblem) {
        try content.validate()
        if content.chunked, options.connection.httpVersion == .http10 {
            throw UsageProblem("--chunked and --http-version 1.0 exclude each other.")
        }
        try options.validate()
        try output.validate(isDownload: downloads.download)
        try format.validate()
        try downloads.validate()
    }

    func run() throws -> ExitStatus {
        let runs = try prepared()
        CommandRuns.limitThreads()
        if let language = content.language {
            for (request, settings) in try captured(runs) {
                let (text, losses) = try language.text(of: request, settings)
                try Descriptor.output.writeAll(text)
                for loss in losses { Diagnostics.say("left out: \(loss)") }
            }
            return .ok
        }
        let archive = try output.archive.map { path throws(SystemError) in try CallArchive(path) }
        #if Inspector
        let page = output.inspect ? try InspectorPage.open() : nil
        #else
        if output.inspect { throw MissingTrait(command: "--inspect", trait: "Inspector") }
        #endif
        let status = try CommandRuns(runs: runs, archive: archive) { client in
            #if Inspector
            page?.show(client)
            #endif
        }.run()
        // A body that can be read only once may be the standard input. A server that ends the exchange early leaves
        // part of it unread.
        if !content.ignoreStdin, output.quiet < 2, runs.allSatisfy({ $0.request.body.canBeSentAgain }) {
            RawBody.warnOfUnsentInput()
        }
        #if Inspector
        page?.wait()
        #endif
        return status
    }

    /// The requests with the fields that the network would get. Nothing is sent.
    func captured() throws -> [(Request, RequestSettings)] { try captured(prepared()) }

    private func captured(_ runs: [RequestRun]) throws -> [(Request, RequestSettings)] {
        try runs.map { run in
            var settings = RequestSettings(run.plan, isSecure: run.request.uri?.isSecure ?? false)
            settings.parts = run.parts
            settings.unset = run.unset
            settings.keepsDotSegments = content.pathAsIs
            settings.asksServer = content.asksServer
            settings.isChunked = content.chunked
            if cache.cache { settings.leaveOut("--cache") }
            if output.output != nil { settings.leaveOut("--output") }
            let capture = CaptureTransport()
            var run = run
            run.transport = capture
            run.output.discard()
            do throws(CallError) {
                _ = try run.client(ofRuns: 1).blocking.send(run.request)
            } catch {
                throw UsageProblem(FlagNames.text(of: error))
            }
            guard var request = capture.request else { throw UsageProblem("The request was not made.") }
            if settings.unset.contains(where: { $0.lowercased() == "content-type" }) {
                request.headers[.contentType] = nil
                request.body = request.body.with(contentType: nil)
            }
            return (request, settings)
        }
    }

    /// The requests of the command line. This function finds everything that can be wrong with the arguments, before
    /// anything is sent.
    private func prepared() throws -> [RequestRun] {
        let words = try RequestWords(
            words, defaultScheme: content.defaultScheme?.rawValue, isDownload: downloads.download)
        let items = try RequestContent(words.items, content)
        try content.check(items)
        if !words.furtherURLs.isEmpty {
            if let path = output.output, !downloads.download || !path.hasSuffix("/") {
                throw UsageProblem("--output is for one URL, unless it is a folder and ends with a slash.")
            }
            if content.raw == "@-" { throw UsageProblem("--raw @- is for one URL: it can be read only once.") }
            if options.session.session != nil { throw UsageProblem("--session is for one URL.") }
            if downloads.digest != nil { throw UsageProblem("--digest is for one URL.") }
        }
        if output.archive != nil, content.offline || content.language != nil {
            throw UsageProblem(
                "\(content.offline ? "--offline" : "--as") sends nothing, so there is nothing for --har.")
        }
        if content.language != nil, content.offline || output.inspect || downloads.download {
            throw UsageProblem("--as sends nothing, and goes with neither --offline, --inspect nor --download.")
        }
        if output.inspect, content.offline {
            throw UsageProblem("--offline sends nothing, so there is nothing to --inspect.")
        }
        if downloads.download, content.offline {
            throw UsageProblem("--offline sends nothing, so there is nothing to --download.")
        }
        if downloads.download, words.method == "HEAD" {
            throw UsageProblem("--download saves a body, and HEAD asks for none.")
        }
        if downloads.download, output.headers {
            throw UsageProblem("--headers reads no body, and --download saves one; --print=h prints the head, too.")
        }
        let board = output.quiet > 0 ? nil : ProgressBoard(TerminalTraits(isTerminal: false))
        if let board { Diagnostics.keepClear(of: board) }
        var runs: [RequestRun] = []
        for url in [words.url] + words.furtherURLs {
            runs.append(try prepared(url, words, items, board, after: runs.first?.plan))
        }
        return runs
    }

    private func prepared(
        _ url: String, _ words: RequestWords, _ items: RequestContent, _ board: ProgressBoard?,
        after first: CallPlan?
    ) throws -> RequestRun {
        let plan = try CallPlan(call, url: url, items: items, after: first)
        let download =
            downloads.download
            ? Download(
                path: try downloadPath(words), options: downloads, isQuiet: output.quiet > 0,
                isSilent: output.quiet > 1,
                terminalStyle: format.terminalStyle, board: board) : nil
        if downloads.download, let path = output.output, path != "-" {
            try OutputFile.checkReplacing(path)
        }
        if download?.isStreamed == true {
            guard !downloads.resumes, downloads.digest == nil else {
                throw UsageProblem("--continue and --digest are for files, and \(output.output ?? "-") is none.")
            }
        }
        // The user keeps a download already, and an offline request gets no response.
        let cache =
            cache.cache && download == nil && !content.offline ? CacheFolder.open(isSilent: output.quiet > 1) : nil
        let file = try OutputFile(
            download == nil ? output.output : nil, isShared: !words.furtherURLs.isEmpty)
        let printer = output.printer(file, format, isOffline: content.offline, isDownload: downloads.download)
        // No connection decides the version of an offline request, so the printer shows the version that was asked for.
        switch options.connection.httpVersion {
        case .http10: printer.expect(.http10)
        case .http2: printer.expect(.http2)
        case .negotiated, .http11, nil: break
        }
        do {
            let unset = items.unset
            let request = try request(words, items, plan, printer)
            var run = RequestRun(
                request: request, printer: printer, output: file, plan: plan, isSaved: output.output != nil,
                download: download, upload: board.flatMap { BodyProgress(of: request, on: $0) },
                isKept: cache != nil || output.archive != nil,
                transport: content.offline ? OfflineTransport() : nil
            ) { configuration in
                if let cache { configuration.cache = .cache(cache) }
                if !unset.isEmpty { configuration.wireInterceptors.append(UnsetFields(names: unset)) }
            }
            (run.parts, run.unset) = (items.fileParts, items.unset.map(\.rawName))
            return run
        } catch {
            file.discard()
            throw error
        }
    }

    /// Where a download is saved; nil for a name of the server or the URL. A file on the standard output gets the body, as
    /// in `tsubame -d URL > file`, unless an option needs a file of its own.
    private func downloadPath(_ words: RequestWords) throws(UsageProblem) -> String? {
        if let path = output.output ?? output.folder { return path }
        guard Descriptor.output.kind == .regular, words.furtherURLs.isEmpty, !output.printsMore else { return nil }
        if downloads.resumes || downloads.digest != nil {
            throw UsageProblem(
                "\(downloads.resumes ? "--continue" : "--digest") needs a file by its name: give -o FILE, and not > FILE."
            )
        }
        return "-"
    }

    /// The body from the standard input; nil if it gives none.
    /// - Throws: if the items form a body as well.
    private func standardInput(_ words: RequestWords, _ items: RequestContent) throws -> RequestBody? {
        guard !items.hasBody, !content.multipart else {
            try RawBody.refuseStandardInput(method: words.method ?? (items.hasBody ? "POST" : nil))
            return nil
        }
        let input = try RawBody.ofStandardInput(method: words.method, isDownload: downloads.download, content)
        guard let body = input else { return nil }
        guard words.furtherURLs.isEmpty else {
            throw UsageProblem("A body from the standard input is for one URL: it can be read only once.")
        }
        return body
    }

    private func request(
        _ words: RequestWords, _ items: RequestContent, _ plan: CallPlan, _ printer: ExchangePrinter
    ) throws -> Request {
        var body = try content.body(of: items)
        if content.raw == nil, !content.ignoreStdin, let input = try standardInput(words, items) { body = input }
        if !words.furtherURLs.isEmpty, !body.canBeSentAgain {
            throw UsageProblem("This body can be read only once, so it can be sent to only one URL.")
        }
        // A streamed body is printed while it goes out, and any other body when it is sent.
        var tap: (@Sendable (Bytes) async -> Void)?
        if printer.parts.contains(.requestBody) { tap = { await printer.take($0) } }
        return try content.request(words, items, body, plan, isDownload: downloads.download, tap: tap)
    }
}
