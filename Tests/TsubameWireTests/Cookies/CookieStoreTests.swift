// CookieStoreTests: the cookies that a store keeps, and the requests that carry them (RFC 6265bis §5.7, §5.8).

import Testing
import TsubameWire

@Suite struct CookieStoreTests {
    private static let now: Int64 = 1_800_000_000
    private static let day: Int64 = 86_400

    /// A jar with these fields, each set by the response to a URL written as `host/path`, or `http:host/path`.
    private func jar(_ fields: (field: String, from: String)...) -> Jar {
        let jar = Jar()
        for (field, from) in fields { jar.set(field, from: from) }
        return jar
    }

    @Test func aCookieGoesBackToItsHostAlone() {
        let jar = jar(("a=b", "example.com/"))
        #expect(jar.sent(to: "example.com/x") == "a=b")
        #expect(jar.sent(to: "EXAMPLE.com/") == "a=b")
        #expect(jar.sent(to: "a.example.com/") == nil)
        #expect(jar.sent(to: "bexample.com/") == nil)
        #expect(jar.sent(to: "com/") == nil)
        #expect(jar.sent(to: "example.com./") == nil)
    }

    @Test func aDomainCookieGoesToTheHostsBelow() {
        let jar = jar(("a=b; Domain=example.com", "www.example.com/"))
        #expect(jar.sent(to: "example.com/") == "a=b")
        #expect(jar.sent(to: "www.example.com/") == "a=b")
        #expect(jar.sent(to: "x.y.example.com/") == "a=b")
        #expect(jar.sent(to: "bexample.com/") == nil)
        #expect(jar.sent(to: "com/") == nil)
    }

    @Test(arguments: [
        ("example.com", ".EXAMPLE.com"), ("a.b.example.com", "b.example.com"), ("example.com", "example.com"),
        ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("example.com", ""),
        ("example.com", "."),
    ])
    func aHostSpeaksForItselfAndTheDomainsAbove(_ host: String, _ domain: String) {
        let jar = Jar()
        #expect(jar.set("a=b; Domain=\(domain)", from: "\(host)/"))
        #expect(jar.sent(to: "\(host)/") == "a=b")
    }

    @Test(arguments: [
        ("example.com", "a.example.com"), ("example.com", "other.com"), ("bexample.com", "example.com"),
        ("example.com", "com"), ("example.com", ".com"), ("example.com", "..com"), ("example.com", "com."),
        ("example.co.uk", "uk"), ("a.example.kobe.jp", "kobe.jp"), ("x.blogspot.com", "blogspot.com"),
        ("example.com", "example.com."), ("127.0.0.1", "0.0.1"), ("1.127.0.0.1", "127.0.0.1"), ("[::1]", "::1"),
        ("example.com", "example.com:80"), ("example.com", "exämple.com"), ("a.localhost", "localhost"),
        ("foo.co.uk.", "uk."), ("example.com", " "),
    ])
    func noOtherDomainIsAccepted(_ host: String, _ domain: String) {
        let jar = Jar()
        let isBlank = domain == " "
        #expect(jar.set("a=b; Domain=\(domain)", from: "\(host)/") == isBlank)
        #expect(jar.store.count == (isBlank ? 1 : 0))
    }

    @Test(
        "BAD-INPUT 28: no cookie is set for a public suffix",
        arguments: ["co.uk", "co.UK", ".co.uk", "uk", "Co.Uk", "hf.space"])
    func publicSuffixes(_ domain: String) {
        let jar = Jar()
        let suffix = CookieRefusal.publicSuffix(domain.drop { $0 == "." }.lowercased())
        #expect(jar.refusal(of: "a=b; Domain=\(domain)", from: "example.co.uk/") == suffix)
        #expect(jar.refusal(of: "a=b; Domain=\(domain)", from: "www.example.co.uk/") == suffix)
        #expect(jar.store.count == 0)
    }

    @Test("BAD-INPUT 28: nor with the root's dot") func publicSuffixesWithADot() {
        let jar = Jar()
        #expect(jar.refusal(of: "a=b; Domain=co.uk.", from: "example.co.uk./") == .publicSuffix("co.uk."))
        #expect(jar.refusal(of: "a=b; Domain=co.uk.", from: "example.co.uk/") == .publicSuffix("co.uk."))
        #expect(jar.refusal(of: "a=b; Domain=co.uk", from: "example.co.uk./") == .publicSuffix("co.uk"))
        #expect(jar.refusal(of: "a=b; Domain=example.co.uk.", from: "www.example.co.uk./") == nil)
        #expect(jar.sent(to: "x.example.co.uk./") == "a=b")
        #expect(jar.sent(to: "x.example.co.uk/") == nil)
    }

    @Test("BAD-INPUT 28: a host that is a public suffix speaks for itself alone", arguments: ["co.uk", "github.io"])
    func hostsThatAreSuffixes(_ host: String) {
        let jar = jar(("a=b; Domain=\(host)", "\(host)/"))
        #expect(jar.store.cookies.map(\.isHostOnly) == [true])
        #expect(jar.sent(to: "\(host)/") == "a=b")
        #expect(jar.sent(to: "example.\(host)/") == nil)
    }

    @Test func ownersBelowOneSuffixAreKeptApart() {
        let jar = Jar()
        #expect(jar.refusal(of: "a=b; Domain=kobe.jp", from: "x.example.kobe.jp/") == .publicSuffix("kobe.jp"))
        #expect(jar.refusal(of: "a=b; Domain=city.kobe.jp", from: "x.city.kobe.jp/") == nil)
        #expect(jar.refusal(of: "a=b; Domain=internal", from: "app.internal/") == .publicSuffix("internal"))
        #expect(jar.refusal(of: "a=b; Domain=corp.internal", from: "app.corp.internal/") == nil)
    }

    @Test func anotherListCanBeUsed() throws {
        let list = try #require(PublicSuffixList(parsing: "com\nexample.com"))
        let jar = Jar()
        jar.store = CookieStore(suffixes: list)
        #expect(jar.refusal(of: "a=b; Domain=example.com", from: "a.example.com/") == .publicSuffix("example.com"))
        #expect(jar.refusal(of: "a=b; Domain=co.uk", from: "a.co.uk/") == nil)
    }

    @Test func everyRefusalSaysWhyAndNoValue() {
        let jar = jar(("safe=geheim; Secure", "example.com/"))
        for (field, url, word) in [
            ("a=geheim\u{1}", "example.com/", "control"),
            ("a=geheim\(String(repeating: "x", count: 4_096))", "example.com/", "4096"),
            ("", "example.com/", "neither"), ("a=geheim; Domain=com", "example.com/", "public suffix"),
            ("a=geheim; Domain=b.com", "example.com/", "b.com"), ("a=geheim; Secure", "http:example.com/", "insecure"),
            ("safe=geheim", "http:example.com/", "insecure"), ("a=geheim; SameSite=None", "example.com/", "SameSite"),
            ("__Secure-a=geheim", "example.com/", "__Secure-"), ("__Host-a=geheim", "example.com/", "__Host-"),
            ("=__Host-geheim", "example.com/", "prefix"),
        ] {
            let text = jar.refusal(of: field, from: url)?.description ?? ""
            #expect(text.contains(word))
            #expect(!text.contains("geheim"))
        }
    }

    @Test func aDomainWithoutADotIsKeptForTheHostAlone() {
        let jar = jar(("a=b; Domain=localhost", "localhost/"), ("c=d; Domain=127.0.0.1", "127.0.0.1/"))
        #expect(jar.sent(to: "x.localhost/") == nil)
        #expect(jar.sent(to: "1.127.0.0.1/") == nil)
        #expect(jar.store.cookies.map(\.isHostOnly) == [true, true])
    }

    @Test func aPathHoldsForWhatLiesBelowIt() {
        let jar = jar(("a=b; Path=/a", "example.com/"))
        #expect(jar.sent(to: "example.com/a") == "a=b")
        #expect(jar.sent(to: "example.com/a/b") == "a=b")
        #expect(jar.sent(to: "example.com/a?b") == "a=b")
        #expect(jar.sent(to: "example.com/ab") == nil)
        #expect(jar.sent(to: "example.com/") == nil)
    }

    @Test func withoutAPathTheRequestsFolderCounts() {
        let jar = jar(("a=b", "example.com/x/y/z?q=/"), ("c=d; Path=y", "example.com/x/y/z"))
        #expect(jar.store.cookies.map(\.path) == ["/x/y", "/x/y"])
        #expect(jar.sent(to: "example.com/x/y") == "a=b; c=d")
        #expect(jar.sent(to: "example.com/x/z") == nil)
    }

    @Test func aSecureCookieGoesOverSecureConnectionsOnly() {
        let jar = jar(("a=b; Secure", "example.com/"))
        #expect(jar.sent(to: "http:example.com/") == nil)
        #expect(jar.sent(to: "example.com/") == "a=b")
        #expect(!jar.set("c=d; Secure", from: "http:example.com/"))
    }

    @Test(arguments: [
        ("example.com/", "id=evil"), ("example.com/", "id=evil; Domain=example.com"),
        ("a.example.com/", "id=evil; Domain=example.com"), ("a.example.com/", "id=evil"),
        ("example.com/", "id=evil; Path=/login/x"), ("example.com/", "id=; Max-Age=0; Path=/login"),
    ])
    func anInsecureResponseCannotTouchOrHideASecureCookie(_ url: String, _ field: String) {
        let jar = jar(("id=good; Secure; Domain=example.com; Path=/", "example.com/"))
        #expect(!jar.set(field, from: "http:\(url)"))
        #expect(jar.sent(to: "example.com/login") == "id=good")
        #expect(jar.set(field, from: url))
    }

    @Test func anInsecureResponseMaySetWhatHidesNothing() {
        let jar = jar(("id=good; Secure; Path=/login", "example.com/"))
        #expect(jar.set("id=1; Path=/", from: "http:example.com/"))
        #expect(jar.set("id=1; Path=/loginx", from: "http:example.com/"))
        #expect(jar.set("other=1; Path=/login", from: "http:example.com/"))
        #expect(jar.set("id=1; Path=/login", from: "http:example.org/"))
        #expect(jar.set("id=1; Path=/login", from: "http:example.com/", now: Self.now + 10) == false)
    }

    @Test func theOrderIsByPathThenByCreation() {
        let jar = jar(
            ("a=1; Path=/", "example.com/"), ("b=2; Path=/x", "example.com/"), ("c=3; Path=/", "example.com/"),
            ("d=4; Path=/x; Domain=example.com", "example.com/"), ("e=5; Path=/x/y", "example.com/"))
        #expect(jar.sent(to: "example.com/x/y") == "e=5; b=2; d=4; a=1; c=3")
    }

    @Test func replacingKeepsTheTimeOfCreation() {
        let jar = jar(("a=1", "example.com/"), ("b=2", "example.com/"), ("a=3", "example.com/"))
        #expect(jar.sent(to: "example.com/") == "a=3; b=2")
        #expect(jar.store.count == 2)
    }

    @Test func nameDomainPathAndHostOnlyTellCookiesApart() {
        let jar = jar(
            ("a=1", "example.com/"), ("a=2; Domain=example.com", "example.com/"), ("a=3; Path=/x", "example.com/"),
            ("A=4", "example.com/"))
        #expect(jar.sent(to: "example.com/x") == "a=3; a=1; a=2; A=4")
    }

    @Test func aCookieEndsWhenItsTimeIsOver() {
        let jar = jar(
            ("a=1; Max-Age=60", "example.com/"), ("b=2", "example.com/"),
            ("c=3; Expires=\(HTTPDate.format(Self.now + 30))", "example.com/"))
        #expect(jar.sent(to: "example.com/") == "a=1; b=2; c=3")
        #expect(jar.sent(to: "example.com/", now: Self.now + 30) == "a=1; b=2")
        #expect(jar.store.count == 2)
        #expect(jar.sent(to: "example.com/", now: Self.now + 60) == "b=2")
        #expect(jar.sent(to: "example.com/", now: .max) == "b=2")
    }

    @Test(arguments: ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
    func aCookieIsRemovedByOneThatHasEnded(_ attribute: String) {
        let jar = jar(("a=1", "example.com/"))
        #expect(jar.set("a=; \(attribute)", from: "example.com/"))
        #expect(jar.sent(to: "example.com/") == nil)
        #expect(jar.store.count == 0)
    }

    @Test(
        "BAD-INPUT 30: no cookie lives longer than 400 days",
        arguments: [
            "Max-Age=99999999999999999999", "Max-Age=34560001", "Expires=Fri, 31 Dec 9999 23:59:59 GMT",
        ])
    func lifetime(_ attribute: String) {
        let jar = jar(("a=1; \(attribute)", "example.com/"))
        #expect(jar.store.cookies.first?.expires == Self.now + 400 * Self.day)
        #expect(jar.sent(to: "example.com/", now: Self.now + 400 * Self.day - 1) == "a=1")
        #expect(jar.sent(to: "example.com/", now: Self.now + 400 * Self.day) == nil)
    }

    @Test func extremeClocksDoNotTrap() {
        let jar = Jar()
        jar.set("a=1; Max-Age=9223372036854775807", from: "example.com/", now: .max)
        jar.set("b=1; Max-Age=-9223372036854775808", from: "example.com/", now: .min)
        jar.set("c=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", from: "example.com/", now: .max)
        jar.set("d=1", from: "example.com/", now: .min)
        #expect(jar.sent(to: "example.com/", now: .max) == "d=1")
        #expect(jar.store.count == 1)
    }

    @Test(arguments: [
        ("__Secure-a=1; Secure", "example.com/", true), ("__Secure-a=1", "example.com/", false),
        ("__secure-a=1", "example.com/", false), ("__Secure-a=1; Secure", "http:example.com/", false),
        ("__Host-a=1; Secure; Path=/", "example.com/", true), ("__Host-a=1; Secure", "example.com/", false),
        ("__Host-a=1; Path=/", "example.com/", false), ("__Host-a=1; Secure; Path=/x", "example.com/", false),
        ("__HOST-a=1; Secure; Path=/; Domain=example.com", "example.com/", false),
        ("__Host-a=1; Secure; Path=/; Domain=localhost", "localhost/", true),
        ("=__Host-a=1; Secure; Path=/", "example.com/", false), ("__Secure-a; Secure", "example.com/", false),
        ("a=1; SameSite=None", "example.com/", false), ("a=1; SameSite=None; Secure", "example.com/", true),
        ("a=1; SameSite=Strict", "example.com/", true), ("=", "example.com/", false), ("", "example.com/", false),
    ])
    func prefixesAndSameSiteNoneHaveToBeEarned(_ field: String, _ url: String, _ isKept: Bool) {
        let jar = Jar()
        #expect(jar.set(field, from: url) == isKept)
        #expect(jar.store.count == (isKept ? 1 : 0))
    }

    @Test func attributesAreKept() {
        let jar = jar(("a=1; HttpOnly; SameSite=Strict; Secure; Path=/x; Domain=example.com", "www.example.com/"))
        #expect(
            jar.store.cookies == [
                Cookie(
                    name: "a", value: "1", domain: "example.com", isHostOnly: false, path: "/x", isSecure: true,
                    isHTTPOnly: true, sameSite: .strict)
            ])
    }

    @Test func aNamelessCookieIsSentAsItsValue() {
        let jar = jar(("token", "example.com/"), ("a=", "example.com/"))
        #expect(jar.sent(to: "example.com/") == "token; a=")
    }

    @Test("BAD-INPUT 29: the oldest of more than 180 in a domain goes") func perDomain() {
        let jar = Jar()
        for number in 0..<200 { jar.set("c\(number)=", from: "example.com/") }
        #expect(jar.store.count == 180)
        #expect(jar.store.cookies.first?.name == "c20")
        #expect(jar.store.cookies.last?.name == "c199")
    }

    @Test func whatWasSentLatelyIsNotTheOldest() {
        let jar = jar(("kept=; Path=/kept", "example.com/"))
        for number in 0..<179 { jar.set("c\(number)=; Path=/other", from: "example.com/") }
        #expect(jar.sent(to: "example.com/kept") == "kept=")
        for number in 0..<179 { jar.set("d\(number)=; Path=/other", from: "example.com/") }
        #expect(jar.store.count == 180)
        #expect(jar.store.cookies.first?.name == "kept")
    }

    @Test func manyCookiesDoNotDriveTheSecureOnesOut() {
        let jar = jar(("id=1; Secure", "example.com/"))
        for number in 0..<400 { jar.set("c\(number)=", from: "http:example.com/") }
        #expect(jar.store.count == 180)
        #expect(jar.store.cookies.first?.name == "id")
    }

    @Test("BAD-INPUT 29: the oldest of more than 3000 goes") func inAll() {
        let jar = Jar()
        for number in 0..<3_050 { jar.set("a=\(number)", from: "h\(number).example/") }
        #expect(jar.store.count == 3_000)
        #expect(jar.store.cookies.count == 3_000)
        #expect(jar.sent(to: "h49.example/") == nil)
        #expect(jar.sent(to: "h50.example/") == "a=50")
        #expect(jar.sent(to: "h3049.example/") == "a=3049")
    }

    @Test("BAD-INPUT 29: of cookies that were sent together, the oldest goes first") func ofCookiesSentTogether() {
        let hosts = (1...8).map { (1...$0).map { "l\($0)" }.reversed().joined(separator: ".") + ".example.com" }
        let jar = Jar()
        // From the longest host to the shortest, so that neither the order of hosts nor that of sending is the order.
        for (number, host) in hosts.reversed().enumerated() {
            jar.set("a\(number)=; Domain=\(host)", from: "\(host)/")
        }
        #expect(jar.sent(to: "\(hosts[7])/")?.split(separator: ";").count == 8)
        for number in 0..<2_992 { jar.set("b=", from: "h\(number).example/") }
        for number in 0..<8 {
            #expect(jar.store.cookies.first?.name == "a\(number)")
            jar.set("c=", from: "i\(number).example/")
        }
        #expect(jar.store.count == 3_000 && jar.store.cookies.first?.name == "b")
    }

    @Test func ofCookiesOfOneDomainSentTogetherTheOldestGoesFirst() {
        let jar = Jar()
        for number in 0..<180 { jar.set("a\(number)=", from: "example.com/") }
        #expect(jar.sent(to: "example.com/") != nil)
        for number in 0..<10 {
            #expect(jar.store.cookies.first?.name == "a\(number)")
            jar.set("b\(number)=", from: "example.com/")
        }
    }

    @Test func cookiesThatHaveEndedGoFirst() {
        let jar = Jar()
        for number in 0..<2_999 { jar.set("a=\(number)", from: "h\(number).example/") }
        jar.set("b=1; Max-Age=10", from: "short.example/")
        jar.set("c=1", from: "new.example/", now: Self.now + 10)
        #expect(jar.store.count == 3_000)
        #expect(jar.sent(to: "h0.example/") == "a=0")
    }

    @Test func theFieldHasWholeCookiesUpTo8190Bytes() {
        let jar = Jar()
        jar.set("a=\(String(repeating: "x", count: 4_090))", from: "example.com/")
        jar.set("b=\(String(repeating: "x", count: 4_090))", from: "example.com/")
        jar.set("cc=d", from: "example.com/")
        let whole = jar.sent(to: "example.com/")
        #expect(whole?.utf8.count == 8_186)
        jar.set("cc=; Max-Age=0", from: "example.com/")
        jar.set("c=", from: "example.com/")
        #expect(jar.sent(to: "example.com/")?.utf8.count == 8_190)
        jar.set("c=d", from: "example.com/")
        #expect(jar.sent(to: "example.com/") == whole)
        let field = jar.store.field(for: "example.com", path: "/", isSecure: true, now: 1_800_000_000)
        #expect(field?.leftOut == 1)
    }

    @Test func aSecondIsALifetime() {
        let jar = Jar()
        jar.set("a=b; Max-Age=1", from: "example.com/")
        #expect(jar.sent(to: "example.com/", now: 1_800_000_000) == "a=b")
        #expect(jar.sent(to: "example.com/", now: 1_800_000_001) == nil)
    }

    @Test func aCookieIsDescribedWithoutItsValue() {
        var cookie = Cookie(name: "a", value: "secret", domain: "example.com")
        #expect("\(cookie)" == "a=…; host example.com; path /")
        (cookie.isSecure, cookie.isHTTPOnly, cookie.sameSite) = (true, true, .lax)
        #expect("\(cookie)".hasSuffix("; path /; secure; HTTP only; same site Lax"))
    }

    @Test("BAD-INPUT 29: control characters and length reject a field") func rejectedFields() {
        let jar = Jar()
        #expect(!jar.set("a=b\r\nX: y", from: "example.com/"))
        #expect(!jar.set("a=\0", from: "example.com/"))
        #expect(!jar.set("a=\(String(repeating: "x", count: 4_096))", from: "example.com/"))
        #expect(jar.store.count == 0)
    }

    @Test func aCookieOfTheProgramsOwnIsChecked() {
        let jar = Jar()
        #expect(jar.insert(Cookie(name: "a", value: "b", domain: "Example.com")))
        #expect(jar.sent(to: "example.com/") == "a=b")
        for (name, value) in [
            ("a", "b\r\nX: y"), ("a\n", "b"), ("a", "b; c=d"), ("a=", "b"), ("", ""), ("__Host-a", "b"),
        ] {
            #expect(!jar.insert(Cookie(name: name, value: value, domain: "example.com")))
        }
        let longest = String(repeating: "v", count: 4_095)
        #expect(jar.insert(Cookie(name: "n", value: longest, domain: "example.com")))
        #expect(!jar.insert(Cookie(name: "n", value: longest + "v", domain: "example.com")))
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "")))
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "a/b")))
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "co.uk", isHostOnly: false)))
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "example.com", path: "/\n")))
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "example.com", path: "x")))
        #expect(jar.store.count == 2)
    }

    @Test func aCookieOfTheProgramsOwnHasItsDomainInTheOneFormOfHosts() {
        let jar = Jar()
        #expect(jar.insert(Cookie(name: "a", value: "b", domain: "BÜCHER.example", isHostOnly: false)))
        #expect(jar.sent(to: "x.xn--bcher-kva.example/") == "a=b")
        #expect(jar.insert(Cookie(name: "c", value: "d", domain: "127.1", isHostOnly: false)))
        #expect(jar.sent(to: "127.0.0.1/") == "c=d")
        #expect(jar.insert(Cookie(name: "e", value: "f", domain: "[::1]", isHostOnly: false)))
        #expect(jar.sent(to: "::1/") == "e=f")
    }

    @Test func changesAreRecordedOnlyWhileTheyAreAskedFor() {
        let jar = jar(("a=1", "example.com/"), ("b=2; Max-Age=60", "example.com/"))
        let changes = jar.store.recording { store in
            try? store.store("c=3", host: "example.com", path: "/", isSecure: true, now: Self.now)
            try? store.store("a=; Max-Age=0", host: "example.com", path: "/", isSecure: true, now: Self.now)
            try? store.store("d=4", host: "example.com", path: "/", isSecure: true, now: Self.now + 60)
        }
        #expect(Set(changes.map { "\($0.key.name):\($0.value?.cookie.value ?? "")" }) == ["a:", "b:", "c:3", "d:4"])
        #expect(jar.store.recording { _ in }.isEmpty)
        jar.set("e=5", from: "example.com/")
        #expect(jar.store.recording { _ in }.isEmpty)
    }

    @Test func usesAreKnownOnceTheyAreAskedFor() {
        let jar = jar(("a=1; Path=/a", "example.com/"), ("b=2", "example.com/"))
        #expect(jar.store.takeUses().isEmpty)
        _ = jar.sent(to: "example.com/a")
        #expect(Set(jar.store.takeUses().keys.map(\.name)) == ["a", "b"])
        #expect(jar.store.takeUses().isEmpty)
    }

    @Test func whatOthersKeptTakesThePlaceOfWhatWasKnown() {
        let jar = jar(("a=1; Max-Age=60", "example.com/"), ("session=1", "example.com/"))
        let others = [
            StoredCookie(
                cookie: Cookie(name: "b", value: "2", domain: "example.com", expires: Self.now + 60), created: 9,
                used: 7),
            StoredCookie(
                cookie: Cookie(name: "old", value: "2", domain: "example.com", expires: Self.now), created: 1, used: 1),
            StoredCookie(
                cookie: Cookie(name: "c", value: "3", domain: "co.uk", isHostOnly: false), created: 3, used: 3),
        ]
        jar.store.replace(where: { $0.expires != nil }, by: others, now: Self.now)
        #expect(jar.sent(to: "example.com/") == "session=1; b=2")
        #expect(jar.store.count == 2)
        jar.set("d=4", from: "example.com/")
        #expect(jar.sent(to: "example.com/") == "session=1; b=2; d=4")
    }

    @Test func textsThatOnlyUnicodeCallsEqualAreDifferentNames() {
        let jar = jar(("\u{E9}=1", "example.com/"), ("e\u{301}=2", "example.com/"))
        #expect(jar.store.count == 2)
    }

    @Test func cookiesAreRemovedByChoice() {
        let jar = jar(("a=1", "example.com/"), ("b=2", "example.com/"), ("a=3", "example.org/"))
        let removed = jar.store.removeAll { $0.name == "a" }
        #expect(removed == 2)
        #expect(jar.store.cookies.map(\.value) == ["2"])
        #expect(jar.store.count == 1)
        jar.store.removeAll()
        #expect(jar.store.count == 0)
        #expect(jar.sent(to: "example.com/") == nil)
    }

    @Test func aPrintedCookieHidesItsValue() {
        let cookie = Cookie(name: "id", value: "geheim", domain: "example.com", expires: 0, isSecure: true)
        var dumped = ""
        dump(cookie, to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), "\([cookie])", dumped] {
            #expect(text.contains("id=…"))
            #expect(!text.contains("geheim"))
        }
    }
}

/// A store that can be changed inside an expectation, which takes no `inout`.
private final class Jar {
    var store = CookieStore()

    @discardableResult
    func set(_ field: String, from url: String, now: Int64 = 1_800_000_000) -> Bool {
        let (host, path, isSecure) = Self.parts(url)
        return (try? store.store(field, host: host, path: path, isSecure: isSecure, now: now)) != nil
    }

    /// The reason why the store refuses the field; nil if it accepts it.
    func refusal(of field: String, from url: String) -> CookieRefusal? {
        let (host, path, isSecure) = Self.parts(url)
        do throws(CookieRefusal) {
            try store.store(field, host: host, path: path, isSecure: isSecure, now: 1_800_000_000)
            return nil
        } catch {
            return error
        }
    }

    func insert(_ cookie: Cookie) -> Bool {
        (try? store.insert(cookie, now: 1_800_000_000)) != nil
    }

    func sent(to url: String, now: Int64 = 1_800_000_000) -> String? {
        let (host, path, isSecure) = Self.parts(url)
        return store.field(for: host, path: path, isSecure: isSecure, now: now)?.text
    }

    private static func parts(_ url: String) -> (host: String, path: String, isSecure: Bool) {
        let isSecure = !url.hasPrefix("http:")
        let rest = url.dropFirst(isSecure ? 0 : 5)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        return (String(rest[..<slash]), String(rest[slash...]), isSecure)
    }
}
