// AddressOverridesTests: where `resolve` leads, and which of its keys and values are invalid.

import Testing
import TsubameCore

@Suite struct AddressOverridesTests {
    private func endpoint(_ url: String, _ overrides: [String: String]) throws -> String {
        let endpoint = try AddressOverrides.endpoint(of: #require(Origin(url)), overrides)
        return "\(endpoint.host) \(endpoint.port)"
    }

    @Test(arguments: [
        ([:], "a.example 80"), (["a.example": "192.0.2.1"], "192.0.2.1 80"),
        (["a.example": "192.0.2.1:81"], "192.0.2.1 81"), (["a.example:80": "[2001:db8::1]:81"], "2001:db8::1 81"),
        (["a.example": "[2001:db8::1]"], "2001:db8::1 80"), (["a.example:81": "192.0.2.1"], "a.example 80"),
        (["b.example": "192.0.2.1"], "a.example 80"), (["*": "192.0.2.1"], "192.0.2.1 80"),
        (["*:80": "192.0.2.1", "*": "192.0.2.2"], "192.0.2.1 80"),
        (["*": "192.0.2.1", "a.example": "192.0.2.2"], "192.0.2.2 80"),
        (["a.example:80": "192.0.2.1", "a.example": "192.0.2.2"], "192.0.2.1 80"),
        (["A.Example": "192.0.2.1"], "192.0.2.1 80"), (["A.EXAMPLE:80": "192.0.2.1"], "192.0.2.1 80"),
        (["a.example": "other.example"], "other.example 80"),
    ])
    func `the most precise name wins, in any spelling`(_ overrides: [String: String], _ expected: String) throws {
        #expect(try endpoint("http://a.example", overrides) == expected)
    }

    @Test(arguments: ["a/b", "user@192.0.2.1", "192.0.2.1:99999", "192.0.2.1?x", "192.0.2.1#x", "", "a b"])
    func `an override that is no address is an error that names it`(_ text: String) throws {
        let error = #expect(throws: CallError.self) { try endpoint("http://a.example", ["a.example": text]) }
        #expect(error?.kind == .invalidRequest && error?.reason.contains("a.example:80") == true)
    }

    @Test(arguments: [
        ("A.example", "a.example"), ("a.example:080", "a.example:80"), ("2001:DB8::1", "2001:db8::1"),
        ("[2001:db8::1]:80", "2001:db8::1:80"), ("192.0.2.1", "192.0.2.1"), ("bücher.example", "xn--bcher-kva.example"),
        ("a.example:0", nil), ("a.example:65536", nil), ("a.example:x", nil), ("http://a.example", nil), ("a b", nil),
        ("a.example?x", nil),
        ("a.example#x", nil), ("me@a.example", nil),
    ])
    func `a key is a host, or a host and port`(_ key: String, _ expected: String?) {
        #expect(AddressOverrides.canonical(key) == expected)
    }
}
