// JSONValueTests: JSON texts as values.

import Testing

@testable import TsubameRequestFiles

@Suite struct JSONValueTests {
    @Test(arguments: [
        #"{"b":1,"a":[true,false,null,-1.5,"x"]}"#, "[]", "{}", #""""#, "0", "-0.25", "9007199254740993",
        "12345678901234567891",
        #"["\"\\\n燕"]"#,
        #"{"":{"":[]}}"#,
    ])
    func `a text without white space comes back as it was`(text: String) throws {
        #expect(try JSONValue(text).compactText == text)
        #expect(try JSONValue(" \n\(text)\t").compactText == text)
    }

    @Test func `escapes become characters, and members keep their order`() throws {
        let value = try JSONValue(#"{"z\u0061":"\ud83d\udc26\/","a":1}"#)
        #expect(value["za"] == .string("🐦/"))
        #expect(value.compactText == #"{"za":"🐦/","a":1}"#)
    }

    @Test func `numbers are compared by value, and objects whatever their order`() throws {
        #expect(try JSONValue("[1.0, 1e2]") == JSONValue("[1, 100]"))
        #expect(try JSONValue("9007199254740993") != JSONValue("9007199254740992"))
        #expect(try JSONValue("12345678901234567891") != JSONValue("12345678901234567890"))
        #expect(try JSONValue(#"{"a":1,"b":2}"#) == JSONValue(#"{"b":2,"a":1}"#))
        #expect(try JSONValue(#"{"a":1}"#) != JSONValue(#"{"a":1,"b":2}"#))
        #expect(try JSONValue("\"\u{E9}\"") != JSONValue("\"e\u{301}\""))
    }

    @Test(arguments: ["", "{", "[1,]", "{\"a\":}", "nul", "\"a", "1 2", "'a'", "\u{0}", "[1", "tru", "{\"a\" 1}"])
    func `another text is refused`(text: String) {
        #expect(throws: JSONSyntax.Fault.self) { try JSONValue(text) }
    }

    @Test func `nesting has a limit`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONSyntax.Fault.self) { try JSONValue(deep) }
        let allowed = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        #expect(try JSONValue(allowed).compactText == allowed)
    }
}
