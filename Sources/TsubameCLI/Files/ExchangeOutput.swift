// ExchangeOutput: prints the exchanges of a run of files, as for single requests.

import Tsubame

/// The printer of one exchange. The output of files that run at once is not mixed.
struct ExchangeOutput {
    private let file: OutputFile
    private let printer: ExchangePrinter
    private let observation: EventSubscription
    private let hasBody: Bool

    init(_ parts: PrintParts, of client: Client) throws(SystemError) {
        var options = OutputOptions()
        options.print = parts
        file = try OutputFile(nil, isShared: true)
        let printer = options.printer(file, FormatOptions(), isOffline: false, isDownload: false)
        observation = client.observe(bodies: printer.bodyBytes) { printer.take($0) }
        self.printer = printer
        hasBody = parts.contains(.responseBody)
    }

    /// Prints the rest.
    /// - Parameter response: the response and its body without content codings; nil if there is none.
    func finish(_ response: (head: Response, body: Bytes)?) throws {
        defer { observation.cancel() }
        if let response {
            var body: Bytes? = response.body
            try printer.print(response.head) { () throws(CallError) in
                defer { body = nil }
                return body
            }
        } else {
            try printer.requestsPrinted()
        }
        try printer.finish()
        // The next lines do not stand behind the end of a body.
        let last = response?.body.last
        if hasBody, last != nil, last != 0x0A { try file.write("\n") }
        try file.flush()
    }
}
