// ExchangePrinter: heads and bodies of an exchange, in the order in which they happen.
#if Tool
import Dispatch
import Synchronization
import Tsubame

/// Prints what was asked for. What is sent is told by the call's events, on event loops, which must not wait: it is
/// written on a queue, and before anything of the response.
final class ExchangePrinter: Sendable {
    let parts: PrintParts
    private let output: OutputFile
    private let style: OutputStyle
    /// Whether the heads of responses that are not the last are printed, too.
    private let showsAll: Bool
    private let queue = DispatchQueue(label: "tsubame.output")
    private let sent = Mutex(Sent())

    private struct Sent: Sendable {
        var failure: (any Error)?
        /// Whether a body has been printed.
        var hasBody = false
        /// Of a body that is printed while it is streamed.
        var streamed: BodyPrinter?
        /// Of the latest response.
        var head: ReceivedHead?
    }

    init(_ parts: PrintParts, _ output: OutputFile, _ style: OutputStyle, showsAll: Bool) {
        self.showsAll = showsAll
        self.parts = parts
        self.output = output
        self.style = style
    }

    // MARK: Request

    /// Prints requests as they go to the socket, redirected ones too, and the heads of the redirects.
    func take(_ event: CallEvent) {
        switch event.kind {
        case .sent(let request):
            guard !parts.isDisjoint(with: .request) else { return }
            queue.async { self.keepingFailure { try self.print(request) } }
        case .headReceived(let response):
            sent.withLock { $0.head = response.details.head }
        case .resending:
            guard showsAll, parts.contains(.responseHead), let head = sent.withLock({ $0.head }) else { return }
            queue.async {
                self.keepingFailure {
                    try self.separate()
                    try self.write(head: Self.bytes(of: head))
                }
            }
        default: break
        }
    }

    /// A piece of a request body that is streamed.
    func take(_ piece: Bytes) {
        queue.async {
            self.keepingFailure {
                var body = self.sent.withLock { $0.streamed } ?? BodyPrinter(self.output, self.style, contentType: nil)
                try body.print(piece)
                self.sent.withLock {
                    $0.hasBody = true
                    $0.streamed = body
                }
            }
        }
    }

    private func keepingFailure(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            sent.withLock { $0.failure = $0.failure ?? error }
        }
    }

    private func print(_ request: Request) throws {
        try separate()
        if parts.contains(.requestHead) { try write(head: SentHead.bytes(of: request)) }
        guard parts.contains(.requestBody) else { return }
        var body = BodyPrinter(output, style, contentType: request.headers[.contentType])
        switch request.body.content {
        case .bytes(let bytes): try body.print(bytes)
        case .file(let path):
            let file = try Descriptor.reading(path)
            defer { file.shut() }
            while case let piece = try file.readPiece(64 << 10), piece.count > 0 { try body.print(piece) }
        case .stream:
            sent.withLock { $0.streamed = body }
            return
        case nil, .failed: return
        }
        try body.finish()
        if body.hasContent { sent.withLock { $0.hasBody = true } }
    }

    /// An empty line behind a request's body, if there was one.
    private func separate() throws {
        var (hadBody, streamed) = sent.withLock { sent in
            defer { (sent.hasBody, sent.streamed) = (false, nil) }
            return (sent.hasBody, sent.streamed)
        }
        try streamed?.finish()
        if hadBody { try output.write(style.isForReading ? "\n" : "\n\n") }
    }

    /// Everything about requests so far has been printed.
    func requestsPrinted() throws {
        guard !parts.isDisjoint(with: .request) else { return }
        queue.sync {}
        if let failure = sent.withLock({ $0.failure }) { throw failure }
    }

    // MARK: Response

    /// Prints the response's head, and its body as the pieces come.
    func print(_ response: Response, next: () throws(CallError) -> Bytes?) throws {
        try requestsPrinted()
        if !parts.isDisjoint(with: .response) { try separate() }
        if parts.contains(.responseHead), let head = response.details.head {
            try write(head: Self.bytes(of: head))
        }
        guard parts.contains(.responseBody) else { return }
        var body = BodyPrinter(output, style, contentType: response.headers[.contentType])
        while let piece = try next() { try body.print(piece) }
        try body.finish()
    }

    /// Status line, fields and empty line as received: of the bytes, those up to the first empty line. A short body may
    /// lie behind them.
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
        guard style.isForReading else { return try output.write(head) }
        let text = head.withUnsafeBytes { ReceivedHead.text($0) }
        try output.write(String(text.map { $0 == "\r\n" ? "\n" : $0 }))
    }
}

#endif
