// CallRow: one call as a line of the page's list.

import HTTPTypes
package import TsubameCore

/// One call as a line of the list. Everything in it has its secrets withheld.
package struct CallRow: Sendable, Codable {
    package var id: UInt64
    package var state: LoggedCall.State
    package var method: String
    /// The URL without secrets.
    package var url: String
    package var host: String
    package var path: String
    /// The status; 0 before a response.
    package var status: Int
    package var type: String
    /// The bytes of the last response's body, before decoding.
    package var received: Int64
    package var sent: Int64
    /// In milliseconds since 1970.
    package var started: Double
    /// In milliseconds.
    package var duration: Double
    package var version: String
    /// The number of the connection; 0 if there was none.
    package var connection: UInt64
    package var isReused: Bool
    package var attempts: Int
    package var tags: [String]
    package var isPinned = false
    package var phases: [CallPhase]
    /// The kind and the reason of the failure.
    package var error: String?

    package init(_ call: LoggedCall, isPinned: Bool = false) {
        self.isPinned = isPinned
        let redaction = call.request.redaction
        let request = call.lastRequest
        id = call.id
        state = call.state
        method = request.shownMethod
        url = request.uri == nil ? redaction.invalidURL(request.shownURL) : redaction.url(request.shownURL)
        host = request.uri.map { $0.origin.authority } ?? ""
        path = request.uri.map { redaction.url($0.target) } ?? url
        let response = call.lastResponse
        status = response?.statusCode ?? 0
        type = response?.headers[.contentType].map { String($0.prefix { $0 != ";" }) } ?? ""
        (sent, received) = (0, 0)
        started = call.started
        duration = Double(call.duration / 1000) / 1000
        version = response?.version?.description ?? ""
        connection = 0
        isReused = false
        attempts = call.attempts.count
        phases = call.phases
        tags = []
        var known: Set<String> = []
        func tag(_ name: String) { if known.insert(name).inserted { tags.append(name) } }
        if !call.request.tags.isEmpty, call.request.tags[Resending.tag] != nil { tag("resent") }
        for event in call.events {
            switch event.kind {
            case .sending(let progress): sent = progress.bytes
            case .receiving(let progress): received = progress.bytes
            case .connected(let info), .secured(let info), .reused(let info):
                connection = info.id
                isReused = info.isReused
                if info.proxy != nil { tag("proxy") }
                if version.isEmpty { version = info.version.description }
            case .resending(_, let why, _): tag("\(why.cause)")
            case .finished(let response):
                if response.isFromCache { tag("cache") }
            case .failed(let failure):
                error = "\(failure.kind.rawValue): \(failure.reason)"
            case .decision(let text):
                if text.hasSuffix("(coalescing)") { tag("coalesced") }
                if text.hasPrefix("a rule of the inspector") { tag("rule") }
            default: break
            }
        }
    }
}

extension LoggedCall {
    /// The last request that was sent or is to be sent next.
    package var lastRequest: Request {
        for event in events.reversed() {
            switch event.kind {
            case .sent(let request), .resending(let request, _, _): return request
            default: continue
            }
        }
        return request
    }

    /// The first request that was sent.
    package var firstSent: Request? {
        for event in events { if case .sent(let request) = event.kind { return request } }
        return nil
    }

    /// The last response, if its head has arrived.
    package var lastResponse: Response? {
        for event in events.reversed() {
            switch event.kind {
            case .finished(let response), .headReceived(let response): return response
            case .failed(let error): if let response = error.response { return response }
            case .resending: return nil
            default: continue
            }
        }
        return nil
    }
}

extension TrafficRing {
    /// A call of the ring as a row.
    package func row(_ call: LoggedCall) -> CallRow { CallRow(call, isPinned: pinned.contains(call.id)) }
}
