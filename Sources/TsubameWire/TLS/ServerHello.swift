// ServerHello: the answer of a server to the first message of a TLS handshake, as far as it names the cipher suite.

/// The ServerHello (RFC 8446 section 4.1.3, RFC 5246 section 7.4.1.3), which is not encrypted. It is read only to be shown: the TLS
/// library decides about the handshake.
package enum ServerHello {
    package enum Finding: Sendable, Hashable {
        /// The message goes on after these bytes.
        case incomplete
        /// The bytes are no ServerHello that this reader knows.
        case none
        case cipherSuite(CipherSuite)
    }

    /// The bytes before the session identifier's length: of the record's head, of the message's head, of the version and of the
    /// random value.
    private static let sessionAt = 5 + 4 + 2 + 32
    /// The number of bytes that always suffice.
    package static let longest = sessionAt + 1 + 32 + 2

    /// - Parameter bytes: the first bytes that a server sends.
    package static func find(in bytes: some RandomAccessCollection<UInt8>) -> Finding {
        func byte(_ offset: Int) -> UInt8 { bytes[bytes.index(bytes.startIndex, offsetBy: offset)] }
        // A record of a handshake, whose first message is a ServerHello.
        for (offset, value) in [(0, 0x16), (1, 0x03), (5, 0x02)] as [(Int, UInt8)] where bytes.count > offset {
            guard byte(offset) == value else { return .none }
        }
        guard bytes.count > sessionAt else { return .incomplete }
        let suiteAt = sessionAt + 1 + Int(byte(sessionAt))
        guard suiteAt + 2 <= longest, suiteAt + 2 <= 5 + Int(byte(3)) << 8 + Int(byte(4)) else { return .none }
        guard bytes.count >= suiteAt + 2 else { return .incomplete }
        return .cipherSuite(CipherSuite(number: UInt16(byte(suiteAt)) << 8 | UInt16(byte(suiteAt + 1))))
    }
}
