// RequestCommand: `tsubame [METHOD] URL [ITEM…]`.
#if Tool
import ArgumentParser
import Tsubame

struct RequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tsubame", abstract: "HTTP from the command line.",
        usage: """
            tsubame [<options>] [METHOD] URL [ITEM …]
            tsubame serve [--port <port>]
            tsubame demo
            """,
        discussion: help, version: "tsubame \(Version.string)", helpNames: .long)

    private static let help = """
        METHOD is GET, or POST when there is a body, unless given. URL may be as short as :3000/path (localhost); \
        without a scheme, http is meant for localhost and IP addresses, https for every other host.

        ITEMs:
          Name:value    a field           Name:   without it        Name;   empty
          name==value   a query parameter
          name=text     text in a JSON object, or in a form (--form)
          name:=json    any JSON
          name@file     a file in a form (--form), name@file;type=image/png;filename=a.png tells more
          @file         a file as the body
        With :@ ==@ =@ :=@ the value comes from a file. A backslash before : ; = @ makes it an ordinary character.

        The standard input is the body if it is a file or a pipe and has something in it; with --raw, or with items that \
        make a body, it is left alone. Where it is a pipe that is never closed, --ignore-stdin keeps from waiting for it.

        The exit status is 0, or 1 failure, 2 timeout, 3 status 3xx, 4 status 4xx, 5 status 5xx, \
        6 too many redirects, 64 wrong usage.

        tsubame serve runs an httpbin-compatible server; tsubame demo shows the library at work.
        """

    @Argument(help: ArgumentHelp("The method, the URL, and items.", valueName: "word"))
    var words: [String] = []

    @OptionGroup(title: "What is sent") var content: ContentOptions
    @OptionGroup(title: "Redirects, retries and the exit status") var repetition: RepetitionOptions
    @OptionGroup(title: "Deadlines") var deadlines: DeadlineOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "TLS") var tls: TLSOptions
    @OptionGroup(title: "Credentials") var auth: AuthOptions
    @OptionGroup(title: "Sessions and cookies") var session: SessionOptions
    @OptionGroup(title: "What is printed") var output: OutputOptions
    @OptionGroup(title: "Downloads") var downloads: DownloadOptions

    @Flag(help: "Do not read the file of default options.")
    var ignoreConfig = false

    private var call: CallOptions {
        CallOptions(
            repetition: repetition, deadlines: deadlines, connection: connection, tls: tls, auth: auth, session: session
        )
    }

    func run() throws {
        let status: ExitStatus
        do {
            status = RequestRun.all(try prepared())
        } catch let problem as UsageProblem {
            throw ValidationError(problem.description)
        } catch let error where error is SystemError || error is CallError {
            Diagnostics.say(error)
            status = .failure
        }
        if status != .ok { throw ExitCode(status.rawValue) }
    }

    /// Everything that can be wrong about the arguments is found here, before anything is sent.
    private func prepared() throws -> [RequestRun] {
        let words = try RequestWords(
            words, defaultScheme: content.defaultScheme?.rawValue, isDownload: downloads.download)
        let items = try RequestContent(words.items, format: content.format, boundary: content.boundary)
        if items.hasBody, content.raw != nil {
            throw UsageProblem("A body by --raw and one by items cannot both be sent.")
        }
        if !words.furtherURLs.isEmpty {
            if output.output != nil {
                throw UsageProblem("--output is for one URL: several files get their own names.")
            }
            if content.raw == "@-" { throw UsageProblem("--raw @- is for one URL: what is read once is sent once.") }
            if session.session != nil { throw UsageProblem("--session is for one URL.") }
        }
        let board = output.quiet > 0 ? nil : ProgressBoard(OutputOptions.traits)
        if let board { Diagnostics.keepClear(of: board) }
        return try ([words.url] + words.furtherURLs).map { try prepared($0, words, items, board) }
    }

    private func prepared(
        _ url: String, _ words: RequestWords, _ items: RequestContent, _ board: ProgressBoard?
    ) throws -> RequestRun {
        let plan = try CallPlan(call, url: url, items: items)
        let download = downloads.download ? Download(path: output.output, isQuiet: output.quiet > 0, board: board) : nil
        let file = try OutputFile(download == nil ? output.output : nil)
        let printer = output.printer(file, isOffline: content.offline, isDownload: downloads.download)
        do {
            let unset = items.unset
            return RequestRun(
                request: try request(words, items, plan, printer), printer: printer, output: file, plan: plan,
                isSaved: output.output != nil, download: download, board: board,
                transport: content.offline ? OfflineTransport() : nil
            ) { configuration in
                if !unset.isEmpty { configuration.wireInterceptors.append(UnsetFields(names: unset)) }
            }
        } catch {
            file.discard()
            throw error
        }
    }

    private func request(
        _ words: RequestWords, _ items: RequestContent, _ plan: CallPlan, _ printer: ExchangePrinter
    ) throws -> Request {
        var body = items.body
        if let raw = content.raw {
            body = try RawBody.make(raw, content)
        } else if !content.ignoreStdin, words.items.isEmpty, !content.multipart {
            body = try RawBody.ofStandardInput(method: words.method, content) ?? .empty
        } else if !content.ignoreStdin, !items.hasBody {
            RawBody.tellOfUnreadInput(method: words.method)
        }
        var headers = items.headers(for: body)
        // What is saved is the file as it is kept there, whose length is known.
        if downloads.download, !headers.contains(.acceptEncoding) { headers[.acceptEncoding] = "identity" }
        if content.compress > 0, !body.isEmpty {
            guard !headers.contains(.contentEncoding) else {
                throw UsageProblem("--compress sets Content-Encoding, which an item sets, too.")
            }
            body = body.compressed(onlyIfSmaller: content.compress == 1)
        }
        if !words.furtherURLs.isEmpty, !body.canBeSentAgain {
            throw UsageProblem("This body can be read only once, and sent to one URL.")
        }
        if content.chunked { body = body.chunked() }
        // A body that is streamed is printed as it goes; any other when it is sent.
        if printer.parts.contains(.requestBody) { body = body.tapped { await printer.take($0) } }
        if downloads.download, words.method == "HEAD" {
            throw UsageProblem("--download saves a body, and HEAD asks for none.")
        }
        guard let method = HTTPRequest.Method(words.method ?? (body.isEmpty ? "GET" : "POST")) else {
            throw UsageProblem("“\(words.method ?? "")” is no method.")
        }
        return Request(
            method, url: plan.url, query: items.query, headers: plan.fields(headers), body: body)
    }
}

#endif
