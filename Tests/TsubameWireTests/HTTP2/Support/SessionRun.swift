// SessionRun: one HTTP/2 session that receives bytes, and its events so far.

import HTTPTypes
import Testing
import TsubameCore
import TsubamePlatform
import TsubameWire

struct SessionRun: ~Copyable {
    var session: HTTP2Session
    var streams: [HTTP2Stream] = []
    var outcome = SessionOutcome()
    /// The time at which the bytes arrive, in nanoseconds.
    var now: MonotonicTime = 1
    /// The lengths that came with heads whose body followed separately.
    var lengths: [UInt32: Int64?] = [:]
    /// The streams whose response came with head and body together.
    var wholes: [UInt32] = []
    private var buffer: [UInt8] = []

    /// The preface and the requests are not part of the recorded output.
    init(_ requests: [FedRequest] = [FedRequest()], _ limits: Limits = Limits()) {
        session = HTTP2Session(limits: limits)
        for request in requests { begin(request) }
        session.output.removeAll()
    }

    mutating func begin(_ request: FedRequest = FedRequest()) {
        do throws(WireError) {
            streams.append(
                try session.open(
                    method: request.method, isSecure: true, authority: "a.test", target: "/", headers: [:],
                    length: nil, limits: request.limits, endsStream: request.isWhole))
        } catch {
            Issue.record("no stream: \(error)")
        }
    }

    mutating func read(_ bytes: some Collection<UInt8>) {
        guard outcome.error == nil else { return }
        buffer += bytes
        session.beginRead(at: now)
        var offset = 0
        while true {
            let before = offset
            do throws(WireError) {
                let event = try next(&offset)
                #expect(offset >= before && offset <= buffer.count)
                guard note(event, before, offset) else { break }
            } catch {
                outcome.error = error
                staysBroken(error, offset)
                return
            }
        }
        buffer.removeFirst(offset)
        #expect(buffer.count < 9 + 16_384, "too much is kept waiting")
    }

    /// - Returns: whether more events may follow.
    private mutating func note(_ event: HTTP2Session.Event, _ before: Int, _ offset: Int) -> Bool {
        switch event {
        case .needsMore: return false
        case .informational(let stream, let head):
            outcome.events.append(.informational(stream.id, head.status, Self.fields(head)))
        case .whole(let stream, let head, let body):
            isOver(stream)
            wholes.append(stream.id)
            outcome.events.append(.head(stream.id, head.status, Self.fields(head)))
            if body.count > 0 { outcome.events.append(.body(stream.id, Array(body))) }
            outcome.events.append(.end(stream.id, []))
        case .head(let stream, let head, let length):
            let isRunning = session.isRunning(stream)
            #expect(isRunning)
            lengths[stream.id] = .some(length)
            outcome.events.append(.head(stream.id, head.status, Self.fields(head)))
        case .body(let stream, let range):
            #expect(!range.isEmpty && range.lowerBound >= before && range.upperBound <= offset)
            var body: [UInt8] = []
            if case .body(stream.id, let before)? = outcome.events.last {
                outcome.events.removeLast()
                body = before
            }
            body += buffer[range]
            outcome.events.append(.body(stream.id, body))
        case .end(let stream, let trailers):
            isOver(stream)
            outcome.events.append(.end(stream.id, (trailers ?? [:]).map { "\($0.name.rawName): \($0.value)" }))
        case .reset(let stream, let code):
            isOver(stream)
            outcome.events.append(.reset(stream.id, code.rawValue))
        case .failed(let stream, let error):
            isOver(stream)
            outcome.events.append(.failed(stream.id, error.kind, error.description))
        case .writable(let stream): outcome.events.append(.writable(stream?.id))
        case .settings: outcome.events.append(.settings)
        case .goAway(let last, let code): outcome.events.append(.goAway(last, code.rawValue))
        }
        return true
    }

    private func isOver(_ stream: HTTP2Stream) {
        let isRunning = session.isRunning(stream)
        #expect(!isRunning, "stream \(stream.id) is not over")
    }

    /// The sent frames; this empties the session's output.
    mutating func takeSent(sourceLocation: SourceLocation = #_sourceLocation) -> [SentFrame] {
        defer { session.output.removeAll() }
        guard let frames = SentFrame.frames(session.output) else {
            Issue.record("what is sent is no row of frames: \(session.output)", sourceLocation: sourceLocation)
            return []
        }
        return frames
    }

    /// The events since the last call.
    mutating func takeEvents() -> [SessionEvent] {
        defer { outcome.events.removeAll() }
        return outcome.events
    }

    consuming func finish() -> SessionOutcome {
        outcome.sent = takeSent()
        outcome.running = session.count
        return outcome
    }

    private static func fields(_ head: ReceivedHead) -> [String] {
        #expect(head.version == .http2 && head.reason.isEmpty)
        return ReceivedFields(head).map { "\($0.name.rawName): \($0.value)" }
    }

    /// After an error, every further read gives the same error and sends nothing.
    private mutating func staysBroken(_ error: WireError, _ offset: Int) {
        let output = session.output
        for _ in 0..<2 {
            var offset = offset
            do throws(WireError) {
                _ = try next(&offset)
                Issue.record("something came behind an error")
            } catch let again {
                #expect(again == error)
            }
        }
        let (after, room) = (session.output, session.availableStreams)
        #expect(after == output)
        #expect(room == 0)
    }

    private mutating func next(_ offset: inout Int) throws(WireError) -> HTTP2Session.Event {
        // Memory of exactly this size, so that the address sanitizer reports a read after its end.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: buffer)
        return try session.next(UnsafeRawBufferPointer(copy), &offset)
    }
}
