// SecureCookieTests: Secure cookies over http go to this machine and to no other.

import Testing
import TsubameWire

@Suite struct SecureCookieTests {
    @Test(
        "FAULT 29: a Secure cookie is kept and sent over http to this machine only",
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("a.b.localhost", true), ("localhost.", true),
            ("127.0.0.1", true),
            ("127.1.2.3", true), ("::1", true), ("[::1]", true), ("example.com", false), ("localhost.example", false),
            ("127.0.0.1.example", false), ("127.example", false), ("128.0.0.1", false), ("::2", false),
            ("xlocalhost", false),
        ])
    func overHTTP(host: String, isKept: Bool) throws {
        let now: Int64 = 1_800_000_000
        var store = CookieStore()
        try? store.store("__Secure-a=1; Secure", host: host, path: "/", isSecure: false, now: now)
        #expect(store.count == (isKept ? 1 : 0))
        try store.store("__Secure-a=2; Secure", host: host, path: "/", isSecure: true, now: now)
        let listed = store.cookies(for: host, path: "/", isSecure: false, now: now)
        let plain = store.field(for: host, path: "/", isSecure: false, now: now)
        let secure = store.field(for: host, path: "/", isSecure: true, now: now)
        #expect(listed.count == (isKept ? 1 : 0))
        #expect(plain?.text == (isKept ? "__Secure-a=2" : nil) && secure?.text == "__Secure-a=2")
    }
}
