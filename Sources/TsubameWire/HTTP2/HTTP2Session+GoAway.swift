// GOAWAY (RFC 9113 section 6.8): the end of a connection, announced by the server or by this client.

extension HTTP2Session {
    mutating func readGoAway(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Event? {
        guard payload.count >= 8 else { throw Self.wrongSize("GOAWAY", header.length) }
        guard header.stream == 0 else { throw Self.broken("a GOAWAY frame on a stream") }
        try floodGuard.add()
        let last = payload.word(at: 0) & 0x7FFF_FFFF
        lastAllowed = Swift.min(lastAllowed, last)
        return .goAway(last: lastAllowed, HTTP2Code(rawValue: payload.word(at: 4)))
    }

    /// Writes a GOAWAY, which ends the connection. The last stream in it is 0, because the peer opens none.
    package mutating func sendGoAway(_ code: HTTP2Code) {
        output.append(HTTP2Frame.Header(length: 8, type: HTTP2Frame.goAway, flags: 0, stream: 0))
        output.append(bigEndian: UInt32(0))
        output.append(bigEndian: code.rawValue)
    }
}
