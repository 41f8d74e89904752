// PolicyFieldTests: the fields Retry-After, Strict-Transport-Security and Alt-Svc.

import Testing
import TsubameWire

@Suite struct PolicyFieldTests {
    // MARK: Retry-After

    @Test(
        arguments: [
            ("0", 0), ("120", 120), (" 7 ", 7), ("99999999999", 99_999_999_999),
            ("99999999999999999999999", Int64.max), ("Sat, 01 Jan 2000 00:01:00 GMT", 60),
            ("Saturday, 01-Jan-00 00:01:00 GMT", 60), ("Sat Jan  1 00:01:00 2000", 60),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 0), ("Sat, 01 Jan 1983 00:00:00 GMT", 0),
        ] as [(String, Int64)])
    func `BAD-INPUT 37: Retry-After is seconds or a date, and never below none`(field: String, seconds: Int64) {
        // The response's own Date decides, independent of this machine's clock.
        let date = "Sat, 01 Jan 2000 00:00:00 GMT"
        #expect(RetryAfter.seconds(field, date: date, now: 4_000_000_000) == seconds)
        #expect(RetryAfter.seconds(field, date: nil, now: 946_684_800) == seconds)
    }

    @Test(arguments: ["", "-1", "+3", "1.5", "soon", "12 s", "0x10", "Sat, 41 Jan 2000 00:00:00 GMT"])
    func `BAD-INPUT 37: what is neither is nothing`(_ field: String) {
        #expect(RetryAfter.seconds(field, date: nil, now: 0) == nil)
    }

    // MARK: Strict-Transport-Security

    @Test(
        arguments: [
            ("max-age=31536000", 31_536_000, false), ("max-age=0", 0, false),
            ("Max-Age=\"60\" ; includeSubDomains", 60, true), ("includesubdomains;max-age=1;preload", 1, true),
            (";; max-age=5 ;", 5, false), ("max-age=1; x=\"a;max-age=2\"", 1, false),
            ("max-age=99999999999999999999999", Int64.max, false),
        ] as [(String, Int64, Bool)])
    func `a host says for how long, and whether for those below it`(field: String, age: Int64, below: Bool) throws {
        let parsed = try #require(StrictTransport(field))
        #expect(parsed.maxAge == age && parsed.includesSubdomains == below)
    }

    @Test(
        arguments: [
            "", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1; max-age=1", "max-age=1x",
            "max-age=1; includeSubDomains=1", "max-age=\"1", "max-age=1; =2", "max-age=1, max-age=2",
        ])
    func `what is malformed is not followed`(_ field: String) {
        #expect(StrictTransport(field) == nil)
    }

    @Test func `a host speaks for itself and, if it says so, for those below it; addresses for nobody`() {
        var entries = HSTSEntries()
        entries.take(StrictTransport("max-age=10; includeSubDomains") ?? none, from: "example.com", now: 100)
        entries.take(StrictTransport("max-age=10") ?? none, from: "b.example.org.", now: 100)
        entries.take(StrictTransport("max-age=10; includeSubDomains") ?? none, from: "127.0.0.1", now: 100)
        for host in ["example.com", "example.com.", "a.example.com", "a.b.example.com", "b.example.org"] {
            #expect(entries.contains(host, now: 109), "\(host)")
        }
        for host in ["badexample.com", "com", "a.b.example.org", "example.org", "127.0.0.1"] {
            #expect(!entries.contains(host, now: 109), "\(host)")
        }
        #expect(!entries.contains("example.com", now: 110))
        entries.take(StrictTransport("max-age=0") ?? none, from: "example.com", now: 100)
        #expect(!entries.contains("a.example.com", now: 101))
    }

    /// A policy that would remove the entry.
    private let none: StrictTransport

    init() throws { none = try #require(StrictTransport("max-age=0")) }

    @Test func `no more than ten thousand hosts are kept, those that last longest`() {
        var entries = HSTSEntries()
        for index in 1...(HSTSEntries.maximum + 1) {
            entries.insert(
                HSTSEntries.Entry(expires: Int64(index) + 1000, includesSubdomains: false), for: "h\(index).example")
        }
        entries.take(StrictTransport("max-age=1000000") ?? none, from: "last.example", now: 0)
        #expect(entries.entries.count <= HSTSEntries.maximum)
        #expect(entries.contains("last.example", now: 1) && entries.contains("h10001.example", now: 1))
        #expect(!entries.contains("h1.example", now: 1))
    }

    @Test func `a file keeps them, also one of curl's`() {
        var entries = HSTSEntries()
        entries.take(StrictTransport("max-age=10; includeSubDomains") ?? none, from: "example.com", now: 1_793_318_400)
        entries.take(StrictTransport("max-age=99999999999999999") ?? none, from: "always.example", now: 1_793_318_400)
        let text = HSTSFile.write(entries)
        #expect(text == "always.example \"unlimited\"\n.example.com \"20261030 00:00:10\"\n")
        #expect(HSTSFile.read(text).entries.count == 2)
        #expect(HSTSFile.read(text).contains("a.example.com", now: 1_793_318_409))
        let foreign =
            "# Your HSTS cache. https://curl.se/docs/hsts.html\n.a.example \"20991231 23:59:59\"\nb\nc \"x\"\n"
            + "d.example \"20999931 00:00:00\"\n \"20991231 23:59:59\"\n"
            + "..\u{1} \"unlimited\"\ne%\u{1} \"unlimited\"\n.... \"unlimited\"\n"
        #expect(HSTSFile.read(foreign).entries.keys.sorted() == ["a.example"])
    }

    // MARK: Alt-Svc

    @Test func `alternatives are read in their order`() throws {
        let services = try #require(
            AlternativeService.parse("h3=\":443\"; ma=2592000, h2=\"Alt.example.com:8000\"; persist=1, w%3Dx=\":1\""))
        #expect(services.map(\.protocolName) == ["h3", "h2", "w=x"])
        #expect(services.map(\.host) == ["", "alt.example.com", ""])
        #expect(services.map(\.port) == [443, 8000, 1])
        #expect(services.map(\.maxAge) == [2_592_000, 86_400, 86_400])
        #expect(services.map(\.persists) == [false, true, false])
        #expect(AlternativeService.parse("clear") == [])
    }

    @Test(
        arguments: [
            "", "h3", "h3=443", "h3=\":0\"", "h3=\":65536\"", "h3=\":-1\"", "h3=\"host\"", "h3=\":443",
            "clear, h3=\":1\"",
            "h3=\":443\"; ma=x", ",", "h3=\":443\"x",
        ])
    func `a field that cannot be understood offers nothing`(_ field: String) {
        #expect(AlternativeService.parse(field) == nil)
    }
}
