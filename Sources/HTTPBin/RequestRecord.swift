// RequestRecord: one request as it arrived.
#if Server

/// One request as it arrived, before any endpoint saw it.
public struct RequestRecord: Sendable, Hashable {
    /// One field line of the head.
    public struct Field: Sendable, Hashable {
        /// The name in the case in which it was sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String
    }

    /// The connection's number: 1 for the first connection that the server accepted, 2 for the second.
    public let connection: Int

    /// The method, such as `GET`.
    public let method: String

    /// The request target exactly as the client sent it, such as `/get?a=%20b` (RFC 9112 section 3.2).
    public let target: String

    /// The protocol version: `HTTP/1.1`, `HTTP/1.0` or `HTTP/2`.
    public let version: String

    /// The field lines in the order in which they were sent, `Host` included. `:authority` of HTTP/2 comes first, as
    /// `host`.
    public let fields: [Field]

    /// The bytes of the head as they arrived, from the method to the empty line. For a pipelined request after the
    /// first, and for HTTP/2, the head is rebuilt from the parsed parts.
    public let head: [UInt8]

    /// The first bytes of the body, without chunked framing, up to ``HTTPBin/recordLimit``.
    public let body: [UInt8]

    /// The length of the whole body in bytes, without chunked framing.
    public let bodyByteCount: Int

    /// The value of the first field of this name, in any case.
    public subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }
}

#endif
