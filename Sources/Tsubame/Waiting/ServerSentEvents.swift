// ServerSentEvents: a body as server-sent events, read as they arrive.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import TsubameCore
public import TsubameWire

/// The events of a `text/event-stream` body (WHATWG HTML section 9.2). An event that the end of the body cuts off
/// is dropped.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent

    let lines: Lines
    let lastID: String

    /// Gives the events, each read when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var lines: Lines.AsyncIterator
        private var parser: ServerSentEventParser

        fileprivate init(_ lines: Lines, _ lastID: String) {
            self.lines = lines.makeAsyncIterator()
            parser = ServerSentEventParser(lastID: lastID)
        }

        /// The last event ID and the delay with which a new connection begins, even if no event followed them.
        var resumption: (lastID: String, retry: Duration?) { (parser.lastID, parser.retry) }

        /// The next event; nil at the end.
        /// - Throws: ``CallError/Kind/limitExceeded`` for an event longer than 8 MiB, or the error of reading the
        ///   body.
        public mutating func next() async throws(CallError) -> ServerSentEvent? {
            while let line = try await lines.next(), !lines.isAtEnd {
                do throws(WireError) {
                    if let event = try parser.take(line) { return event }
                } catch {
                    throw CallError(error, phase: .receivingBody)
                }
            }
            return nil
        }
    }

    /// Continues where the body is. A streamed body can be read only once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lines, lastID) }
}

extension ResponseBody {
    /// The server-sent events of this one body, as they arrive. `Client.events` opens a new connection when one
    /// ends.
    public var events: ServerSentEvents { events(after: "") }

    func events(after lastID: String) -> ServerSentEvents { ServerSentEvents(lines: lines, lastID: lastID) }
}

extension ServerSentEvent {
    /// The data as a value from JSON. An event of `Client.events` is decoded as the client's ``Configuration/json`` says.
    ///
    /// ```swift
    /// for try await event in api.events("prices") { show(try event.json(Price.self)) }
    /// ```
    /// - Throws: ``CallError/Kind/decoding``.
    public func json<T: Decodable>(_ type: T.Type = T.self) throws(CallError) -> T {
        do {
            return try valueRules.json.decoder().decode(type, from: Data(data.utf8))
        } catch {
            throw CallError(
                .decoding, "the event's data cannot be decoded as \(type) from JSON: \(Response.words(error))",
                phase: .decoding, underlying: error)
        }
    }
}
