// TLSHostNameTests: the forms of a name under which pins are set.

import Testing

@testable import TsubameCore

@Suite struct TLSHostNameTests {
    @Test(arguments: [
        ("a.example", "a.example"), ("A.Example.", "a.example"), ("*.Example.com", "*.example.com"),
        ("*.example.com.", "*.example.com"), ("bücher.example", "xn--bcher-kva.example"), ("192.0.2.1", "192.0.2.1"),
        ("0xc0.0.2.1", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
        ("localhost", "localhost"), ("https://a.example", nil), ("a.example:443", nil), ("a.example/", nil),
        ("*", nil), ("*.", nil), ("*.*.example", nil), ("a.*.example", nil), ("", nil), ("a b", nil), ("me@a", nil),
        ("[::1]:443", nil), ("a.example?x", nil), ("a.example#x", nil),
    ])
    func `FAULT 6, BAD-INPUT 32: a name is one host, or all names below one`(_ text: String, _ expected: String?) {
        #expect(TLSHostName(text)?.text == expected)
    }
}
