// SessionFeeder: gives bytes to an HTTP/2 session as a connection would, cut in every way, and says what came of them.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

/// What a session tells, in a form that must not depend on how the bytes were cut: a short response is told of in parts
/// like a long one, and the parts of a body are joined.
enum SessionEvent: Hashable, CustomStringConvertible {
    case informational(UInt32, Int, [String])
    case head(UInt32, Int, [String])
    case body(UInt32, [UInt8])
    case end(UInt32, [String])
    case reset(UInt32, UInt32)
    case failed(UInt32, CallError.Kind, String)
    case writable(UInt32?)
    case settings
    case goAway(UInt32, UInt32)

    static func body(_ stream: UInt32, _ text: String) -> SessionEvent { .body(stream, latin1(text)) }

    var description: String {
        switch self {
        case .informational(let stream, let status, let fields): "\(stream): informational \(status) \(fields)"
        case .head(let stream, let status, let fields): "\(stream): \(status) \(fields)"
        case .body(let stream, let bytes): "\(stream): \(bytes.count) bytes \(String(decoding: bytes.prefix(40), as: UTF8.self))"
        case .end(let stream, let trailers): "\(stream): end \(trailers)"
        case .reset(let stream, let code): "\(stream): reset \(code)"
        case .failed(let stream, let kind, let text): "\(stream): \(kind.rawValue): \(text)"
        case .writable(let stream): "writable \(stream.map(String.init) ?? "all")"
        case .settings: "settings"
        case .goAway(let last, let code): "GOAWAY \(last) \(code)"
        }
    }
}

/// What a session made of a stream of bytes.
struct SessionOutcome: Hashable, CustomStringConvertible {
    var events: [SessionEvent] = []
    var error: WireError?
    var sent: [SentFrame] = []
    /// How many streams still run.
    var running = 0

    var description: String { "\(events) error: \(error?.description ?? "none") sent: \(sent) running: \(running)" }
}

/// What is open when the peer's bytes come.
struct FedRequest: Sendable {
    var method = "GET"
    /// Else its body is still to come.
    var isWhole = true
    var limits = Limits()
}

struct SessionFeeder: Sendable {
    var requests = [FedRequest()]
    var limits = Limits()
    /// The peer's bytes are preceded by its preface, of whose event and answer nothing is said.
    var hasPreface = true

    static func streams(_ count: Int) -> SessionFeeder {
        SessionFeeder(requests: [FedRequest](repeating: FedRequest(), count: count))
    }

    /// In one read, or in some.
    func feed(_ bytes: [UInt8], cuts: some Sequence<Int> = EmptyCollection<Int>()) -> SessionOutcome {
        var run = SessionRun(requests, limits)
        let bytes = (hasPreface ? PeerFrame.settings() : []) + bytes
        var start = 0
        for end in cuts.prefix(while: { $0 < bytes.count }) + [bytes.count] where end > start {
            run.read(bytes[start..<end])
            start = end
        }
        guard hasPreface else { return run.finish() }
        var outcome = run.finish()
        #expect(outcome.events.first == .settings)
        #expect(outcome.sent.first == .settingsAcknowledgement)
        outcome.events.removeFirst()
        outcome.sent.removeFirst()
        return outcome
    }

    /// In one read, in two at every position, and in reads of one byte; all must come to the same.
    func feedInEveryWay(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> SessionOutcome {
        let whole = feed(bytes)
        let count = bytes.count + (hasPreface ? 9 : 0)
        for cut in stride(from: 1, to: count, by: max(1, count / 500)) {
            let outcome = feed(bytes, cuts: [cut])
            guard outcome == whole else {
                Issue.record("cut at \(cut): \(outcome), whole: \(whole)", sourceLocation: sourceLocation)
                break
            }
        }
        guard count < 4_000 else { return whole }
        let outcome = feed(bytes, cuts: 1..<max(count, 1))
        #expect(outcome == whole, "byte by byte", sourceLocation: sourceLocation)
        return whole
    }
}

/// One session that is read to, and what it has told so far.
struct SessionRun: ~Copyable {
    var session: HTTP2Session
    var streams: [HTTP2Stream] = []
    var outcome = SessionOutcome()
    /// When what is read comes, in nanoseconds.
    var now: MonotonicTime = 1
    /// The lengths that were told with heads whose body did not come with them.
    var lengths: [UInt32: Int64?] = [:]
    /// Responses that came with head and body in one.
    var wholes: [UInt32] = []
    private var buffer: [UInt8] = []

    /// The preface and the requests are not among what is sent.
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

    /// - Returns: whether there may be more.
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

    /// What has been sent, frame by frame; the session's output is emptied.
    mutating func takeSent(sourceLocation: SourceLocation = #_sourceLocation) -> [SentFrame] {
        defer { session.output.removeAll() }
        guard let frames = SentFrame.frames(session.output) else {
            Issue.record("what is sent is no row of frames: \(session.output)", sourceLocation: sourceLocation)
            return []
        }
        return frames
    }

    /// The events since they were last taken.
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

    /// Behind an error there is nothing but that error, and nothing more to say of it.
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
        let (after, room) = (session.output, session.room)
        #expect(after == output)
        #expect(room == 0)
    }

    private mutating func next(_ offset: inout Int) throws(WireError) -> HTTP2Session.Event {
        // Memory of exactly that size, so that the address sanitizer sees a read behind it.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: buffer)
        return try session.next(UnsafeRawBufferPointer(copy), &offset)
    }
}
