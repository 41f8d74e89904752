// ExchangeOutput: prints the exchanges of a run of files, as for single requests.

import Tsubame
import TsubamePlatform

/// The printer of one exchange. The output of files that run at once is not mixed.
struct ExchangeOutput {
    /// A longer file is searched only as it is printed, in bytes.
    private static let maximumFile: Int64 = 16 << 20

    private let file: OutputFile
    private let printer: ExchangePrinter
    private let observation: EventSubscription

    /// - Parameters:
    ///   - hidden: texts that are not shown.
    ///   - hidesMore: whether the response may give further such texts.
    init(_ parts: PrintParts, of client: Client, hiding hidden: [String], hidesMore: Bool) throws(SystemError) {
        var options = OutputOptions()
        options.print = parts
        file = try OutputFile(nil, isShared: true)
        file.hide(hidden)
        var format = FormatOptions()
        // A colour between two characters of a secret would hide it from the search.
        if hidesMore || !hidden.isEmpty { format.theme = .none }
        let printer = options.printer(file, format, isOffline: false, isDownload: false)
        let hidesBody = parts.contains(.requestBody) && !hidden.isEmpty
        observation = client.observe(bodies: printer.bodyBytes) {
            printer.take(hidesBody ? Self.hiding(hidden, in: $0) : $0)
        }
        self.printer = printer
    }

    /// The event with a request whose body shows no such text. It is hidden before the body is laid out, which could
    /// divide the text into lines.
    private static func hiding(_ hidden: [String], in event: CallEvent) -> CallEvent {
        guard case .sent(var request) = event.kind else { return event }
        var bytes = request.body.bytes
        if case .file(let path) = request.body.content, FileStatus(of: path)?.size ?? 0 <= maximumFile {
            bytes = (try? RequestFolder.bytes(of: path)).map { Bytes($0) }
        }
        guard let bytes else { return event }
        request.body = .bytes(GatheredOutput.hiding(hidden, in: bytes), contentType: request.body.contentType)
        return CallEvent(call: event.call, time: event.time, kind: .sent(request))
    }

    /// Prints the rest.
    /// - Parameters:
    ///   - response: the response and its body without content codings; nil if there is none.
    ///   - hidden: texts that are not shown, among them those that the response gave.
    func finish(_ response: (head: Response, body: Bytes)?, hiding hidden: [String]) throws {
        defer { observation.cancel() }
        file.hide(hidden)
        if let response {
            let isShown = printer.parts.contains(.responseBody)
            var body: Bytes? = isShown ? GatheredOutput.hiding(hidden, in: response.body) : response.body
            try printer.print(response.head) { () throws(CallError) in
                defer { body = nil }
                return body
            }
        } else {
            try printer.requestsPrinted()
        }
        try printer.finish()
        // The next lines do not follow the end of a body.
        try file.endLine()
        try file.flush()
    }
}
