// HostnameVerifierTests: the names of a certificate that cover a host (RFC 9525 section 6.3).

import Testing
import TsubameWire

@Suite struct HostnameVerifierTests {
    @Test(
        arguments: [
            ("localhost", "localhost"), ("www.example.com", "www.example.com"), ("www.example.com", "WWW.Example.COM"),
            ("www.example.com.", "www.example.com"), ("a.example.com", "*.example.com"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("xn--bcher-kva.a.example", "*.a.example"),
        ])
    func `a name covers its own host, and an asterisk any one label in front of a domain`(host: String, name: String) {
        #expect(HostnameVerifier(host).isCovered(by: Array(name.utf8)))
    }

    @Test(
        arguments: [
            ("example.com", "*.example.com"), ("a.b.example.com", "*.example.com"), ("a.com", "*.com"),
            ("localhost", "*"), ("localhost", "l*"), ("localhost", "*localhost"), ("localhost", ""),
            ("ab.example.com", "a*.example.com"), ("a.b.example.com", "a.*.example.com"),
            ("a.example.com", "*.*.com"), ("www.example.com", "www.example.com\u{0}.evil"),
            ("www.example.com", "www.example.com\u{0}"), ("www.example.com", "wwẁ.example.com"),
            ("www.example.com", "www.example.com."), ("www.example.com", ".example.com"),
            ("www.example.com", "example.com"), ("example.com", "badexample.com"), ("a..example.com", "*.example.com"),
            (".example.com", "*.example.com"),
        ])
    func `BAD-INPUT 31: nothing else covers it`(host: String, name: String) {
        #expect(!HostnameVerifier(host).isCovered(by: Array(name.utf8)))
    }
}
