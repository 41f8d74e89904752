// HostTests: BAD-INPUT 26 and 27: each host has one form, independent of its spelling.

import Testing
import TsubameCore

@Suite struct HostTests {
    private func host(_ text: String) -> String? { try? TargetURI(parsing: "http://\(text)/").host }

    @Test(
        "BAD-INPUT 27: an IPv4 address is canonical before anything is asked",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("0X7F.0x1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
            ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"), ("017700000001", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"), ("127.1.", "127.0.0.1"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"),
            ("0x.0x.0", "0.0.0.0"),
            ("1.2.3", "1.2.0.3"), ("1.256", "1.0.1.0"), ("1.2.65535", "1.2.255.255"), ("4294967295", "255.255.255.255"),
            ("0xffffffff", "255.255.255.255"), ("255.16777215", "255.255.255.255"), ("10.20.30.40", "10.20.30.40"),
            ("00000000000000000000000000000001", "0.0.0.1"), ("%31%32%37.0.0.1", "127.0.0.1"),
            ("127.0.0.%31", "127.0.0.1"),
            ("０x7f.1", "127.0.0.1"), ("１２７。０。０。１", "127.0.0.1"), ("①", "0.0.0.1"),
        ])
    func addresses(written: String, canonical: String) {
        #expect(host(written) == canonical)
    }

    @Test(
        "BAD-INPUT 27: what ends in a number and is no IPv4 address is refused",
        arguments: [
            "1.2.3.256", "256.1.1.1", "1.2.3.4.5", "4294967296", "0x100000000", "1.16777216",
            "1.2.65536",
            "08", "1.2.3.08", "a.1", "a.b.1.", "example.0x7f", "1.a.2", "0xg.1", "1..2", "99999999999999999999999999",
            "0x99999999999999999999999999", "1.2.3.-4.5", "a.09", "a.0x", "a.①", "xn--bcher-kva.1", "%2e1", "-1.1",
        ])
    func noAddresses(written: String) {
        #expect(host(written) == nil)
    }

    @Test(arguments: ["1e2", "0xg", "a.0xg", "1.com", "1a", "0x7f.example", "4.4.8.8.in-addr.arpa", "256.example"])
    func aNumberIsAnAddressOnlyAtTheEnd(written: String) {
        #expect(host(written) == written)
    }

    @Test(
        "BAD-INPUT 27: an IPv6 address is canonical (RFC 5952)",
        arguments: [
            ("::1", "::1"), ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8::ABCD", "2001:db8::abcd"),
            ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1::", "1::"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("0:0:1::", "0:0:1::"), ("::ffff:7f00:1", "::ffff:127.0.0.1"),
            ("::FFFF:127.0.0.1", "::ffff:127.0.0.1"), ("0:0:0:0:0:ffff:7f00:0001", "::ffff:127.0.0.1"),
            ("::127.0.0.1", "::7f00:1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ])
    func addresses6(written: String, canonical: String) throws {
        #expect(host("[\(written)]") == canonical)
        #expect(host("[\(written.uppercased())]") == canonical)
        #expect(try TargetURI(parsing: "http://[\(written)]:81/").authority == "[\(canonical)]:81")
    }

    @Test(
        "BAD-INPUT 26: what is no IPv6 address is refused",
        arguments: [
            "", ":", ":::", "1", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8", "12345::",
            "1:", ":1", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "g::", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256",
            "::1.2.3.04",
            "::1.2.3.4:5", "1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1%", "::1%25", "::1%25eth0", "::1%eth0", "fe80::1%25",
            "fe80::1%eth0", "fe80::1%25a/b", "fe80::1%25a%20b", "fe80::1%251234567890123456", "2001:db8::1%25eth0",
            "v1.a", "::1 ",
            "::ffff:0x7f.1", "::é", "::%31",
        ])
    func noAddresses6(written: String) {
        #expect(host("[\(written)]") == nil)
    }

    @Test("BAD-INPUT 26: a zone stands behind a link-local address only, and is sent to nobody")
    func zones() throws {
        let uri = try TargetURI(parsing: "http://[FE80::0:1%25eth0]:81/x")
        #expect(uri.host == "fe80::1%eth0")
        #expect(uri.authority == "[fe80::1]:81")
        #expect(uri.string == "http://[fe80::1%25eth0]:81/x")
        #expect(try TargetURI(parsing: uri.string) == uri)
        #expect(uri.origin != Origin("http://[fe80::1%25eth1]:81"))
        #expect(host("[febf::1%252]") == "febf::1%2")
        #expect(host("[fec0::1%252]") == nil)
    }

    @Test(
        "BAD-INPUT 26: escapes in a host are undone once, and then it is looked at as any other",
        arguments: [
            ("ex%61mple", "example"), ("EX%41MPLE", "example"), ("b%C3%BCcher.example", "xn--bcher-kva.example"),
            ("b%c3%bccher", "xn--bcher-kva"), ("%6cocalhost", "localhost"), ("a%2Eb", "a.b"),
            ("%78n--fa-hia", "xn--fa-hia"),
            ("a%2Fb", nil), ("a%2fb", nil), ("a%3A80", nil), ("a%40b", nil), ("a%23b", nil), ("a%3Fb", nil),
            ("a%5Cb", nil),
            ("a%00b", nil), ("a%20b", nil), ("a%0D%0Ab", nil), ("a%09b", nil), ("a%7Fb", nil), ("%2561", nil),
            ("a%25b", nil),
            ("a%", nil), ("a%6", nil), ("a%zz", nil), ("%5B::1%5D", nil), ("%FF", nil), ("%C3", nil), ("%", nil),
            ("%2E", nil),
            ("%EF%BC%8F", nil), ("%E2%84%80", nil),
        ] as [(String, String?)])
    func escapes(written: String, host: String?) {
        #expect(self.host(written) == host)
    }

    @Test(
        "BAD-INPUT 26: a character that no host may hold is refused",
        arguments: [
            "<", ">", "^", "|", "\"", "`", "{", "}", "\\", " ", "\t", "\n", "\r", "\u{0}", "\u{1F}", "\u{7F}", "[", "]",
        ])
    func forbidden(character: String) {
        for text in ["a\(character)b", "ä\(character)b", "\(character)", "a\(character)", "xn--fa-hia\(character)"] {
            #expect(host(text) == nil)
        }
    }

    @Test("BAD-INPUT 26: a name that DNS could not be asked for is refused")
    func lengths() {
        let label = String(repeating: "a", count: 63)
        #expect(host(label) == label)
        #expect(host(label + "a") == nil)
        #expect(host("x.\(label)a.y") == nil)
        #expect(host("x.\(label).y") == "x.\(label).y")
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(name.utf8.count == 253)
        #expect(host(name) == name)
        #expect(host(name + ".") == name + ".")
        #expect(host(name + "b") == nil)
        #expect(host("a." + name) == nil)
        #expect(host(String(repeating: "a.", count: 100_000)) == nil)
        #expect(host(String(repeating: "%61", count: 100_000)) == nil)
        for text in ["a..b", ".a", ".", "..", "a..", "%2E%2E", "a.\u{3002}b", "ä.."] { #expect(host(text) == nil) }
        #expect(host("a.") == "a.")
    }

    @Test("BAD-INPUT 26: localhost and the names below it are this machine, and nothing else is")
    func localhost() {
        for name in ["localhost", "a.localhost", "localhost.", "a.b.localhost."] { #expect(Origin.isLocalhost(name)) }
        for name in ["localhosts", "xlocalhost", "localhost.example", "localhost..", "", "."] {
            #expect(!Origin.isLocalhost(name))
        }
        #expect(host("LOCALHOST") == "localhost")
        #expect(host("ａ.ＬＯＣＡＬＨＯＳＴ") == "a.localhost")
    }

    @Test func theAuthorityIsThatOfTheHostWhateverItIsWrittenAs() throws {
        for (written, authority) in [
            ("http://127.1/", "127.0.0.1"), ("http://127.1:81/", "127.0.0.1:81"),
            ("http://0x7f.1:081/", "127.0.0.1:81"),
            ("http://bücher:81/", "xn--bcher-kva:81"), ("http://%61:81/", "a:81"), ("http://A:81/", "a:81"),
            ("https://a:80/", "a:80"),
            ("http://0x7f.0.01:8/", "127.0.0.1:8"), ("http://a:/", "a"), ("http://a:0081/", "a:81"),
            ("http://[::1]:80/", "[::1]"),
        ] {
            let uri = try TargetURI(parsing: written)
            #expect(uri.authority == authority)
            #expect(uri.origin.authority == authority)
            #expect(try TargetURI(parsing: uri.string) == uri)
        }
    }

    @Test("BAD-INPUT 26: one form is compared, whoever compares")
    func equality() throws {
        for (left, right) in [
            ("http://BÜCHER.example/", "http://xn--bcher-kva.example:80/"), ("http://0x7f.1/", "http://127.0.0.1/"),
            ("https://[::0:1]/", "https://[::1]:443/"), ("http://%65xample/", "http://example/"),
            ("http://faß.de/", "http://xn--fa-hia.de/"), ("http://例え。jp/", "http://例え.jp/"),
        ] {
            #expect(try TargetURI(parsing: left) == TargetURI(parsing: right))
            #expect(Origin(left) == Origin(right))
        }
        #expect(Origin("http://faß.de") != Origin("http://fass.de"))
    }
}
