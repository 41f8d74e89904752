// ReceivedRequest: one request as a ScriptedServer received it, down to the bytes.
#if TestServer

/// A request as a ``ScriptedServer`` received it: its parts, and its exact bytes.
///
/// ```swift
/// let request = try await server.request(0)
/// #expect(request.headText.hasPrefix("GET /users?page=2 HTTP/1.1\r\nHost: 127.0.0.1:"))
/// #expect(request["accept"] == "application/json")
/// #expect(request.connection == 0)
/// ```
public struct ReceivedRequest: Sendable, CustomStringConvertible {
    /// A field line.
    public struct Field: Sendable, Hashable {
        /// The name as it was sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// Makes a field line to compare with.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The position in the order of arrival over all connections, from 0.
    public let index: Int
    /// The number of the connection, in the order in which the server accepted them, from 0.
    public let connection: Int
    /// The position among the requests of that connection, from 0.
    public let indexOnConnection: Int

    /// The bytes from the request line to the empty line, both included. Empty lines before the request line are
    /// included too. Empty over HTTP/2, whose head is no text.
    public let head: [UInt8]
    /// The method as it was sent.
    public let method: String
    /// The request target as it was sent (RFC 9112 section 3.2).
    public let target: String
    /// The protocol version, such as `HTTP/1.1` or `HTTP/2`.
    public let version: String
    /// The field lines in the order in which they were sent; over HTTP/2 with the pseudo-fields, such as `:authority`.
    public let fields: [Field]
    /// The host that the client named in the TLS handshake (SNI); nil without TLS, or if it named none.
    public let serverName: String?
    /// The TLS version, such as `TLS 1.3`; nil without TLS.
    public let tlsVersion: String?

    /// The content, without the framing of chunks; at most the first `keepingBodyBytes` bytes, a parameter of the
    /// server.
    public internal(set) var body: [UInt8] = []
    /// The number of bytes of content that have arrived, kept or not.
    public internal(set) var bodyByteCount = 0
    /// The bytes after the head as they arrived, with chunk sizes and trailers. The limit of ``body`` applies.
    public var rawBody: [UInt8] { isChunked ? framedBody : body }
    /// Whether the content came in chunks (RFC 9112 section 7.1).
    public let isChunked: Bool
    /// The trailer section of a chunked request.
    public internal(set) var trailers: [Field] = []
    /// Whether the request has been received to its end.
    public internal(set) var isComplete = false
    /// Whether no more bytes of the request will arrive, because it is complete or its connection has ended.
    public internal(set) var hasEnded = false
    /// A text that says what the server could not read, such as a chunk size that is no number; nil if it could read
    /// all.
    public internal(set) var problem: String?

    private var framedBody: [UInt8] = []

    init(
        index: Int, connection: Int, indexOnConnection: Int, head: RequestParser.Head, serverName: String?,
        tlsVersion: String?
    ) {
        self.index = index
        self.connection = connection
        self.indexOnConnection = indexOnConnection
        self.head = head.bytes
        method = head.method
        target = head.target
        version = head.version
        fields = head.fields
        isChunked = head.isChunked
        problem = head.problem
        self.serverName = serverName
        self.tlsVersion = tlsVersion
    }

    mutating func append(_ bytes: some Collection<UInt8>, isContent: Bool, keeping limit: Int) {
        if isContent {
            bodyByteCount += bytes.count
            body.append(contentsOf: bytes.prefix(max(limit - body.count, 0)))
        }
        if isChunked { framedBody.append(contentsOf: bytes.prefix(max(limit - framedBody.count, 0))) }
    }

    /// The value of the first field with this name, in any case; nil if there is none.
    public subscript(name: String) -> String? { values(name).first }

    /// The values of all fields with this name, in any case, in the order in which they were sent.
    public func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The target before its `?`.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after its `?`; nil if the target has none.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// ``head`` as text.
    public var headText: String { String(decoding: head, as: UTF8.self) }

    /// ``body`` as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The request line and the size. Fields are left out, because they may hold credentials.
    public var description: String {
        "request \(index) (connection \(connection)): \(method) \(path), \(bodyByteCount) bytes"
            + (isComplete ? "" : ", incomplete")
    }
}
#endif
