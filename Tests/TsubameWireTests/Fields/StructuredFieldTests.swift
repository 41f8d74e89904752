// StructuredFieldTests: structured fields (RFC 9651): integers, booleans, dictionaries, and malformed values.

import Testing
import TsubameWire

@Suite struct StructuredFieldTests {
    @Test(
        arguments: [
            ("0", 0), ("42", 42), ("-7", -7), (" 42 ", 42), ("007", 7), ("42;a", 42), ("42;a=1; b=\"x;y\";c=?0", 42),
            ("999999999999999", 999_999_999_999_999), ("-999999999999999", -999_999_999_999_999),
        ] as [(String, Int64)])
    func `an integer, whatever its parameters`(field: String, value: Int64) {
        #expect(StructuredField.integer(field) == value)
    }

    @Test(arguments: [
        "", " ", "+1", "1.0", "1.", "1e3", "0x10", "--1", "-", "1 2", "1, 2", "1,", "\"1\"", "?1", "a", ":MQ==:", "@1",
        "1000000000000000", "99999999999999999999", "1;", "1;A=1", "1; a=", "\t1", "١",
    ])
    func `what is no integer is none`(field: String) {
        #expect(StructuredField.integer(field) == nil)
    }

    @Test(
        arguments: [
            ("?1", true), ("?0", false), (" ?1;x", true), ("1", nil), ("?2", nil), ("?", nil), ("true", nil),
            ("?1 ?1", nil),
            ("?1, ?1", nil),
        ] as [(String, Bool?)])
    func `a boolean`(field: String, value: Bool?) {
        #expect(StructuredField.boolean(field) == value)
    }

    @Test func `a dictionary of every kind of value`() {
        let field = """
            a=1, b , c;x=1,d=?0,e=1.5, f="q,\\"\\\\", g=tok/en:*,\th=:aGk=:, i=(1 "a" b;c=1);d=?1, j=(), k=@-1, l=%"%c3%bc", \
            *m=-2, a=3
            """
        let expected: [String: StructuredField.Value] = [
            "a": .integer(3), "b": .boolean(true), "c": .boolean(true), "d": .boolean(false), "e": .other, "f": .other,
            "g": .other, "h": .other, "i": .other, "j": .other, "k": .other, "l": .other, "*m": .integer(-2),
        ]
        #expect(StructuredField.dictionary(field) == expected)
        #expect(StructuredField.dictionary("") == [:])
    }

    @Test(arguments: [
        "a=1,", ",a=1", "a=1,,b=2", "a==1", "A=1", "a=", "a=1 b=2", "a=\"x", "a=\"\u{7F}\"", "a=\"\\x\"", "a=:a",
        "a=(1",
        "a=(1,2)", "a=(1\"b\")", "a=((1))", "a=%\"%C3\"", "a=%\"%c3\"", "a=%x", "a=@1.5", "1=1", "a=1.2345",
        "a=1234567890123.1", "a=ü",
    ])
    func `one fault makes the whole dictionary none`(field: String) {
        #expect(StructuredField.dictionary(field) == nil)
    }
}
