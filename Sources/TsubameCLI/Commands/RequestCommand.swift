// RequestCommand: `tsubame [METHOD] URL [ITEM…]`.
#if Tool
import Tsubame

struct RequestCommand: ToolCommand {
    static let name = ""
    static let abstract = "HTTP from the command line."
    static let usage = ["[OPTION …] [METHOD] URL [ITEM …]"]
    static let takesWords = true
    static let table = OptionTable<Self>(
        OptionGroup(\.content), OptionGroup(\.repetition), OptionGroup(\.deadlines), OptionGroup(\.connection),
        OptionGroup(\.tls), OptionGroup(\.auth), OptionGroup(\.session), OptionGroup(\.output), OptionGroup(\.general))

    var words: [String] = []
    private var content = ContentOptions()
    private var repetition = RepetitionOptions()
    private var deadlines = DeadlineOptions()
    private var connection = ConnectionOptions()
    private var tls = TLSOptions()
    private var auth = AuthOptions()
    private var session = SessionOptions()
    private var output = OutputOptions()
    private var general = GeneralOptions()

    private var call: CallOptions {
        CallOptions(
            repetition: repetition, deadlines: deadlines, connection: connection, tls: tls, auth: auth, session: session
        )
    }

    func validate() throws(UsageProblem) {
        try content.validate()
        try repetition.validate()
        try connection.validate()
        try tls.validate()
        try session.validate()
        try output.validate()
    }

    func run() throws -> ExitStatus { try prepared().run() }

    /// Everything that can be wrong about the arguments is found here, before anything is sent.
    private func prepared() throws -> RequestRun {
        let words = try RequestWords(words, defaultScheme: content.defaultScheme?.rawValue)
        let items = try RequestContent(words.items, format: content.format, boundary: content.boundary)
        if items.hasBody, content.raw != nil {
            throw UsageProblem("A body by --raw and one by items cannot both be sent.")
        }
        let plan = try CallPlan(call, url: words.url, items: items)
        let file = try OutputFile(output.output)
        let printer = output.printer(file, isOffline: content.offline)
        do {
            return RequestRun(
                request: try request(words, items, plan, printer), printer: printer, output: file, plan: plan,
                isSaved: output.output != nil, transport: content.offline ? OfflineTransport() : nil
            ) { configuration in
                if !items.unset.isEmpty { configuration.wireInterceptors.append(UnsetFields(names: items.unset)) }
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
        let headers = items.headers(for: body)
        if content.compress > 0, !body.isEmpty {
            guard !headers.contains(.contentEncoding) else {
                throw UsageProblem("--compress sets Content-Encoding, which an item sets, too.")
            }
            body = body.compressed(onlyIfSmaller: content.compress == 1)
        }
        if content.chunked { body = body.chunked() }
        // A body that is streamed is printed as it goes; any other when it is sent.
        if printer.parts.contains(.requestBody) { body = body.tapped { printer.take($0) } }
        guard let method = HTTPRequest.Method(words.method ?? (body.isEmpty ? "GET" : "POST")) else {
            throw UsageProblem("“\(words.method ?? "")” is no method.")
        }
        return Request(
            method, url: plan.url, query: items.query, headers: plan.fields(headers), body: body)
    }
}

#endif
