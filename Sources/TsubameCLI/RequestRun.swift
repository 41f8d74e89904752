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
    let jar: CookieJar
    /// nil: redirects are not followed.
    let maximumRedirects: Int?
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
            // A tool does what it is told, once.
            $0.retry = .off
            configure(&$0)
        }
        let followed = Counter()
        let printer = printer
        let observation = client.observe(bodies: printer.bodyBytes) { event in
            printer.take(event)
            switch event.kind {
            case .resending: followed.increase()
            case .decision(let text): printer.warn(text)
            default: break
            }
        }
        defer { observation.cancel() }
        do {
            let end = try client.blocking.stream(request) { response, next in
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
        var status = ExitStatus(status: end.status)
        // Why has been said when it happened.
        if status == .ok, jar.failure != nil { status = .failure }
        if status != .ok, !printer.parts.contains(.responseHead) {
            let hint = end.hasLocation && maximumRedirects == nil ? "; -F follows it" : ""
            printer.warn("the server answered \(end.status) \(end.reason)\(hint)")
        }
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
        Diagnostics.say("\(error)")
        guard let error = error as? CallError else { return .failure }
        return ExitStatus(error, redirects: (followed, maximumRedirects ?? .max))
    }
}

#endif
