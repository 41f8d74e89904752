// What a store of cookies keeps, and sends where (RFC 6265bis §5.7, §5.8).

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

    @Test func aDomainWithoutADotIsKeptForTheHostAlone() {
        let jar = jar(("a=b; Domain=localhost", "localhost/"), ("c=d; Domain=127.0.0.1", "127.0.0.1/"))
        #expect(jar.sent(to: "x.localhost/") == nil)
        #expect(jar.sent(to: "1.127.0.0.1/") == nil)
        #expect(jar.store.cookies.allSatisfy { $0.isHostOnly })
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

    @Test(arguments: [
        "Max-Age=99999999999999999999", "Max-Age=34560001", "Expires=Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func noCookieLivesLongerThan400Days(_ attribute: String) {
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

    @Test func theOldestOfMoreThan180InADomainGoes() {
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

    @Test func theOldestOfMoreThan3000Goes() {
        let jar = Jar()
        for number in 0..<3_050 { jar.set("a=\(number)", from: "h\(number).example/") }
        #expect(jar.store.count == 3_000)
        #expect(jar.store.cookies.count == 3_000)
        #expect(jar.sent(to: "h49.example/") == nil)
        #expect(jar.sent(to: "h50.example/") == "a=50")
        #expect(jar.sent(to: "h3049.example/") == "a=3049")
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
    }

    @Test func controlCharactersAndLengthRejectAField() {
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
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "")))
        #expect(!jar.insert(Cookie(name: "a", value: "b", domain: "example.com", path: "x")))
        #expect(jar.store.count == 1)
    }

    @Test func cookiesAreRemovedByChoice() {
        let jar = jar(("a=1", "example.com/"), ("b=2", "example.com/"), ("a=3", "example.org/"))
        jar.store.removeAll { $0.name == "a" }
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

/// A store to be changed inside an expectation, which takes no `inout`.
private final class Jar {
    var store = CookieStore()

    @discardableResult
    func set(_ field: String, from url: String, now: Int64 = 1_800_000_000) -> Bool {
        let (host, path, isSecure) = Self.parts(url)
        return store.store(field, host: host, path: path, isSecure: isSecure, now: now)
    }

    func insert(_ cookie: Cookie) -> Bool {
        store.insert(cookie, now: 1_800_000_000)
    }

    func sent(to url: String, now: Int64 = 1_800_000_000) -> String? {
        let (host, path, isSecure) = Self.parts(url)
        return store.field(for: host, path: path, isSecure: isSecure, now: now)
    }

    private static func parts(_ url: String) -> (host: String, path: String, isSecure: Bool) {
        let isSecure = !url.hasPrefix("http:")
        let rest = url.dropFirst(isSecure ? 0 : 5)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        return (String(rest[..<slash]), String(rest[slash...]), isSecure)
    }
}
