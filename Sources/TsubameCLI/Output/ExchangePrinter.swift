// ExchangePrinter: prints the heads and bodies of exchanges in the order in which they happen.

import Dispatch
import Synchronization
import Tsubame
import TsubameTerminal

/// Prints the parts that the user asked for. The call's events report the sent parts on event loops, which must not
/// wait. So a queue writes these parts, and before any part of the response.
final class ExchangePrinter: Sendable {
    private let plan: PrintPlan
    private let output: OutputFile
    private let style: OutputStyle
    private let queue = DispatchQueue(label: "tsubame.output")
    private let state = Mutex(State())

    private struct State: Sendable {
        var failure: (any Error)?
        /// The separator before the next part.
        var gap = ""
        /// The printer of a request body that is being streamed.
        var streamed: BodyPrinter?
        /// The latest response, with its body if that arrived at once.
        var latest: (response: Response, body: [Bytes])?
        /// The figures of the latest response, once the next exchange has begun.
        var figures: Figures?
        /// Whether the first request has been sent.
        var isBehindFirst = false
        var trace: RunTrace?
        /// The run's own call. Its other calls fetch the pieces of a download.
        var call: UInt64?
        /// The HTTP version of the connection that was opened or reused last.
        var version = HTTPVersion.http11
    }

    init(_ plan: PrintPlan, _ output: OutputFile, _ style: OutputStyle) {
        self.plan = plan
        self.output = output
        self.style = style
        if !plan.anyParts.isDisjoint(with: .figures) { state.withLock { $0.trace = RunTrace() } }
    }

    var parts: PrintParts { plan.parts }

    /// Sets the HTTP version to show until a connection reports its own.
    func expect(_ version: HTTPVersion) { state.withLock { $0.version = version } }

    /// Sets the number of bytes that a download has received.
    func saved(_ bytes: Int64) { state.withLock { $0.trace?.savedBytes = bytes } }

    /// The number of body bytes that the call's events should carry.
    var bodyBytes: Int { plan.historyBodyBytes }

    /// Prints a warning, unless the user wants none.
    func warn(_ text: String) {
        if !plan.isSilent { Diagnostics.say(text) }
    }

    // MARK: Events

    /// Prints requests as they are sent, redirected ones included, and the responses before the last.
    func take(_ event: CallEvent) {
        let isOwn = state.withLock { state in
            if state.call == nil { state.call = event.call }
            return state.call == event.call
        }
        // Another call of a request is one in the background, such as the renewal of a stored response.
        guard isOwn || plan.isDownload else { return }
        if isOwn { keepFigures(before: event) }
        state.withLock { $0.trace?.take(event) }
        switch event.kind {
        case .sent(let request):
            let isFirst = state.withLock { state in
                defer { state.isBehindFirst = true }
                return !state.isBehindFirst
            }
            let parts = isFirst ? plan.parts : plan.history
            // A response after which this call sends another request was of no use, as that of a file that goes on elsewhere.
            if isOwn, let latest = takeLatest() { print(latest, []) }
            guard !parts.isDisjoint(with: .request) else { return }
            let version = state.withLock(\.version)
            enqueue { try self.print(request, version, parts) }
        case .connected(let info), .secured(let info), .reused(let info):
            state.withLock { $0.version = info.version }
        case .informational(let status, let fields):
            guard plan.isVerbose, plan.parts.contains(.responseHead) else { return }
            enqueue { try self.print(informational: status, fields) }
        case .headReceived(let response):
            guard plan.showsAll else { return }
            if isOwn {
                state.withLock { $0.latest = (response, []) }
            } else {
                enqueue { try self.print(intermediate: response, []) }
            }
        case .responseBody(let bytes, _):
            if isOwn { state.withLock { $0.latest?.body.append(bytes) } }
        case .resending where isOwn:
            if let latest = takeLatest() { print(latest, latest.body) }
        default: break
        }
    }

    /// The latest response, if it has not been printed and should be, and its figures if these are printed.
    private func takeLatest() -> (response: Response, body: [Bytes], figures: Figures?)? {
        state.withLock { state in
            defer { (state.latest, state.figures) = (nil, nil) }
            return plan.showsAll ? state.latest.map { ($0.response, $0.body, state.figures) } : nil
        }
    }

    private func print(_ latest: (response: Response, body: [Bytes], figures: Figures?), _ body: [Bytes]) {
        enqueue {
            try self.print(intermediate: latest.response, body)
            if let figures = latest.figures { try self.print(figures) }
        }
    }

    /// Prints a piece of a streamed request body. It returns after printing, so that no more is read in advance.
    func take(_ piece: Bytes) async {
        enqueue {
            var body =
                self.state.withLock { $0.streamed } ?? BodyPrinter(self.output, self.style, contentType: nil)
            try body.print(piece)
            self.state.withLock {
                $0.gap = self.bodyGap
                $0.streamed = body
            }
        }
        await withUnsafeContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func enqueue(_ body: @escaping @Sendable () throws -> Void) {
        queue.async {
            do {
                try body()
            } catch {
                self.state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// Waits until everything before the last response has been printed.
    func requestsPrinted() throws {
        queue.sync {}
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    // MARK: Messages

    private func print(_ request: Request, _ version: HTTPVersion, _ parts: PrintParts) throws {
        try separate()
        if parts.contains(.requestHead) { try write(head: SentHead.bytes(of: request, version)) }
        guard parts.contains(.requestBody) else { return }
        // Compressed content is not text, even if it was text before.
        let type = request.headers.contains(.contentEncoding) ? nil : request.headers[.contentType]
        var body = BodyPrinter(output, style, contentType: type)
        switch request.body.content {
        case .bytes(let bytes): try body.print(bytes)
        case .file(let path):
            let file = try Descriptor.reading(path)
            defer { file.shut() }
            while case let piece = try file.readPiece(64 << 10), piece.count > 0 { try body.print(piece) }
        case .stream:
            state.withLock { $0.streamed = body }
            return
        case nil, .deferred, .failed: return
        }
        try end(body)
    }

    private func print(informational status: Int, _ fields: ReceivedFields) throws {
        try separate()
        // Events do not carry the reason phrase of informational responses.
        let phrase =
            switch status {
            case 100: "Continue"
            case 102: "Processing"
            case 103: "Early Hints"
            case 104: "Upload Resumption Supported"
            default: ""
            }
        let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let version = state.withLock(\.version)
        try write(head: Bytes("\(version) \(status) \(version == .http2 ? "" : phrase)\r\n\(lines)\r\n"))
    }

    private func print(intermediate response: Response, _ content: [Bytes]) throws {
        if !plan.history.isDisjoint(with: .response) { try separate() }
        if plan.history.contains(.responseHead) { try writeHead(of: response) }
        // The body is shown as received, because a content coding would have to be decoded first.
        guard plan.history.contains(.responseBody), response.headers[.contentEncoding] == nil else { return }
        var body = BodyPrinter(output, style, contentType: response.headers[.contentType])
        for piece in content where !piece.isEmpty { try body.print(piece) }
        try end(body)
    }

    /// Prints the response's head, and its body as the pieces come.
    func print(_ response: Response, next: () throws(CallError) -> Bytes?) throws {
        state.withLock { ($0.latest, $0.figures) = (nil, nil) }
        try requestsPrinted()
        if !plan.parts.isDisjoint(with: .response) { try separate() }
        if plan.parts.contains(.responseHead) { try writeHead(of: response) }
        guard plan.parts.contains(.responseBody) else {
            if plan.readsBody { while try next() != nil {} }
            return
        }
        try print(bodyOf: response, next: next)
        if plan.isVerbose, plan.parts.contains(.responseHead), let trailers = response.trailers, !trailers.isEmpty {
            try print(trailers)
        }
    }

    private func print(bodyOf response: Response, next: () throws(CallError) -> Bytes?) throws {
        let type = plan.reading.contentType(response.headers[.contentType])
        var body = BodyPrinter(output, style, contentType: type)
        defer { leaveGap(after: body) }
        try body.print(next: next)
    }

    private func print(_ trailers: HTTPFields) throws {
        try separate()
        var canvas = Canvas(theme: style.theme, isTerminal: style.isForReading)
        HeadPainter.paint(fields: trailers.map { "\($0.name.rawName): \($0.value)\r\n" }.joined(), on: &canvas)
        try output.write(Bytes(canvas.finish()))
        state.withLock { $0.gap = "\n" }
    }

    private func end(_ body: BodyPrinter) throws {
        var body = body
        try body.finish()
        leaveGap(after: body)
    }

    private func leaveGap(after body: BodyPrinter) {
        if body.hasContent { state.withLock { $0.gap = bodyGap } }
    }

    /// For a reader, a body ends with a line end.
    private var bodyGap: String { style.isForReading ? "\n" : "\n\n" }

    /// Writes an empty line, unless the last part ended with one.
    private func separate() throws {
        var (gap, streamed) = state.withLock { state in
            defer { (state.gap, state.streamed) = ("", nil) }
            return (state.gap, state.streamed)
        }
        try streamed?.finish()
        if !gap.isEmpty { try output.write(gap) }
    }

    // MARK: Heads

    private func writeHead(of response: Response) throws {
        if let head = response.details.head {
            let isText = head.version != .http2
            try write(head: isText ? Self.bytes(of: head) : Self.bytes(.http2, response.wire, of: response))
        } else if response.isFromCache {
            // The cache gave the response, and its head came with another request.
            try write(head: Self.bytes(response.version ?? .http11, response.headers, of: response))
        }
    }

    /// The head of a response whose wire form is not text.
    private static func bytes(_ version: HTTPVersion, _ fields: ReceivedFields, of response: Response) -> Bytes {
        let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        return Bytes("\(version) \(response.statusCode) \(response.status.reasonPhrase)\r\n\(lines)\r\n")
    }

    /// Status line, fields and empty line as received: the bytes up to the first empty line. Joined values of folded
    /// fields and a short body may follow in the same bytes.
    private static func bytes(of head: ReceivedHead) -> Bytes {
        let bytes = head.bytes(0..<head.byteCount)
        let count: Int = bytes.withUnsafeBytes { bytes in
            for index in bytes.indices where bytes[index] == 0x0A {
                let rest = bytes[(index + 1)...]
                if rest.first == 0x0A { return index + 2 }
                if rest.starts(with: [0x0D, 0x0A]) { return index + 3 }
            }
            return bytes.count
        }
        return bytes.slice(0..<count)
    }

    private func write(head: Bytes) throws {
        let head = style.sortsFields ? Self.sorted(head) : head
        guard style.isForReading || style.theme != nil else { return try output.write(head) }
        var canvas = Canvas(theme: style.theme, isTerminal: style.isForReading)
        HeadPainter.paint(head.withUnsafeBytes { ReceivedHead.text($0) }, on: &canvas)
        try output.write(Bytes(canvas.finish()))
    }

    /// The head with its fields in the order of their names. A folded line stays after the line that it continues.
    private static func sorted(_ head: Bytes) -> Bytes {
        var lines: [(name: String, text: [UInt8])] = []
        for line in head.withUnsafeBytes({ Array($0) }).split(separator: 0x0A, omittingEmptySubsequences: false) {
            if !lines.isEmpty, line.first == 0x20 || line.first == 0x09 {
                lines[lines.count - 1].text += [0x0A] + line
            } else {
                let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                lines.append((name.lowercased(), Array(line)))
            }
        }
        // The first line is no field. The last two are the empty line and nothing.
        guard lines.count > 3 else { return head }
        let fields = lines[1..<lines.count - 2].sorted { $0.name < $1.name }
        return Bytes(Array((lines.prefix(1) + fields + lines.suffix(2)).map(\.text).joined(separator: [0x0A])))
    }

    // MARK: Figures

    /// Whether each response has its own figures.
    private var printsEachFigures: Bool { plan.showsAll && plan.history.contains(.metadata) }

    /// Keeps the figures of the response before an event that begins the next exchange, if they are printed.
    private func keepFigures(before event: CallEvent) {
        var begins = CallTrace.beginsExchange(event.kind)
        if case .resending = event.kind { begins = true }
        guard printsEachFigures, begins else { return }
        state.withLock { state in
            guard state.latest != nil, state.figures == nil else { return }
            state.figures = state.trace.map { Figures($0, ofEach: .earlier) }
        }
    }

    private func print(_ figures: Figures) throws {
        try separate()
        var canvas = Canvas(theme: style.theme, isTerminal: style.isForReading)
        figures.paint(on: &canvas)
        try output.write(Bytes(canvas.finish()))
        state.withLock { $0.gap = "\n" }
    }

    /// Ends the call, successful or not, and prints the parts that are known only now.
    func finish() throws {
        try printFigures()
        // For a reader, an empty line parts the last body from the next command.
        guard style.isForReading, plan.parts.isDisjoint(with: .figures),
            !plan.parts.isDisjoint(with: [.requestHead, .responseHead])
        else { return }
        try separate()
    }

    private func printFigures() throws {
        guard let trace = state.withLock({ $0.trace }) else { return }
        if plan.parts.contains(.metadata) { try print(Figures(trace, ofEach: printsEachFigures ? .last : nil)) }
        guard plan.parts.contains(.timings) else { return }
        let place = plan.sendsTimingsToErrors ? plan.errorStyle : style
        var canvas = Canvas(theme: place.theme, isTerminal: place.isForReading)
        let number = plan.sendsTimingsToErrors ? Descriptor.errors.number : output.number
        Waterfall(trace.wholeHops).draw(
            width: OutputWidth(number).columns, isUnicode: plan.isUnicode, on: &canvas)
        if plan.sendsTimingsToErrors {
            let bytes = canvas.finish()
            try bytes.withUnsafeBytes { try Descriptor.errors.writeAll($0) }
        } else {
            try separate()
            try output.write(Bytes(canvas.finish()))
        }
    }
}
