// RequestRun: one request from its settings to the exit status.
#if Tool
import Tsubame
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Sends a request, has everything printed, and says how it ended. The call is driven by this thread.
struct RequestRun {
    let request: Request
    let printer: ExchangePrinter
    let output: OutputFile
    let plan: CallPlan
    /// Whether the output goes into a file, where nobody sees it now.
    let isSaved: Bool
    /// What takes the place of the network, if anything does.
    var transport: (any Transport)?
    let configure: (inout Configuration) -> Void

    private struct End: Sendable {
        let status: Int
        let reason: String
        let hasLocation: Bool
    }

    func run() -> ExitStatus {
        // One request needs one event loop, however many cores there are.
        setenv("NIO_SINGLETON_GROUP_LOOP_COUNT", "1", 0)
        let client = Client(transport: transport) {
            plan.apply(to: &$0)
            configure(&$0)
        }
        let followed = Counter()
        let printer = printer
        let observation = client.observe(bodies: printer.bodyBytes) { event in
            printer.take(event)
            switch event.kind {
            case .resending(_, let why, let delay):
                // A redirect's reason begins with its status.
                if why.hasPrefix("3") { followed.increase() }
                if why.contains(", retry ") { printer.warn("\(why), in \(delay.inSeconds)") }
            case .decision(let text): printer.warn(text)
            default: break
            }
        }
        defer { observation.cancel() }
        let status = send(by: client, followed)
        do {
            try plan.keep()
        } catch {
            Diagnostics.say(error)
            return status == .ok ? .failure : status
        }
        return status
    }

    private func send(by client: Client, _ followed: Counter) -> ExitStatus {
        let (printer, warnsOfCharset) = (printer, output.isTerminal && printer.parts.contains(.responseBody))
        do {
            let end = try client.blocking.stream(request) { response, next in
                if warnsOfCharset { UnknownCharset.tell(of: response) }
                try printer.print(response, next: next)
                return End(
                    status: response.statusCode, reason: response.status.reasonPhrase,
                    hasLocation: response.headers.contains(.location))
            }
            try printer.finish()
            try output.finish()
            return status(of: end)
        } catch {
            output.discard()
            return status(of: error, followed: followed.value)
        }
    }

    private func status(of end: End) -> ExitStatus {
        let status = ExitStatus(status: end.status)
        let repetition = plan.options.repetition
        if status != .ok, isSaved || !printer.parts.contains(.responseHead) {
            let hint = end.hasLocation && !repetition.follow ? "; -F follows it" : ""
            printer.warn("the server answered \(end.status) \(end.reason)\(hint)")
        }
        // Why the cookies could not be kept has been said when it happened.
        let isKept = plan.jar.failure == nil
        guard status != .ok, repetition.checkStatus else { return isKept ? .ok : .failure }
        return status
    }

    private func status(of error: any Error, followed: Int) -> ExitStatus {
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
        return ExitStatus(error, redirects: (followed, plan.options.repetition.redirects ?? .max))
    }
}

#endif
