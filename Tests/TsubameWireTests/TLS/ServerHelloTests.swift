// ServerHelloTests: the cipher suite out of a server's first bytes.

import Testing
import TsubameWire

@Suite struct ServerHelloTests {
    /// A record with a ServerHello.
    private func hello(session: Int, suite: UInt16 = 0x1301) -> [UInt8] {
        let body: [UInt8] =
            [0x03, 0x03] + Array(repeating: 7, count: 32) + [UInt8(session)] + Array(repeating: 9, count: session)
            + [UInt8(suite >> 8), UInt8(suite & 0xFF), 0, 0, 0]
        let (record, message) = (body.count + 4, body.count)
        return [0x16, 0x03, 0x03, UInt8(record >> 8), UInt8(record & 0xFF)]
            + [0x02, 0, UInt8(message >> 8), UInt8(message & 0xFF)] + body
    }

    @Test(arguments: [0, 1, 32])
    func `the suite is found after the session identifier, as soon as it is there`(session: Int) {
        let bytes = hello(session: session)
        let needed = 5 + 4 + 2 + 32 + 1 + session + 2
        for count in 0...bytes.count {
            let expected: ServerHello.Finding =
                count < needed ? .incomplete : .cipherSuite(CipherSuite(number: 0x1301))
            #expect(ServerHello.find(in: bytes.prefix(count)) == expected, "\(count) bytes")
        }
        #expect(needed <= ServerHello.longest)
    }

    @Test func `bytes that are no ServerHello have none`() {
        var alert = hello(session: 0)
        alert[0] = 0x15
        var old = hello(session: 0)
        old[1] = 0x02
        var other = hello(session: 0)
        other[5] = 0x0B
        // A record that ends before the suite.
        var short = hello(session: 32)
        short[4] = 40
        for bytes in [alert, old, other, short, hello(session: 33), hello(session: 255), Array("HTTP/1.1 400".utf8)] {
            #expect(ServerHello.find(in: bytes) == .none)
        }
    }

    @Test(arguments: [
        (0x1303 as UInt16, "TLS_CHACHA20_POLY1305_SHA256"), (0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        (0x00FF, "0x00FF"), (0xFFFF, "0xFFFF"),
    ])
    func `a suite has its registered name, or its number`(number: UInt16, name: String) {
        #expect(CipherSuite(number: number).description == name)
    }
}
