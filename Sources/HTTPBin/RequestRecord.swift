// What one request looked like when it arrived.
#if Server

/// What one request looked like when it arrived, before any endpoint saw it.
public struct RequestRecord: Sendable, Hashable {
    /// One field line of the head.
    public struct Field: Sendable, Hashable {
        /// The name in the case in which it was sent.
        public let name: String
        /// The value without the white space around it.
        public let value: String
    }

    /// The connection's number: 1 for the first that the server accepted, and so on.
    public let connection: Int

    /// The method, such as `GET`.
    public let method: String

    /// The request target exactly as sent, such as `/get?a=%20b` (RFC 9112 section 3.2).
    public let target: String

    /// The protocol version: `HTTP/1.1`, `HTTP/1.0` or `HTTP/2`.
    public let version: String

    /// The field lines in the order in which they were sent, `Host` included; what HTTP/2 has in its place, `:authority`,
    /// comes first, as `host`.
    public let fields: [Field]

    /// The bytes of the head as they came over the wire, from the method to the empty line.
    /// For a request that was pipelined behind another one, and for one of HTTP/2, they are put together from the parsed
    /// parts.
    public let head: [UInt8]

    /// The first bytes of the body, without chunked framing, up to ``HTTPBin/recordLimit``.
    public let body: [UInt8]

    /// The length of the whole body in bytes, without chunked framing.
    public let bodyByteCount: Int

    /// The value of the first field of that name, in any case.
    public subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }
}

#endif
