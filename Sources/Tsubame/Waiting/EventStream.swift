// EventStream: server-sent events over one connection after another.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TsubameCore
public import TsubameWire

/// The server-sent events of a URL, as a browser's `EventSource` gives them (WHATWG HTML section 9.2). When a
/// connection ends or is lost, the stream opens another, which continues after the last event.
///
/// The stream ends when the server answers 204, or when the loop over it ends. It fails if the first connection
/// cannot be made, or on an error that a new connection would not solve. It also fails on any status but 200 and
/// 204, and on a type other than `text/event-stream`. Nothing is read ahead: a slow reader slows the server down.
public struct EventStream: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent
    /// The error with which the stream fails.
    public typealias Failure = CallError

    let client: Client
    let request: Request
    let reconnects: Int?

    /// Each iterator opens its own connections, the first when its first event is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(ValuePump(request) { await EventConnections(self, $0).run() })
    }

    /// Gives the events of one connection after another. When the iterator is dropped, its connection ends.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pump: ValuePump<ServerSentEvent>

        fileprivate init(_ pump: ValuePump<ServerSentEvent>) { self.pump = pump }

        /// The next event; nil at the end.
        /// - Throws: ``CallError``; its kind is `cancelled` if the task is cancelled.
        public mutating func next() async throws(CallError) -> ServerSentEvent? { try await pump.next() }
    }
}

extension Client {
    /// The server-sent events of a path, over one connection after another.
    ///
    /// ```swift
    /// for try await event in api.events("feed") { print(event.type, event.data) }
    /// ```
    /// - Parameters:
    ///   - path: the path below the client's base URL.
    ///   - query: the query of the request.
    ///   - headers: the headers of the request, besides the client's.
    ///   - reconnects: how many further connections may be opened in all; any number by default. The delay before
    ///     each is the server's (`retry`), or 3 s. It doubles up to a minute while no event comes.
    public func events(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], reconnects: Int? = nil
    ) -> EventStream {
        events(Request(.get, path, query: query, headers: headers), reconnects: reconnects)
    }

    /// The server-sent events of a path given as text, which is already percent-encoded and may have several segments.
    public func events(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], reconnects: Int? = nil
    ) -> EventStream {
        events(Request(.get, path: path, query: query, headers: headers), reconnects: reconnects)
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write path: text for a path, or \"\\(text)\" to escape it as one segment"
    )
    public func events(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], reconnects: Int? = nil
    ) -> EventStream {
        events(Request(.get, path: path, query: query, headers: headers), reconnects: reconnects)
    }

    /// The server-sent events of a whole URL, over one connection after another.
    public func events(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], reconnects: Int? = nil
    ) -> EventStream {
        events(Request(.get, url: url, query: query, headers: headers), reconnects: reconnects)
    }

    /// The server-sent events of a whole URL, over one connection after another.
    public func events(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], reconnects: Int? = nil
    ) -> EventStream {
        events(Request(.get, url: url, query: query, headers: headers), reconnects: reconnects)
    }

    /// The server-sent events of a request, over one connection after another.
    /// - Parameters:
    ///   - request: the request for each connection. If its method is not safe (RFC 9110 section 9.2.1), such as
    ///     POST, it has one connection unless `reconnects` is given. So has a request whose body can be sent only
    ///     once.
    ///   - reconnects: how many further connections may be opened in all.
    public func events(_ request: Request, reconnects: Int? = nil) -> EventStream {
        var request = request
        request.headers[.accept] = request.headers[.accept] ?? "text/event-stream"
        request.headers[.cacheControl] = request.headers[.cacheControl] ?? "no-store"
        let mayBeRepeated = request.method.isSafe && request.body.canBeSentAgain
        return EventStream(client: self, request: request, reconnects: reconnects ?? (mayBeRepeated ? nil : 0))
    }
}

/// Opens one connection after another.
// Only the one task of its pump uses it. The closure of `stream` changes properties, which are read after `stream`
// has returned.
private final class EventConnections: @unchecked Sendable {
    /// The delay of browsers.
    private static let firstRetry = Duration.seconds(3)
    private static let leastRetry = Duration.milliseconds(100)
    private static let longestRetry = Duration.seconds(60)

    private let stream: EventStream
    private let handoff: Handoff<ServerSentEvent, CallError>
    private var lastID = ""
    private var retry = firstRetry
    private var wasConnected = false
    private var isOver = false
    /// The response of the connection that has ended.
    private var last: Response?
    /// Connections that were opened again, in all and after the last event.
    private var reconnects = 0
    private var failures = 0

    init(_ stream: EventStream, _ handoff: Handoff<ServerSentEvent, CallError>) {
        self.stream = stream
        self.handoff = handoff
    }

    func run() async {
        while true {
            var failure: CallError?
            do throws(CallError) {
                try await connect()
            } catch {
                guard wasConnected else { return handoff.end(error) }
                failure = error
            }
            if isOver { return handoff.end() }
            // The request may change the client's settings for itself.
            let configuration = stream.client.resolved(stream.request).client.configuration
            guard case .retry(let number, let delay, _, _) = next(after: failure, by: configuration.retry) else {
                return handoff.end(failure)
            }
            (reconnects, failures) = (number, failures + 1)
            guard (try? await configuration.clock.sleep(for: delay)) != nil else { return handoff.end() }
        }
    }

    /// Asks the retry policy. A connection that has ended without a failure is opened again, too.
    private func next(after failure: CallError?, by policy: RetryPolicy) -> RetryPolicy.Next {
        // Without a new event there is always a delay, even if the server asks for none.
        let doubled = Swift.max(retry, Self.leastRetry) * (1 << Swift.min(failures, 10))
        let delay = failures == 0 ? retry : Swift.min(doubled, Swift.max(retry, Self.longestRetry))
        let outcome = RetryPolicy.Outcome(
            request: failure?.request ?? stream.request, response: failure == nil ? last : nil, error: failure,
            retries: reconnects)
        return policy.next(
            after: outcome, RetryPolicy.Attempt(), .subscription(maximum: stream.reconnects ?? .max, delay: delay))
    }

    private func connect() async throws(CallError) {
        var request = stream.request
        if !lastID.isEmpty {
            var headers = request.headers
            headers[.lastEventID] = lastID
            // A server may give an event an id that no field can carry. The request goes without it.
            if headers.isValid { request.headers = headers }
        }
        do {
            try await stream.client.stream(request) { response in try await self.read(response) }
        } catch let error as CallError {
            throw error
        } catch {
            throw CallError(.interceptor, "\(error)", underlying: error)
        }
    }

    private func read(_ response: Response) async throws(CallError) {
        if response.status == .noContent { return isOver = true }
        guard response.status == .ok else {
            _ = try await response.accepted()
            throw response.statusError(failure: nil)
        }
        guard let type = response.headers[.contentType], MediaType(type)?.essence == "text/event-stream" else {
            throw CallError(
                .invalidResponse,
                "the response is \(response.headers[.contentType] ?? "of no type"), not an event stream",
                phase: .receivingBody, advice: "ask for a resource of type text/event-stream",
                request: response.request, response: response)
        }
        wasConnected = true
        last = response
        var events = response.body.events(after: lastID).makeAsyncIterator()
        defer {
            lastID = events.resumption.lastID
            if let wait = events.resumption.retry { retry = wait }
        }
        while var event = try await events.next() {
            failures = 0
            event.valueRules = response.details.valueRules
            guard await handoff.give(event) else { return isOver = true }
        }
    }
}
