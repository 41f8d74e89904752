// CallTrace: times, connection and byte counts of a call's exchanges, gathered from its events.

import Tsubame
import TsubameTerminal

/// Takes a call's events in their order.
struct CallTrace: Sendable {
    private var hops: [HopTimes] = []
    /// Body bytes sent for the latest request.
    private(set) var sentBytes: Int64 = 0
    /// Body bytes received of the latest response, before decoding.
    private(set) var receivedBytes: Int64 = 0
    /// The connection of the latest response.
    private(set) var connection: ConnectionInfo?
    private(set) var version: String?
    private(set) var cacheStatus: String?
    /// When the latest request began.
    private(set) var start = Duration.zero
    /// The time of the latest event.
    private(set) var end = Duration.zero
    /// The phase that the call is in now.
    private var open: HopTimes.Span?

    mutating func take(_ event: CallEvent) {
        let time = event.time
        // The next exchange of a call that sends by itself, as a download does, is a hop of its own.
        if hops.last?.status != nil, Self.beginsExchange(event.kind), let name = hops.last?.request {
            close(open?.end ?? time)
            begin(named: name, at: time)
        }
        switch event.kind {
        case .started(let request): begin(request, at: time)
        case .queued: if open?.phase != .queued { enter(.queued, time) }
        case .resolving: enter(.resolving, time)
        case .connecting: if open?.phase != .connecting { enter(.connecting, time) }
        case .securing: enter(.securing, time)
        case .resolved, .connected: leave(time)
        case .secured(let connection), .reused(let connection):
            leave(time)
            self.connection = connection
        case .sent(let request):
            update { $0.request = Self.name(request) }
            // A body may follow. Without one, sending has ended already.
            enter(.sending, time)
        case .sending(let progress):
            sentBytes = progress.bytes
            // The body may still be sent while the response already arrives.
            if open?.phase == .sending { prolong(time) }
        case .headReceived(let response): receive(response, time)
        case .receiving(let progress):
            receivedBytes = progress.bytes
            if open?.phase == .receiving { prolong(time) }
        case .resending(let request, _, let pause):
            prolong(time)
            begin(request, at: time + pause)
        case .failed(let error):
            leave(time)
            update { $0.outcome = $0.status == nil ? error.kind.words : "\($0.outcome), then \(error.kind.words)" }
        case .finished(let response):
            cacheStatus = response.cacheStatus
            if open?.phase != .receiving { leave(time) }
        case .cancelled: leave(time)
        case .informational, .requestBody, .responseBody, .caching, .decision: break
        }
        end = max(end, time)
    }

    /// Whether an event belongs to the beginning of an exchange.
    static func beginsExchange(_ kind: CallEvent.Kind) -> Bool {
        switch kind {
        case .queued, .resolving, .connecting, .reused, .sent: true
        default: false
        }
    }

    /// All hops, including the phase that has not ended yet.
    var wholeHops: [HopTimes] {
        var copy = self
        copy.close(open?.end ?? end)
        return copy.hops
    }

    private static func name(_ request: Request) -> String {
        guard let uri = request.uri else { return request.method.rawValue }
        let url = "\(uri.isSecure ? "https" : "http")://\(uri.authority)\(uri.target)"
        return "\(request.method.rawValue) \(Redaction.standard.url(url))"
    }

    private mutating func begin(_ request: Request, at time: Duration) {
        if let open { close(open.end) }
        begin(named: Self.name(request), at: time)
    }

    private mutating func begin(named name: String, at time: Duration) {
        hops.append(HopTimes(request: name))
        start = time
        (sentBytes, receivedBytes, connection) = (0, 0, nil)
        open = HopTimes.Span(phase: .queued, start: time, end: time)
    }

    private mutating func receive(_ response: Response, _ time: Duration) {
        if let open, open.phase == .sending { close(open.end) }
        let start = hops.last?.spans.last?.end ?? time
        open = HopTimes.Span(phase: .waiting, start: start, end: time)
        enter(.receiving, time)
        connection = response.connection
        version = response.version?.description
        let how = response.connection.map { connection in
            [
                connection.remoteAddress, connection.tls?.version, version, connection.proxy.map { "through \($0)" },
                connection.isReused ? "reused connection" : "new connection",
            ].compactMap { $0 }.joined(separator: ", ")
        }
        update { hop in
            (hop.status, hop.outcome, hop.connection) = (response.statusCode, response.status.reasonPhrase, how)
        }
    }

    private mutating func update(_ change: (inout HopTimes) -> Void) {
        guard !hops.isEmpty else { return }
        change(&hops[hops.count - 1])
    }

    // MARK: Parts

    private mutating func enter(_ phase: HopTimes.Phase, _ time: Duration) {
        close(time)
        open = HopTimes.Span(phase: phase, start: time, end: time)
    }

    private mutating func prolong(_ time: Duration) {
        guard let span = open else { return }
        open = HopTimes.Span(phase: span.phase, start: span.start, end: time)
    }

    /// Ends a phase after which no other has begun. The time that follows counts as queueing.
    private mutating func leave(_ time: Duration) { enter(.queued, time) }

    /// Leaves out short queueing: the steps between two phases are the tool's own.
    private mutating func close(_ time: Duration) {
        guard var span = open else { return }
        open = nil
        span.end = max(span.end, time)
        let isFirst = hops.last?.spans.isEmpty ?? true
        if span.phase == .queued, span.duration < .microseconds(isFirst ? 100 : 1000) { return }
        update { $0.spans.append(span) }
    }
}
