// ImportedEntry: an entry of an archive as the events of a call.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import Tsubame
import TsubameCore
import TsubamePlatform

/// A call that another program, or an earlier session, recorded. Each entry becomes a call of its own, because an archive does not
/// say which entries belong together.
struct ImportedEntry {
    /// The start, in milliseconds since 1970; nil if the entry has no valid time.
    let started: Double?
    let events: [CallEvent]
    /// Whether the archive has the beginnings of the bodies only.
    let cut: (request: Bool, response: Bool)

    /// The longest phase, in milliseconds.
    private static let longest = 1e9
    /// The start of the call on a clock of its own, which is never 0.
    private static let base: MonotonicTime = 1 << 40

    /// - Parameter bodyLimit: the memory for each body, in bytes. One byte more shows that a body goes on.
    init(_ entry: HTTPArchive.Entry, bodyLimit: Int) {
        cut = (entry.request.postData?.isIncomplete == true, entry.response.content.isIncomplete)
        // A time is written again by cutting off what is less than a millisecond.
        started = entry.started.map { ($0.timeIntervalSince1970 * 1000).rounded() + 0.001 }
        let call = Call.nextID()
        var (events, time) = ([CallEvent](), Duration.zero)
        func add(_ kind: CallEvent.Kind) { events.append(CallEvent(call: call, time: time, kind: kind)) }
        func pass(_ milliseconds: Double) { time += .microseconds(Int64(Self.bounded(milliseconds) * 1000)) }
        var request = Request(HTTPRequest.Method(entry.request.method) ?? .get, url: entry.request.url)
        request.keep(entry.request)
        request.headers = RequestHeaders(entry.request.headers.fields)
        let sentBody = entry.request.postData?.bytes.map { Bytes($0) }
        if let sentBody { request.body = .bytes(sentBody, contentType: entry.request.postData?.mimeType) }
        add(.started(request))
        let phases = entry.timings
        if phases.blocked > 0 {
            add(.queued(why: "the archive does not say why"))
            pass(phases.blocked)
        }
        var timings = Timings()
        timings.start = Self.base
        func now() -> MonotonicTime { Self.base &+ time.nanosecondsClamped }
        if phases.dns >= 0 {
            add(.resolving(host: request.uri?.host ?? ""))
            pass(phases.dns)
            add(.resolved(addresses: entry.serverIPAddress.map { [$0] } ?? []))
            timings.resolvedAt = now()
        }
        if phases.connect >= 0 {
            add(.connecting(address: entry.serverIPAddress ?? ""))
            pass(max(phases.connect - max(phases.ssl, 0), 0))
            timings.connectedAt = now()
            if phases.ssl >= 0 {
                add(.securing)
                pass(phases.ssl)
                timings.securedAt = now()
            }
        }
        let version: HTTPVersion = entry.response.httpVersion.lowercased().contains("2") ? .http2 : .http11
        var connection: ConnectionInfo?
        if phases.connect >= 0 || entry.serverIPAddress != nil {
            let new = ConnectionInfo(remoteAddress: entry.serverIPAddress ?? "", version: version)
            let used = phases.connect >= 0 ? new : new.reused()
            add(phases.connect >= 0 ? .connected(used) : .reused(used))
            connection = used
        }
        add(.sent(request))
        timings.sentAt = now()
        pass(phases.send)
        if let sentBody {
            add(.sending(TransferProgress(bytes: Int64(sentBody.count), total: Int64(sentBody.count))))
            add(.requestBody(sentBody.slice(0..<bodyLimit + 1), at: 0))
        }
        pass(phases.wait)
        if entry.response.status >= 100 {
            timings.headAt = now()
            let (response, body) = Self.response(entry.response, of: request, timings, connection)
            add(.headReceived(response))
            pass(phases.receive)
            add(
                .receiving(
                    TransferProgress(bytes: Int64(max(entry.response.bodySize, body?.count ?? 0, 0)), total: nil)))
            if let body { add(.responseBody(body.slice(0..<bodyLimit + 1), at: 0)) }
            add(entry.failure.map { .failed($0.with(request: request)) } ?? .finished(response))
        } else {
            let unknown = CallError(.connectionLost, "the archive holds no response", phase: .waitingForHead)
            add(.failed((entry.failure ?? unknown).with(request: request)))
        }
        self.events = events
    }

    private static func bounded(_ milliseconds: Double) -> Double {
        milliseconds > 0 ? min(milliseconds, longest) : 0
    }

    private static func response(
        _ recorded: HTTPArchive.Response, of request: Request, _ timings: Timings, _ connection: ConnectionInfo?
    ) -> (Response, Bytes?) {
        var fields = recorded.headers.fields
        // The content is recorded without its codings, unless it says otherwise.
        if !recorded.content.isCoded { fields[.contentEncoding] = nil }
        var response = Response(
            status: HTTPResponse.Status(code: min(recorded.status, 999), reasonPhrase: recorded.statusText),
            headers: fields, request: request)
        response.details = response.details.with(timings: timings, connection: connection)
        return (response, recorded.content.bytes.map { Bytes($0) })
    }
}

extension Request {
    private static let urlTag = "tsubame.archive.url"
    private static let methodTag = "tsubame.archive.method"

    /// Keeps the URL and the method of an entry as they stand there, if the client could not send them: a WebSocket's
    /// URL, or one that browsers take for valid.
    fileprivate mutating func keep(_ recorded: HTTPArchive.Request) {
        if uri == nil { tags[Self.urlTag] = recorded.url }
        if method.rawValue != recorded.method { tags[Self.methodTag] = recorded.method }
    }

    /// The URL, also that of an archive which the client could not send.
    var shownURL: String { uri?.string ?? tags[Self.urlTag] as? String ?? "" }

    /// The method, also that of an archive which the client could not send.
    var shownMethod: String { tags[Self.methodTag] as? String ?? method.rawValue }
}

extension HTTPArchive.Entry {
    /// The failure that an archive of the inspector notes in its comment, as `kind: reason`.
    fileprivate var failure: CallError? {
        guard let comment, let colon = comment.firstIndex(of: ":"),
            let kind = CallError.Kind(rawValue: String(comment[..<colon]))
        else { return nil }
        return CallError(kind, String(comment[colon...].dropFirst(2)), phase: .receivingBody)
    }
}
