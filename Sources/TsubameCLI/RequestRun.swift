// RequestRun: one request from its settings to the exit status.
#if Tool
import Tsubame

/// Sends a request, has everything printed, and says how it ended. The call is driven by this thread.
struct RequestRun: Sendable {
    var request: Request
    let printer: ExchangePrinter
    let output: OutputFile
    let plan: CallPlan
    /// Whether the output goes into a file, where nobody sees it now.
    let isSaved: Bool
    /// Where the body goes instead of to the output.
    let download: Download?
    /// The line of a large body that is sent.
    let upload: UploadProgress?
    /// Whether a cache keeps what is answered, which it does of bodies that are read to their end.
    let isKept: Bool
    /// What takes the place of the network, if anything does.
    let transport: (any Transport)?
    let configure: @Sendable (inout Configuration) -> Void
    /// Whether what is told of it must say of which run it is.
    var isOneOfSeveral = false

    private struct End: Sendable {
        let status: Int
        /// Who answered what.
        let answer: String
        let hasLocation: Bool

        init(_ response: Response) {
            status = response.statusCode
            answer =
                response.cacheStatus == "tsubame; detail=only-if-cached"
                ? "nothing that may be used is in the cache, and no server was asked"
                : "the server answered \(response.statusWords)"
            hasLocation = response.headers.contains(.location)
        }
    }

    /// One that is made for this run and others whose plans agree.
    /// - Parameter runs: how many these are.
    func client(ofRuns runs: Int) -> Client {
        Client(transport: transport) {
            plan.apply(to: &$0, ofRuns: runs)
            configure(&$0)
        }
    }

    /// An event of one of this run's calls: several connections are calls of their own.
    func take(_ event: CallEvent) {
        printer.take(event)
        upload?.take(event)
        switch event.kind {
        case .resending(_, let why, let delay):
            if why.cause == .retry { warn("\(why), in \(delay.inSeconds)") }
        case .decision(let text): warn(FlagNames.translated(text))
        default: break
        }
    }

    private func warn(_ text: String) { printer.warn(isOneOfSeveral ? "\(request.summary): \(text)" : text) }

    /// - Parameter client: whose events are brought to ``take(_:)``.
    func run(by client: Client) -> ExitStatus {
        let status = send(by: client)
        do {
            try plan.keep()
        } catch {
            Diagnostics.say(error)
            return status == .ok ? .failure : status
        }
        return status
    }

    private func send(by client: Client) -> ExitStatus {
        let (printer, warnsOfCharset) = (printer, output.isTerminal && printer.parts.contains(.responseBody))
        do {
            let end: End
            if let download, !download.isStreamed {
                end = End(try download.save(request, by: client, to: output, head: printHead))
            } else {
                end = try client.blocking.stream(request) { response, next in
                    if warnsOfCharset { UnknownCharset.tell(of: response) }
                    if let download {
                        try printHead(response)
                        try download.stream(response, next: next)
                    } else {
                        try printer.print(response, next: next)
                        while isKept, try next() != nil {}
                    }
                    return End(response)
                }
            }
            try printer.finish()
            try output.finish()
            return status(of: end)
        } catch {
            output.discard()
            return status(of: error)
        }
    }

    /// What is printed of a download; nobody waits for its end to see that.
    private func printHead(_ response: Response) throws {
        try printer.print(response) { () throws(CallError) in nil }
        try output.flush()
    }

    private func status(of end: End) -> ExitStatus {
        let status = ExitStatus(status: end.status)
        let repetition = plan.options.repetition
        if status != .ok, isSaved || download != nil || !printer.parts.contains(.responseHead) {
            let hint =
                end.hasLocation && !repetition.follow ? "; -F follows it" : download == nil ? "" : "; nothing is saved"
            warn(end.answer + hint)
        }
        // Why the cookies could not be kept has been said when it happened.
        let isKept = plan.jar.failure == nil
        guard status != .ok, repetition.checkStatus else { return isKept ? .ok : .failure }
        return status
    }

    private func status(of error: any Error) -> ExitStatus {
        if let error = error as? SystemError {
            if error.isBrokenPipe { EndSignals.endByBrokenPipe() }
            Diagnostics.say("\(error)")
            return .failure
        }
        // What was sent is printed, too, when nothing came back.
        try? printer.requestsPrinted()
        try? printer.finish()
        try? output.flush()
        guard let error = error as? CallError else {
            Diagnostics.say(error)
            return .failure
        }
        Diagnostics.say(error, hint: download?.hint(for: error))
        return ExitStatus(error, maximumRedirects: plan.options.repetition.redirects ?? .max)
    }
}

#endif
