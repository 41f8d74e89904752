// LoggedCall: one call in a log, with its events and the beginnings of its bodies.

import HTTPTypes
package import TsubameCore

/// One call as its events told it. The events are kept without bodies, and the bodies beside them.
package struct LoggedCall: Sendable {
    /// How a call stands.
    package enum State: String, Sendable, Hashable, Codable {
        case running, finished, failed, cancelled
    }

    package struct Event: Sendable {
        /// The time since the start of the call, in nanoseconds.
        package let time: UInt64
        package let kind: CallEvent.Kind
    }

    /// The beginning of a body, as it went over the network.
    package struct Body: Sendable {
        private var pieces = GatheredBytes()
        /// Whether the body went on.
        package internal(set) var isCut = false

        package init() {}

        package init(_ bytes: Bytes) { pieces.append(bytes) }

        package var bytes: Bytes {
            let pieces = pieces
            return pieces.joined()
        }

        package var count: Int { pieces.count }

        /// Adds the bytes that follow `offset` bytes, up to `limit` bytes of the body.
        fileprivate mutating func append(_ bytes: Bytes, at offset: Int, limit: Int) {
            // Earlier bytes were evicted.
            guard offset == count, !isCut else { return isCut = true }
            let kept = bytes.slice(0..<limit - count)
            pieces.append(kept)
            isCut = kept.count < bytes.count
        }
    }

    /// One request of the call as it was sent, and its response.
    package struct Attempt: Sendable {
        /// The events of the attempt within ``events``.
        package var events: Range<Int>
        package var requestBody: Body?
        package var responseBody: Body?
    }

    /// The most events that are kept, beside the last one.
    private static let mostEvents = 2000

    /// The number of the call within the process.
    package let id: UInt64
    /// The time of the start, in milliseconds since 1970.
    package let started: Double
    /// The request as the caller made it, without a body that is too long to keep.
    package let request: Request
    /// The number of the client in the log; 0 for a call that no client of the log sent.
    package let client: UInt16
    package private(set) var events: [Event] = []
    package private(set) var attempts: [Attempt] = []
    package private(set) var state = State.running
    /// The number of events that were not kept, because the call has too many.
    package private(set) var skipped = 0
    /// The memory that the call takes, in bytes. It is an estimate.
    package private(set) var size: Int

    package init(id: UInt64, started: Double, request: Request, client: UInt16 = 0) {
        self.id = id
        self.started = started
        self.request = request
        self.client = client
        size = 512
    }

    /// A request of this call to send again. If it has no body of its own, it gets the body that was sent, if the log
    /// kept all of it.
    package func withRecordedBody(_ request: Request) -> Request {
        guard request.body.bytesInMemory == nil, let body = attempts.first?.requestBody, !body.isCut, body.count > 0,
            sent(allOf: Int64(body.count)),
            request.headers.contains(.contentEncoding) || firstSent?.headers.contains(.contentEncoding) != true
        else { return request }
        var request = request
        request.body = .bytes(body.bytes, contentType: request.body.contentType ?? request.headers[.contentType])
        return request
    }

    /// Whether a body of this length was sent, and nothing more was to come.
    private func sent(allOf count: Int64) -> Bool {
        events.contains {
            if case .sending(let progress) = $0.kind {
                progress.bytes == count && progress.total == count
            } else {
                false
            }
        }
    }

    /// The time of the last event since the start of the call, in nanoseconds.
    package var duration: UInt64 { events.last?.time ?? 0 }

    package mutating func add(_ event: Event, bodyLimit: Int) {
        switch event.kind {
        case .requestBody(let bytes, let offset): add(bytes, at: offset, to: \.requestBody, bodyLimit)
        case .responseBody(let bytes, let offset): add(bytes, at: offset, to: \.responseBody, bodyLimit)
        case .sending, .receiving:
            // Only the latest progress counts. Both bodies may go on at once.
            if let place = events.indices.suffix(2).last(where: { events[$0].kind.isProgress(like: event.kind) }) {
                events[place] = event
            } else if events.count < Self.mostEvents {
                append(event)
            }
        default:
            if events.count < Self.mostEvents || event.kind.isFinal { append(event) } else { skipped += 1 }
        }
    }

    private mutating func append(_ event: Event) {
        if attempts.isEmpty { attempts.append(Attempt(events: 0..<0)) }
        events.append(event)
        size += event.kind.size
        attempts[attempts.count - 1].events = attempts[attempts.count - 1].events.lowerBound..<events.count
        switch event.kind {
        case .resending: attempts.append(Attempt(events: events.count..<events.count))
        case .finished: state = .finished
        case .failed: state = .failed
        case .cancelled: state = .cancelled
        default: break
        }
    }

    /// The body belongs to the last attempt with a head, since the reason to send again may come before the body. The rest of an
    /// earlier body may come even later.
    private mutating func add(
        _ bytes: Bytes, at offset: Int, to part: WritableKeyPath<Attempt, Body?>, _ limit: Int
    ) {
        let begun = attempts.indices.filter { index in
            events[attempts[index].events].contains {
                switch $0.kind {
                case .sent: part == \.requestBody
                case .headReceived: true
                default: false
                }
            }
        }
        let continued = offset == 0 ? nil : begun.last { attempts[$0][keyPath: part]?.count == offset }
        guard let index = continued ?? begun.last ?? attempts.indices.last else { return }
        size -= attempts[index][keyPath: part]?.count ?? 0
        // A body that is sent again begins anew.
        if offset == 0 { attempts[index][keyPath: part] = nil }
        var body = attempts[index][keyPath: part].take() ?? Body()
        body.append(bytes, at: offset, limit: limit)
        attempts[index][keyPath: part] = body
        size += body.count
    }

    mutating func markCut(_ cut: (request: Bool, response: Bool)) {
        for index in attempts.indices {
            if cut.request { attempts[index].requestBody?.isCut = true }
            if cut.response { attempts[index].responseBody?.isCut = true }
        }
    }
}

extension CallEvent.Kind {
    fileprivate func isProgress(like other: CallEvent.Kind) -> Bool {
        switch (self, other) {
        case (.sending, .sending), (.receiving, .receiving): true
        default: false
        }
    }
}
