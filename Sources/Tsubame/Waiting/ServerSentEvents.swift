// ServerSentEvents: a body as events, as they come.

public import TsubameCore
public import TsubameWire

/// The events of a body of `text/event-stream` (WHATWG HTML section 9.2). An event that the end of the body cuts off is
/// not given.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent

    let lines: Lines
    let lastID: String

    /// Gives the events, each when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var lines: Lines.AsyncIterator
        private var parser: ServerSentEventParser

        fileprivate init(_ lines: Lines, _ lastID: String) {
            self.lines = lines.makeAsyncIterator()
            parser = ServerSentEventParser(lastID: lastID)
        }

        /// The identifier and the time to wait that a new connection begins with: also those behind the last event.
        var resumption: (lastID: String, retry: Duration?) { (parser.lastID, parser.retry) }

        /// The next event; nil at the end.
        /// - Throws: ``CallError/Kind/limitExceeded`` for an event longer than 8 MiB, and what reading the body throws.
        public mutating func next() async throws(CallError) -> ServerSentEvent? {
            while let line = try await lines.next() {
                do throws(WireError) {
                    if let event = try parser.take(line) { return event }
                } catch {
                    throw CallError(error, phase: .receivingBody)
                }
            }
            return nil
        }
    }

    /// Reads on where the body is: a streamed body can be read once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lines, lastID) }
}

extension ReceivedBody {
    /// The body as server-sent events, as they come, of this one connection; `Client.events` connects anew.
    public var events: ServerSentEvents { events(after: "") }

    func events(after lastID: String) -> ServerSentEvents { ServerSentEvents(lines: lines, lastID: lastID) }
}
