// SocketAddressTests: addresses in and out of the system's form.

import Testing
import TsubamePlatform
import TsubameSockets

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("255.1.2.3", "255.1.2.3:80"), ("::1", "[::1]:80"),
        ("2001:DB8::0:1", "[2001:db8::1]:80"), ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:80"),
        ("fe80::1%1", "[fe80::1%1]:80"),
    ])
    func `an IP address is read and written`(text: String, written: String) {
        #expect(SocketAddress(ip: text, port: 80)?.description == written)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4x", "::g", "fe80::1%nowhere", "example.com", "1.2.3.4%1",
    ])
    func `other text is no IP address`(text: String) {
        #expect(SocketAddress(ip: text, port: 80) == nil)
    }

    @Test func `an address survives the system's form`() throws {
        for address in [
            .ipv4(address: 0x0102_0304, port: 0xABCD),
            .ipv6(high: 0x2001_0DB8_0000_0001, low: 0x0203_0405_0607_0809, port: 443, scope: 7),
            .unix(path: "/tmp/ä.sock"),
        ] as [SocketAddress] {
            let back = address.withSystemForm { form, size in
                var storage = sockaddr_storage()
                withUnsafeMutableBytes(of: &storage) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(start: form, count: Int(size)))
                }
                return SocketAddress(storage)
            }
            #expect(back == address)
        }
    }

    @Test func `a path that is no path of a socket is refused`() {
        let longest = String(repeating: "a", count: SocketAddress.maximumPathLength)
        #expect(SocketAddress.unix(path: longest).withSystemForm { _, _ in true } == true)
        for path in ["", longest + "a", "a\0b"] {
            #expect(SocketAddress.unix(path: path).withSystemForm { _, _ in true } == nil)
            #expect(throws: SocketError(.connect, ENAMETOOLONG)) {
                _ = try Socket(for: .unix(path: path)).connect(to: .unix(path: path))
            }
        }
    }
}
