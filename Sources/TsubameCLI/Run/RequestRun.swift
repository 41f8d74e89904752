// RequestRun: one request, from its settings to the exit status.

import Tsubame
import TsubameRequestFiles

/// Sends a request, has the printer show it, and returns how it ended. The calling thread drives the call.
struct RequestRun: Sendable {
    var request: Request
    let printer: ExchangePrinter
    let output: OutputFile
    let plan: CallPlan
    /// Whether the output goes into a file, where the user does not see it now.
    let isSaved: Bool
    /// Where the body goes instead of the output.
    let download: Download?
    /// The progress line of a large request body.
    let upload: BodyProgress?
    /// Sends the body so that a later run can continue it; nil for any other request.
    var resumable: ResumableUpload?
    /// Whether a cache stores the response. It stores only bodies that are read to their end.
    let isKept: Bool
    /// The replacement for the network, if there is one.
    var transport: (any Transport)?
    let configure: @Sendable (inout Configuration) -> Void
    /// The parts of a form with files, for a request that is printed.
    var parts: [FileEntry.Part] = []
    /// The fields that are not sent, for a request that is printed.
    var unset: [String] = []
    /// Whether messages must name the request that they belong to.
    var isOneOfSeveral = false

    private struct End: Sendable {
        let status: Int
        /// The source of the response and its status, in words.
        let answer: String
        let hasLocation: Bool

        init(_ response: Response) {
            status = response.statusCode
            answer =
                response.cacheStatus == "tsubame; detail=only-if-cached"
                ? "the cache has no usable response, and no server was asked"
                : "the server answered \(response.statusWords)"
            hasLocation = response.headers.contains(.location)
        }
    }

    /// A client for this run and the others whose plans agree.
    /// - Parameter runs: the number of these runs.
    func client(ofRuns runs: Int) -> Client {
        Client(transport: transport) {
            plan.apply(to: &$0, ofRuns: runs)
            configure(&$0)
        }
    }

    /// Takes an event of one of this run's calls. A download over several connections makes several calls.
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

    /// - Parameter client: the client whose events are delivered to ``take(_:)``.
    func run(by client: Client) -> ExitStatus {
        let status = send(by: client)
        do {
            try EndSignals.uninterrupted { try plan.keep() }
        } catch {
            Diagnostics.say(error)
            return status == .ok ? .failure : status
        }
        return status
    }

    private func send(by client: Client) -> ExitStatus {
        let (printer, printsBody) = (printer, printer.parts.contains(.responseBody))
        let warnsOfCharset = output.isTerminal && printsBody
        do {
            let end: End
            if let download, !download.isStreamed {
                end = End(
                    try download.save(request, by: client, to: output) { response in
                        if request.method != .head, let text = UnknownCoding.warning(of: response) { warn(text) }
                        try printHead(response)
                    } saved: {
                        printer.saved($0)
                    })
            } else if let resumable {
                let response = try resumable.send(request, by: client)
                var body: Bytes? = response.bytes
                try printer.print(response) { () throws(CallError) in
                    defer { body = nil }
                    return body
                }
                end = End(response)
            } else {
                end = try client.blocking.stream(request) { response, next in
                    if warnsOfCharset, let text = UnknownCharset.warning(of: response) { warn(text) }
                    if printsBody || download != nil, request.method != .head,
                        let text = UnknownCoding.warning(of: response)
                    {
                        warn(text)
                    }
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
            if isUnasked(end) {
                output.discard()
                warn("the server sent a part that was not asked for; nothing is saved")
                return .failure
            }
            if printsBodyAlone, keepsFile(end), let replaced = output.replaced {
                output.discard()
                warn("\(replaced) stays as it was")
            } else {
                try output.finish()
            }
            return status(of: end)
        } catch {
            output.discard()
            return status(of: error)
        }
    }

    /// Whether the page of an error or of a redirect must not replace a good file. A user who does not mind the status wants
    /// the page. A 204, a 205 and a 304 have no content.
    private func keepsFile(_ end: End) -> Bool {
        [204, 205, 304].contains(end.status)
            || plan.options.repetition.checkStatus && ExitStatus(status: end.status) != .ok
    }

    /// Whether a file was to be saved, and the server sent a part that was not asked for.
    private func isUnasked(_ end: End) -> Bool {
        isSaved && printsBodyAlone && end.status == 206 && !request.headers.contains(.range)
    }

    /// Whether the output is a body, perhaps with figures about the call, and no log of messages.
    private var printsBodyAlone: Bool { printer.parts.subtracting(.figures) == .responseBody }

    /// Prints the parts that a download shows. The user must not have to wait for its end to see them.
    private func printHead(_ response: Response) throws {
        do {
            try printer.print(response) { () throws(CallError) in nil }
            try output.flush()
        } catch let error as SystemError where error.isBrokenPipe {
            // The library would tell this only after the download.
            EndSignals.endByBrokenPipe()
        }
    }

    private func status(of end: End) -> ExitStatus {
        let status = ExitStatus(status: end.status)
        let repetition = plan.options.repetition
        if status != .ok, isSaved || download != nil || !printer.parts.contains(.responseHead) {
            let hint =
                end.hasLocation && !repetition.follow ? "; -F follows it" : download == nil ? "" : "; nothing is saved"
            warn(end.answer + hint)
        } else if download != nil, end.status == 204 || end.status == 205 {
            warn("\(end.answer), which has no content; nothing is saved")
        }
        // The jar reported why it could not save the cookies when that happened.
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
        // The sent request is printed even if no response came.
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
