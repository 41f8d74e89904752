// FuzzTarget+HTTP2: HPACK and HTTP/2 sessions. Neither the events nor the fields depend on the cuts, and no state grows
// beyond its bound.

import HTTPTypes
import TsubameCore
import TsubameWire

private struct SessionLog: Equatable {
    var events: [String] = []
    var bodies: [UInt32: [UInt8]] = [:]
    var failure: String?
}

private struct SessionFuzzRun: ~Copyable {
    private var session: HTTP2Session
    private var pending: [UInt8] = []
    private var log = SessionLog()

    init(requests: Int, _ limits: Limits) {
        session = HTTP2Session(limits: limits)
        for index in 0..<requests {
            _ = try? session.open(
                method: index == 2 ? "HEAD" : "GET", isSecure: true, authority: "a.test", target: "/", headers: [:],
                length: nil, limits: limits, endsStream: index != 1)
        }
        session.output.removeAll()
    }

    private static func text(_ head: ReceivedHead) -> String {
        "\(head.status) \(ReceivedFields(head).map { "\($0.name.rawName): \($0.value)" })"
    }

    private mutating func end(_ stream: HTTP2Stream, _ how: String) {
        log.events.append("\(stream.id) \(how) after \(log.bodies.removeValue(forKey: stream.id) ?? [])")
    }

    private mutating func take(_ event: HTTP2Session.Event, _ bytes: UnsafeRawBufferPointer) {
        switch event {
        case .needsMore: break
        case .informational(let stream, let head):
            log.events.append("\(stream.id) informational \(Self.text(head))")
        case .whole(let stream, let head, let body):
            log.events.append("\(stream.id) head \(Self.text(head))")
            log.bodies[stream.id] = Array(body)
            end(stream, "end []")
        case .head(let stream, let head, _): log.events.append("\(stream.id) head \(Self.text(head))")
        case .body(let stream, let range): log.bodies[stream.id, default: []] += bytes[range]
        case .end(let stream, let trailers):
            end(stream, "end \((trailers ?? [:]).map { "\($0.name.rawName): \($0.value)" })")
        case .reset(let stream, let code): end(stream, "reset \(code)")
        case .failed(let stream, let error): end(stream, "failed \(error)")
        case .writable(let stream): log.events.append("writable \(stream.map { "\($0.id)" } ?? "all")")
        case .settings: log.events.append("settings")
        case .goAway(let last, let code): log.events.append("goaway \(last) \(code)")
        }
    }

    mutating func read(_ bytes: [UInt8]) throws(Finding) {
        guard log.failure == nil else { return }
        pending += bytes
        let all = pending
        session.beginRead(at: 1)
        var offset = 0
        let finding: Finding? = all.withExactCopy { memory in
            while true {
                let before = offset
                do throws(WireError) {
                    let event = try session.next(memory, &offset)
                    guard offset >= before, offset <= memory.count else { return Finding("the offset left the bytes") }
                    if case .needsMore = event { return nil }
                    take(event, memory)
                } catch {
                    log.failure = "\(error)"
                    return nil
                }
            }
        }
        if let finding { throw finding }
        pending.removeFirst(offset)
        try require(pending.count < 9 + 16_384, "the session keeps \(pending.count) bytes waiting")
        try require(session.output.count < 1 << 20, "the session has \(session.output.count) bytes to send")
    }

    consuming func finish() -> SessionLog { log }
}

extension FuzzTarget {
    private static func sessionLog(_ pieces: [[UInt8]], requests: Int, _ limits: Limits) throws(Finding) -> SessionLog {
        var run = SessionFuzzRun(requests: requests, limits)
        for piece in pieces { try run.read(piece) }
        return run.finish()
    }

    /// The fields of a series of blocks, each of which begins with its length in one byte.
    static func blocks(_ bytes: [UInt8]) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var rest = bytes[...]
        while let length = rest.popFirst(), blocks.count < 16 {
            blocks.append(Array(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return blocks
    }

    static let http2 = [
        // The first byte chooses the number of requests and the limits.
        FuzzTarget("session", upTo: 2_048) { bytes in
            guard let first = bytes.first else { return }
            var limits = Limits()
            if first & 4 != 0 {
                limits.headBytes = 400
                limits.headFields = 6
            }
            let peer = Array(bytes.dropFirst())
            let whole = try sessionLog([peer], requests: Int(first & 3), limits)
            try requireEqual(
                whole, try sessionLog(Cuts.pieces(peer), requests: Int(first & 3), limits),
                "another cut brings other events")
        },
        FuzzTarget("hpack") { bytes in
            var decoder = HPACKDecoder()
            var fields = DecodedFields(maxBytes: 4_096, maxFields: 20)
            for block in blocks(bytes) {
                fields.removeAll(maxBytes: 4_096, maxFields: 20)
                let isRead = block.withExactCopy { memory in
                    (try? decoder.decode(memory, into: &fields)) != nil
                }
                try require(decoder.table.size <= decoder.table.maxSize, "the table is larger than its bound")
                try require(fields.slots.count <= 20 && fields.bytes.count <= 8_192, "the fields exceed their limits")
                guard isRead else { return }
            }
        },
        // Names and values, each with its length before it, are read as they were written.
        FuzzTarget("hpack-encode") { bytes in
            var encoder = HPACKEncoder(tableSize: 200)
            var decoder = HPACKDecoder(tableSize: 4_096)
            let texts = blocks(bytes)
            var block: [UInt8] = []
            encoder.beginBlock(into: &block)
            for index in stride(from: 0, to: texts.count - 1, by: 2) {
                texts[index].withUnsafeBytes { name in
                    texts[index + 1].withUnsafeBytes { value in
                        encoder.encode(
                            name, value, [.indexed, .notIndexed, .neverIndexed][texts[index].count % 3], into: &block)
                    }
                }
            }
            var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 100)
            do {
                try block.withExactCopy { memory throws(WireError) in try decoder.decode(memory, into: &fields) }
            } catch {
                throw Finding("our own block cannot be read: \(error)")
            }
            let read = fields.slots.flatMap { slot in
                [(slot.nameStart, slot.nameLength), (slot.valueStart, slot.valueLength)].map { start, length in
                    Array(fields.bytes[Int(start)..<Int(start + length)])
                }
            }
            try requireEqual(read, Array(texts.prefix(texts.count / 2 * 2)), "the fields changed on their way")
        },
    ]
}
