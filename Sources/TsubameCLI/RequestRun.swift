// RequestRun: one request from its settings to the exit status.
#if Tool
import Dispatch
import Synchronization
import Tsubame
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Sends a request, has everything printed, and says how it ended. The call is driven by this thread.
struct RequestRun: Sendable {
    let request: Request
    let printer: ExchangePrinter
    let output: OutputFile
    let plan: CallPlan
    /// Whether the output goes into a file, where nobody sees it now.
    let isSaved: Bool
    /// Where the body goes instead of to the output.
    let download: Download?
    let board: ProgressBoard?
    /// What takes the place of the network, if anything does.
    let transport: (any Transport)?
    let configure: @Sendable (inout Configuration) -> Void

    /// So many downloads at once.
    private static let parallelRuns = 4

    /// Runs all of them, several at once.
    /// - Returns: the first status that is not ok, in their order.
    static func all(_ runs: [RequestRun]) -> ExitStatus {
        // One request needs one event loop, however many cores there are. Before there are threads that read variables.
        setenv("NIO_SINGLETON_GROUP_LOOP_COUNT", "1", 0)
        guard runs.count > 1 else { return runs.first?.run() ?? .ok }
        let ends = Mutex([ExitStatus](repeating: .ok, count: runs.count))
        let (group, places) = (DispatchGroup(), DispatchSemaphore(value: parallelRuns))
        let queue = DispatchQueue(label: "tsubame.downloads", attributes: .concurrent)
        for (index, run) in runs.enumerated() {
            places.wait()
            queue.async(group: group) {
                let status = run.run()
                ends.withLock { $0[index] = status }
                places.signal()
            }
        }
        group.wait()
        return ends.withLock { $0.first { $0 != .ok } ?? .ok }
    }

    private struct End: Sendable {
        let status: Int
        let reason: String
        let hasLocation: Bool

        init(_ response: Response) {
            status = response.statusCode
            reason = response.status.reasonPhrase
            hasLocation = response.headers.contains(.location)
        }
    }

    func run() -> ExitStatus {
        let client = Client(transport: transport) {
            plan.apply(to: &$0)
            configure(&$0)
        }
        let printer = printer
        let upload = board.flatMap { UploadProgress(of: request, on: $0) }
        let observation = client.observe(bodies: printer.bodyBytes) { event in
            printer.take(event)
            upload?.take(event)
            switch event.kind {
            case .resending(_, let why, let delay):
                if why.cause == .retry { printer.warn("\(why), in \(delay.inSeconds)") }
            case .decision(let text): printer.warn(text)
            default: break
            }
        }
        defer { observation.cancel() }
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
                let response = try download.save(request, by: client) { response in
                    try printer.print(response) { () throws(CallError) in nil }
                }
                end = End(response)
            } else {
                end = try client.blocking.stream(request) { response, next in
                    if warnsOfCharset { UnknownCharset.tell(of: response) }
                    if let download {
                        try printer.print(response) { () throws(CallError) in nil }
                        try download.stream(response, next: next)
                    } else {
                        try printer.print(response, next: next)
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

    private func status(of end: End) -> ExitStatus {
        let status = ExitStatus(status: end.status)
        let repetition = plan.options.repetition
        if status != .ok, isSaved || download != nil || !printer.parts.contains(.responseHead) {
            let hint =
                end.hasLocation && !repetition.follow ? "; -F follows it" : download == nil ? "" : "; nothing is saved"
            printer.warn("the server answered \(end.status) \(end.reason)\(hint)")
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
        Diagnostics.say(error)
        guard let error = error as? CallError else { return .failure }
        return ExitStatus(error, maximumRedirects: plan.options.repetition.redirects ?? .max)
    }
}

#endif
