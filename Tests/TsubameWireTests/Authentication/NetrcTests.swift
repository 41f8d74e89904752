// NetrcTests: netrc files, read as curl and ftp read them.

import Testing
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct NetrcTests {
    /// `login:password` for the host.
    private func find(_ host: String, login: String? = nil, in text: String) throws -> String? {
        try Netrc(Array(text.utf8)).entry(for: host, login: login).map {
            "\($0.login ?? "-"):\($0.password ?? "-")"
        }
    }

    @Test(arguments: [
        ("machine a.example login u password p", "u:p"), ("MACHINE a.example LOGIN u PASSWORD p", "u:p"),
        ("machine a.example\n\tlogin u\r\n\tpassword p\n", "u:p"), ("machine a.example password p login u", "u:p"),
        ("machine\na.example\nlogin\nu\npassword\np", "u:p"), ("machine a.example login u", "u:-"),
        ("machine a.example password p", "-:p"), ("machine a.example account x login u password p account y", "u:p"),
        ("machine b.example login v password q machine a.example login u password p", "u:p"),
        ("default login u password p", "u:p"),
        ("default login v password q machine a.example login u password p", "u:p"),
        ("machine a.example login u password p default login v password q", "u:p"),
        ("machine a.example login u password p machine a.example login v password q", "u:p"),
        ("machine A.Example. login u password p", "u:p"), ("machine b.example login u password p", nil), ("", nil),
        ("# machine a.example login u password p", nil),
        ("  # all\nmachine a.example # that\nlogin u password #p", "u:#p"),
        ("machine a.example login u password p#q", "u:p#q"),
        (#"machine a.example login "u v" password "p\"q\\r s""#, #"u v:p"q\r s"#),
        (#"machine "a.example" login "" password "\t\x""#, ":\tx"),
        (#"machine a.example login u password p"q"#, #"u:p"q"#),
        (#"machine a.example login u\ password p\"#, #"u\:p\"#),
        ("machine a.example login u password 燕", "u:燕"),
        ("\u{FEFF}machine a.example login u password p", "u:p"),
        ("macdef init\nmachine a.example login x\nbin\n\nmachine a.example login u password p", "u:p"),
        ("machine a.example login u password p\nmacdef init\ncd x\r\n\r\ndefault login v", "u:p"),
        ("machine a.example login u\nmacdef x\nto the end, password p", "u:-"),
    ])
    func `a file gives a host's name and password`(text: String, found: String?) throws {
        let result = try find("a.example", in: text)
        #expect(result == found)
    }

    @Test(arguments: [
        ("machine 127.1 login u", "127.0.0.1"), ("machine ::1 login u", "::1"),
        ("machine bücher.example login u", "xn--bcher-kva.example"), ("machine a.example login u", "a.example."),
    ])
    func `hosts have the form that they have in URLs`(text: String, host: String) throws {
        #expect(try find(host, in: text) == "u:-")
    }

    @Test func `bytes that are no text are no password`() {
        let error = #expect(throws: NetrcError.self) {
            try Netrc(Array("machine a\nlogin u password p".utf8) + [0xE9])
        }
        #expect(error?.line == 2 && error?.reason == "a word is no text in UTF-8")
    }

    @Test func `a name that is asked for has its own password, or none`() throws {
        let text = "machine a login u password p machine a login v password q default login w password r"
        #expect(try find("a", login: "v", in: text) == "v:q")
        #expect(try find("a", login: "w", in: text) == "w:r")
        #expect(try find("a", login: "x", in: text) == nil)
        #expect(try find("b", login: "u", in: text) == nil)
    }

    @Test(arguments: [
        ("machine a login u password my secret", 1, "a word is not a keyword; put a value with spaces in quotes"),
        ("\n\nlogin u", 3, "login comes before the first machine or default"),
        ("machine a\nlogin \"u\npassword p\"", 2, "a quote is not closed"),
        (#"machine a login "u\"#, 1, "a quote is not closed"),
        ("machine a\n\npassword", 3, "no value follows password"),
        ("machine", 1, "no value follows machine"),
        ("# x\nmachine a \"login\" u", 2, "a word is not a keyword; put a value with spaces in quotes"),
        ("machine a login \(String(repeating: "u", count: 5_000))", 1, "a word has more than 4096 bytes"),
    ])
    func `a file that makes no sense says where, and tells no secret`(text: String, line: Int, reason: String) {
        let error = #expect(throws: NetrcError.self) { try Netrc(Array(text.utf8)) }
        #expect(error?.line == line)
        #expect(error?.reason == reason)
        #expect(error.map { "\($0)" } == "line \(line): \(reason)")
    }

    @Test func `a file without end is not read`() {
        let error = #expect(throws: NetrcError.self) { try Netrc([UInt8](repeating: 0x20, count: 2 << 20)) }
        #expect(error?.reason == "the file has more than 1048576 bytes")
    }

    @Test("no cut and no byte of a file is a trap") func mutations() {
        let text = Array("machine a login \"u\\n\" password p # c\nmacdef x\ny\n\ndefault login v\n".utf8)
        var understood = 0
        for end in text.indices {
            if (try? Netrc(text[..<end])) != nil { understood += 1 }
            for byte: UInt8 in [0, 0x0A, 0x0D, 0x22, 0x23, 0x5C, 0xFF] {
                var changed = text
                changed[end] = byte
                if (try? Netrc(changed)) != nil { understood += 1 }
            }
        }
        #expect(understood > 0)
    }
}
