// ServerSentEvent: one event of a text/event-stream, and the parser that makes events from lines.

package import TsubameCore

/// A server-sent event (WHATWG HTML section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event; `message` if the event names none.
    public var type: String
    /// The data lines of the event, joined by line feeds.
    public var data: String
    /// The last identifier in the stream so far, from which a new connection resumes. Empty if there is none.
    public var id: String
    /// How long to wait before a reconnection; nil if the stream has not stated it since the previous event.
    public var retry: Duration?
    /// The rules of the client that received the event, for the value in its data; nil for the standard ones.
    package var valueRules: (any ValueRules)?

    /// Creates an event, for example in a test.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }

    /// Whether type, data, identifier and retry time are the same.
    public static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
        left.type == right.type && left.data == right.data && left.id == right.id && left.retry == right.retry
    }

    /// Hashes type, data and identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(data)
        hasher.combine(id)
    }
}

/// Parses lines into events (WHATWG HTML section 9.2.6).
package struct ServerSentEventParser: Sendable {
    /// The longest wait that a server can ask for, in milliseconds: one day. A longer one is reduced to it.
    private static let longestRetry = 86_400_000

    /// The last identifier. A parser for the next connection begins with it.
    package private(set) var lastID: String
    package private(set) var retry: Duration?
    private var newRetry: Duration?
    /// Becomes ``lastID`` when its event is complete. An event that was cut off does not count as seen.
    private var nextID: String
    private var type = ""
    private var data = ""
    private var hasData = false
    private var isFirst = true
    private let limit: Int

    /// - Parameter limit: the maximum size of the data of one event, in bytes.
    package init(lastID: String = "", limit: Int = 8 << 20) {
        self.lastID = lastID
        nextID = lastID
        self.limit = limit
    }

    /// Takes a line without its line end. Returns the event that an empty line ends.
    /// - Throws: ``CallError/Kind/limitExceeded`` if the data of an event is too long.
    package mutating func take(_ line: String) throws(WireError) -> ServerSentEvent? {
        var line = line[...]
        if isFirst {
            isFirst = false
            if line.unicodeScalars.first == "\u{FEFF}" { line = Substring(line.unicodeScalars.dropFirst()) }
        }
        if line.isEmpty { return dispatch() }
        // By bytes, not by characters: a colon with a combining accent is one character, but still a colon here.
        let bytes = line.utf8
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        // A line that begins with a colon is a comment.
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
