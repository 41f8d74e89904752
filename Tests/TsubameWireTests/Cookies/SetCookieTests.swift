// SetCookieTests: the Set-Cookie field, RFC 6265bis §5.6.

import Testing
import TsubameWire

@Suite struct SetCookieTests {
    @Test(arguments: [
        ("session=1; HttpOnly", "session"), (" a b = c", "a b"), ("no value", ""), ("", ""), ("; a=b", ""),
        ("=x", ""), ("a=b=c", "a"),
    ])
    func `a refused field still has its name`(_ field: String, _ name: String) {
        #expect(SetCookie.name(of: field) == name)
    }

    private func parsed(_ text: String) -> SetCookie? { try? SetCookie(text) }

    @Test func aWholeFieldIsRead() throws {
        let field = try #require(
            parsed(
                "id=a3fWa; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Max-Age=60; Domain=.Example.COM; Path=/docs; Secure;"
                    + " HttpOnly; SameSite=Lax"))
        #expect(field.name == "id")
        #expect(field.value == "a3fWa")
        #expect(field.expires == 784_111_777)
        #expect(field.maxAge == 60)
        #expect(field.domain == "example.com")
        #expect(field.path == "/docs")
        #expect(field.isSecure)
        #expect(field.isHTTPOnly)
        #expect(field.sameSite == .lax)
    }

    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b ", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""),
        ("=b", "", "b"), ("b", "", "b"), ("", "", ""), (";", "", ""), ("=", "", ""), ("a=\"b c\"", "a", "\"b c\""),
        ("a=b;", "a", "b"), ("a=b,c", "a", "b,c"), ("a b=c d", "a b", "c d"), ("名=燕", "名", "燕"), ("a;b=c", "", "a"),
    ])
    func nameAndValueAreSplitAtTheFirstEqualsSign(_ text: String, _ name: String, _ value: String) {
        let field = parsed(text)
        #expect(field?.name == name)
        #expect(field?.value == value)
    }

    @Test func anyControlCharacterButTabRejectsTheField() {
        for byte in UInt8.min...0x7F {
            let character = String(UnicodeScalar(byte))
            let isAllowed = byte == 9 || (byte >= 0x20 && byte != 0x7F)
            #expect((parsed("a=b\(character)c") != nil) == isAllowed)
            #expect((parsed("a=b; x=\(character)") != nil) == isAllowed)
        }
    }

    @Test func nameAndValueTogetherHave4096BytesAtMost() {
        #expect(parsed("abcd=" + String(repeating: "x", count: 4_092) + "; Path=/") != nil)
        #expect(parsed("abcde=" + String(repeating: "x", count: 4_092) + "; Path=/") == nil)
        #expect(parsed("a=" + String(repeating: "燕", count: 1_366)) == nil)
        #expect(parsed("a=b; x=" + String(repeating: "x", count: 100_000)) != nil)
    }

    @Test func anAttributeOfMoreThan1024BytesIsIgnored() {
        let long = String(repeating: "x", count: 1_023)
        #expect(parsed("a=b; Path=/\(long)")?.path == "/\(long)")
        #expect(parsed("a=b; Path=/\(long)x")?.path == nil)
        #expect(parsed("a=b; Path=/p; Path=/\(long)x")?.path == "/p")
        #expect(parsed("a=b; Domain=\(long)xx; Secure")?.domain == nil)
        #expect(parsed("a=b; Secure=\(long)xx")?.isSecure == false)
    }

    @Test func ofRepeatedAttributesTheLastCounts() {
        #expect(parsed("a=b; Path=/a; Path=/b")?.path == "/b")
        #expect(parsed("a=b; Path=/a; Path=")?.path == nil)
        #expect(parsed("a=b; Domain=a.example; Domain=b.example")?.domain == "b.example")
        #expect(parsed("a=b; Domain=a.example; Domain=")?.domain == nil)
        #expect(parsed("a=b; Max-Age=1; Max-Age=2; Max-Age=x")?.maxAge == 2)
        #expect(parsed("a=b; SameSite=Strict; SameSite=x")?.sameSite == .unspecified)
    }

    @Test(arguments: [
        ("0", 0), ("60", 60), ("-1", -1), ("007", 7), ("-99999999999999999999", Int64.min),
        ("99999999999999999999", Int64.max), ("9223372036854775807", Int64.max),
    ])
    func maxAgeIsANumber(_ text: String, _ expected: Int64) {
        #expect(parsed("a=b; max-age=\(text)")?.maxAge == expected)
    }

    @Test(arguments: ["", "-", "+1", "1.5", "1s", "x", "--1", "1 2", "0x10", "１"])
    func otherMaxAgesAreIgnored(_ text: String) {
        #expect(parsed("a=b; Max-Age=\(text)")?.maxAge == nil)
    }

    @Test func pathsAreTakenOnlyIfTheyBeginWithASlash() {
        #expect(parsed("a=b; Path=docs")?.path == nil)
        #expect(parsed("a=b; Path")?.path == nil)
        #expect(parsed("a=b; Path= /x y ")?.path == "/x y")
    }

    @Test func attributesIgnoreCaseAndUnknownOnes() {
        let field = parsed("a=b; SECURE; httponly=no; ; =; foo=bar; SAMESITE=NONE; expires=garbage")
        #expect(field?.isSecure == true)
        #expect(field?.isHTTPOnly == true)
        #expect(field?.sameSite == Cookie.SameSite.none)
        #expect(field?.expires == nil)
    }

    @Test func maxAgeIsStrongerThanExpires() {
        #expect(parsed("a=b")?.expiry(at: 100) == nil)
        #expect(parsed("a=b; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT")?.expiry(at: 100) == 160)
        #expect(parsed("a=b; Max-Age=0")?.expiry(at: 100) == .min)
        #expect(parsed("a=b; Max-Age=-5")?.expiry(at: 100) == .min)
        #expect(parsed("a=b; Max-Age=99999999999999999999")?.expiry(at: 100) == .max)
        #expect(parsed("a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT")?.expiry(at: 100) == 784_111_777)
    }
}
