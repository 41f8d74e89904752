// ServerSentEvent: one event of a stream of text/event-stream, and how its lines make it.

package import TsubameCore

/// A server-sent event (WHATWG HTML section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` if it names none.
    public var type: String
    /// The lines of its data, joined by line feeds.
    public var data: String
    /// The last identifier that the stream has named up to here: what a new connection goes on from. Empty if none.
    public var id: String
    /// How long to wait before connecting anew, if the stream has said so with or since the event before.
    public var retry: Duration?

    /// An event made by hand, as for a test.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}

/// Lines in, events out (WHATWG HTML section 9.2.6).
package struct ServerSentEventParser: Sendable {
    /// Longer than this no server's wish to wait is followed. In milliseconds: a day.
    private static let longestRetry = 86_400_000

    /// Kept from one connection to the next.
    package private(set) var lastID: String
    package private(set) var retry: Duration?
    private var newRetry: Duration?
    /// Becomes ``lastID`` when its event is whole: one that is cut off has not been seen.
    private var nextID: String
    private var type = ""
    private var data = ""
    private var hasData = false
    private var isFirst = true
    private let limit: Int

    /// - Parameter limit: bytes of data of one event.
    package init(lastID: String = "", limit: Int = 8 << 20) {
        self.lastID = lastID
        nextID = lastID
        self.limit = limit
    }

    /// Takes a line without its end; gives the event that an empty line ends.
    /// - Throws: ``CallError/Kind/limitExceeded``.
    package mutating func take(_ line: String) throws(WireError) -> ServerSentEvent? {
        var line = line[...]
        if isFirst {
            isFirst = false
            if line.unicodeScalars.first == "\u{FEFF}" { line = Substring(line.unicodeScalars.dropFirst()) }
        }
        if line.isEmpty { return dispatch() }
        // Not by characters: a colon with an accent on it is a colon and an accent.
        let bytes = line.utf8
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        // A comment.
        if name.isEmpty { return nil }
        var value = bytes[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try set(String(Substring(name)), String(Substring(value)))
        return nil
    }

    private mutating func set(_ name: String, _ value: String) throws(WireError) {
        switch name {
        case "event": type = value
        case "data":
            guard data.utf8.count + value.utf8.count < limit else {
                throw WireError(.limitExceeded, "an event of the stream is longer than \(limit) bytes")
            }
            if hasData { data += "\n" }
            data += value
            hasData = true
        case "id": if !value.utf8.contains(0) { nextID = value }
        case "retry":
            guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
            let time = Duration.milliseconds(Swift.min(Int(value) ?? Self.longestRetry, Self.longestRetry))
            (retry, newRetry) = (time, time)
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer { (type, data, hasData) = ("", "", false) }
        lastID = nextID
        guard hasData else { return nil }
        defer { newRetry = nil }
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: lastID, retry: newRetry)
    }
}
