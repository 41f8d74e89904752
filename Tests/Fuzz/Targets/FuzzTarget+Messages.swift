// FuzzTarget+Messages: HTTP/1 responses. The result must not depend on how the bytes were cut into reads.

import HTTPTypes
import TsubameCore
import TsubameWire

/// The events of a series of responses.
private struct ResponseLog: Equatable {
    var events: [String] = []
    var body: [UInt8] = []
    var failure: String?

    mutating func end(_ trailers: String) {
        events.append("body of \(body.count) bytes: \(body)")
        events.append("end \(trailers)")
        body = []
    }
}

private struct ResponseRun: ~Copyable {
    private var decoder: ResponseDecoder
    private var pending: [UInt8] = []
    private var isHead: Bool
    private var log = ResponseLog()

    init(isHead: Bool, _ limits: Limits) {
        decoder = ResponseDecoder(limits: limits)
        self.isHead = isHead
        decoder.begin(isHead: isHead)
    }

    private static func text(_ head: ReceivedHead) -> String {
        let fields = ReceivedFields(head).map { "\($0.name.rawName): \($0.value)" }
        return "\(head.status) \(head.reason) \(fields)"
    }

    /// - Returns: whether the decoder takes more bytes.
    private mutating func take(_ event: ResponseDecoder.Event, _ bytes: UnsafeRawBufferPointer) -> Bool {
        switch event {
        case .needsMore: return false
        case .informational(let head): log.events.append("informational \(Self.text(head))")
        case .whole(let head, let body):
            log.events.append("head \(Self.text(head))")
            log.body = Array(body)
            return end("none")
        case .head(let head, _): log.events.append("head \(Self.text(head))")
        case .body(let range): log.body += bytes[range]
        case .end(let trailers): return end(trailers.map { "\($0)" } ?? "none")
        }
        return true
    }

    private mutating func end(_ trailers: String) -> Bool {
        log.end(trailers == "[]" ? "none" : trailers)
        guard decoder.isReusable, log.events.count < 100 else {
            log.failure = "closed"
            return false
        }
        decoder.begin(isHead: isHead)
        return true
    }

    mutating func read(_ bytes: [UInt8]) throws(Finding) {
        guard log.failure == nil else { return }
        pending += bytes
        let all = pending
        var offset = 0
        let finding: Finding? = all.withExactCopy { memory in
            while log.failure == nil {
                let before = offset
                do throws(WireError) {
                    let event = try decoder.next(memory, &offset)
                    guard offset >= before, offset <= memory.count else { return Finding("the offset left the bytes") }
                    guard take(event, memory) else { return nil }
                    if case .body(let range) = event, range.isEmpty { return Finding("a piece of the body is empty") }
                } catch {
                    log.failure = "\(error)"
                }
            }
            return nil
        }
        if let finding { throw finding }
        pending.removeFirst(offset)
    }

    consuming func finish() throws(Finding) -> ResponseLog {
        if log.failure == nil {
            do throws(WireError) {
                if case .end = try decoder.endOfInput(unconsumed: pending.count) { log.end("none") }
            } catch {
                log.failure = "\(error)"
            }
        }
        return log
    }
}

extension FuzzTarget {
    private static var smallLimits: Limits {
        var limits = Limits()
        limits.headBytes = 300
        limits.lineBytes = 120
        limits.headFields = 8
        limits.chunkExtensionBytes = 16
        limits.trailerBytes = 60
        limits.informationalResponses = 2
        return limits
    }

    private static func log(_ pieces: [[UInt8]], isHead: Bool, _ limits: Limits) throws(Finding) -> ResponseLog {
        var run = ResponseRun(isHead: isHead, limits)
        for piece in pieces { try run.read(piece) }
        return try run.finish()
    }

    private static func compareCuts(_ bytes: [UInt8], isHead: Bool, _ limits: Limits) throws(Finding) {
        let whole = try log([bytes], isHead: isHead, limits)
        try requireEqual(
            whole, try log(Cuts.pieces(bytes), isHead: isHead, limits), "another cut is another response")
        try requireEqual(
            whole, try log(bytes.map { [$0] }, isHead: isHead, limits), "byte by byte it is another response")
    }

    static let messages = [
        // The first byte chooses the limits and the method.
        FuzzTarget("response", upTo: 2_048) { bytes in
            guard let first = bytes.first else { return }
            try compareCuts(
                Array(bytes.dropFirst()), isHead: first & 1 != 0, first & 2 != 0 ? smallLimits : Limits())
        },
        FuzzTarget("chunks", upTo: 2_048) { bytes in
            let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            try compareCuts(head + bytes, isHead: false, bytes.count % 2 == 0 ? smallLimits : Limits())
        },
    ]
}
