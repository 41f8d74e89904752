// PatternTests: the regular expressions of request files.

import Testing

@testable import TsubameRequestFiles

@Suite struct PatternTests {
    @Test(
        arguments: [
            ("abc", "xabcx", ["abc"]), ("a|bc", "zbc", ["bc"]), ("a*", "aaab", ["aaa"]), ("a*?b", "aaab", ["aaab"]),
            ("(a+)(b?)", "aab", ["aab", "aa", "b"]), ("(a)|(b)", "b", ["b", nil, "b"]), ("(?:ab)+", "ababa", ["abab"]),
            ("a{2}", "aaa", ["aa"]), ("a{2,}", "aaaa", ["aaaa"]), ("a{1,2}?", "aa", ["a"]), ("^b", "ab", nil),
            ("(?m)^b$", "a\nb\nc", ["b"]), ("b$", "ab", ["b"]), (#"\bfoo\b"#, "a foo b", ["foo"]),
            (#"\d+"#, "n 42", ["42"]),
            (#"[^\d\s]+"#, "1 ab2", ["ab"]), ("[a-c]+", "xabcd", ["abc"]), ("[]a]+", "x]a", ["]a"]),
            ("[a-]+", "b-a", ["-a"]),
            ("(?i)HeLLo", "say hello", ["hello"]), ("(?i)[a-c]+", "xABC", ["ABC"]), ("a.c", "a\nc", nil),
            ("(?s)a.c", "a\nc", ["a\nc"]), (#"\p{Lu}+"#, "abÄÖü", ["ÄÖ"]), (#"\P{L}"#, "ab1", ["1"]),
            (#"\u71d5"#, "燕", ["燕"]),
            (#"\x{1F426}"#, "🐦", ["🐦"]), ("(?P<year>\\d{4})-(?<month>\\d\\d)", "2026-11", ["2026-11", "2026", "11"]),
            ("", "a", [""]), ("(a*)*", "b", ["", nil]), (#"\."#, "a.b", ["."]),
            ("x*", "", [""]), ("日本", "これは日本", ["日本"]),
        ] as [(String, String, [String?]?)])
    func `the first match and its groups`(pattern: String, text: String, groups: [String?]?) throws {
        #expect(try Pattern(pattern).firstMatch(in: text)?.groups == groups)
    }

    @Test func `a whole match may need the longer alternative`() throws {
        #expect(try Pattern("a|ab").matchesWhole("ab"))
        #expect(try !Pattern("a").matchesWhole("ab"))
        #expect(try Pattern("a*?").matchesWhole("aaa"))
        #expect(try Pattern(".").matchesWhole("\r") && !Pattern(".", .interoperable).matchesWhole("\r"))
    }

    @Test(arguments: [
        ("(", 0), (")", 0), ("a(b", 1), ("[a", 0), ("*a", 0), ("a**b(", 4), (#"\"#, 1), (#"\q"#, 0), ("a{2,1}", 1),
        ("a{2", 1), ("a{99999}", 1), ("(?=a)", 0), ("(?<=a)", 0), ("[z-a]", 1), (#"\p{Xx}"#, 0), ("(?x)a", 0),
        ("^*", 0),
        (#"\x{110000}"#, 0), ("{", 0), ("a{", 1),
    ])
    func `another text is refused at its place`(text: String, offset: Int) {
        do throws(Pattern.Problem) {
            _ = try Pattern(text)
            Issue.record("\(text) is a pattern")
        } catch {
            #expect(error.offset == offset, "\(text): \(error)")
        }
    }

    @Test func `the time of a match grows with the text, and not faster`() throws {
        // A machine that tries one alternative after the other needs 2^10000 steps for this.
        let text = String(repeating: "a", count: 10_000)
        #expect(try Pattern("(a+)+$").firstMatch(in: text + "b") == nil)
        #expect(try Pattern("(a|aa)+b").firstMatch(in: text) == nil)
        #expect(throws: Pattern.Problem.self) { try Pattern("((a{1000}){1000}){1000}") }
        #expect(throws: Pattern.Problem.self) { try Pattern(String(repeating: "(", count: 100_000)) }
        #expect(throws: Pattern.Problem.self) { try Pattern("a\(String(repeating: "*", count: 100_000))") }
        #expect(throws: Pattern.Problem.self) { try Pattern(String(repeating: "()", count: 5_000)) }
        #expect(throws: Pattern.Problem.self) { try Pattern("[\(String(repeating: "a-z", count: 20_000))]") }
        #expect(throws: Pattern.Problem.self) { try Pattern("a{600}b{600}", maximumSteps: 1_000) }
        let program = try Pattern("(?:(?:x?){99}){99}z").program
        let long = Array(repeating: Unicode.Scalar("x"), count: 1_000)
        #expect(throws: Pattern.TooMuchWork.self) {
            try program.run(long, from: 0, isWhole: false, visits: 1_000_000)
        }
        #expect(try program.run(Array("xz".unicodeScalars), from: 0, isWhole: true, visits: 1_000_000) != nil)
    }

    @Test func `matches are replaced, with the texts of groups`() throws {
        #expect(try Pattern(#"(\w+)@(\w+)"#).replacing(in: "a@b, c@d", by: "$2 at ${1}!") == "b at a!, d at c!")
        #expect(try Pattern("x*").replacing(in: "ab", by: "-") == "-a-b-")
        // An empty match directly after another one does not count, as in Rust.
        #expect(try Pattern("x*").replacing(in: "axxb", by: "-") == "-a-b-")
        #expect(try Pattern("\\s*$").replacing(in: "a  ", by: "!") == "a!")
        #expect(try Pattern("b").replacing(in: "abc", by: "$$1") == "a$1c")
        #expect(try Pattern("b").replacing(in: "abc", by: "$9") == "ac")
    }

    @Test func `repetitions of nothing end`() throws {
        #expect(try Pattern("(?:){1000}{1000}{1000}{1000}a").firstMatch(in: "a")?.range == 0..<1)
        #expect(try Pattern("(?:(?:){9}){2,}b").firstMatch(in: "ab")?.range == 1..<2)
        #expect(throws: Pattern.Problem.self) { try Pattern("(?:a{1000}){1000}{1000}") }
    }

    @Test func `a replacement that reads the text again and again is given up`() throws {
        let pattern = try Pattern("x[^y]*y|x")
        #expect(pattern.replacing(in: String(repeating: "x", count: 3_000), by: "") == nil)
        #expect(pattern.replacing(in: "xax", by: "-") == "-a-")
    }
}
