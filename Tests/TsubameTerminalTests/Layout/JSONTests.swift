// JSONTests: JSON, formatted and painted.
import Testing
import TsubameTerminal

@Suite struct JSONTests {
    static let document = #"{"b":1.50e+3,"a":[],"c":{"x":"\u71d5 {,}","b":[true,null,{"z":1,"z":-2}]},"a":{}}"#

    @Test func orderNumbersAndEqualNamesStay() {
        let expected = """
            {
                "b": 1.50e+3,
                "a": [],
                "c": {
                    "x": "燕 {,}",
                    "b": [
                        true,
                        null,
                        {
                            "z": 1,
                            "z": -2
                        }
                    ]
                },
                "a": {}
            }
            """
        for piece in [1, 7, 1000] { #expect(shown(Self.document, .json, piece: piece) == expected) }
        #expect(shown(expected, .json) == expected)
    }

    @Test(arguments: [
        (#"\u71d5\u00e9"#, "燕é"), (#"\uD83D\uDE00"#, "😀"), (#"a\/b"#, "a/b"), (#"\u003c\u0041"#, "<A"),
        // Characters that could not be seen or told apart stay.
        (#"\n\t\"\\"#, #"\n\t\"\\"#), (#"\u0000\u001b\u0022\u005c"#, #"\u0000\u001b\u0022\u005c"#),
        (#"\u00a0\u200b\u202e\ufeff\ue000"#, #"\u00a0\u200b\u202e\ufeff\ue000"#),
        (#"\u0301e\u0301\u034f\u3164\u2800\ufe0f"#, "\\u0301e\u{301}\\u034f\\u3164\\u2800\\ufe0f"),
        // Halves of a pair, and text that is no escape.
        (#"\ud83d"#, #"\ud83d"#), (#"\ude00\ud83d"#, #"\ude00\ud83d"#), (#"\ud83d\n"#, #"\ud83d\n"#),
        (#"\ud83d\""#, #"\ud83d\""#), (#"\ud83d\u71d5"#, #"\ud83d燕"#), (#"\ud83d\ud83d\ude00"#, #"\ud83d😀"#),
        (#"\u12"#, #"\u12"#), (#"\u12xy"#, #"\u12xy"#), (#"\ud83d\u12"#, #"\ud83d\u12"#),
    ]) func `escapes of visible characters become the characters`(escapes: String, expected: String) {
        for piece in [1, 1000] {
            #expect(shown("[\"\(escapes)\",1]", .json, piece: piece) == "[\n    \"\(expected)\",\n    1\n]")
        }
        #expect(shown("data: [\"\(escapes)\"]\n", .events) == "data: [\n          \"\(expected)\"\n      ]\n")
        #expect(shown("[\"\(escapes)\"]", .json, layout: nil) == "[\"\(escapes)\"]")
    }

    @Test func `escapes of a string alone become characters, and lines of strings stay lines`() {
        for piece in [1, 1000] {
            #expect(shown(#" "\u71d5 \n" "#, .json, piece: piece) == #""燕 \n""#)
            #expect(shown("\"\\u71d5\"\n\"b\"\n", .jsonLines, piece: piece) == "\"燕\"\n\"b\"\n")
            #expect(shown(#""\u71"#, .json, piece: piece) == #""\u71"#)
            for text in [#""a": 1, "b": 2"#, #""a", "b""#, #""a" b"#, #""a"b"#] {
                #expect(shown(text, .json, piece: piece) == text)
            }
        }
    }

    @Test(arguments: [
        ("[1,2]", true), (" [[1,-2.5e3],[true , null]] ", true), ("[]", true), ("[1,tr", true), ("[ ", true),
        ("[{", true),
        ("[\"", true), ("{\"a\"", true), ("{}", true), ("while(1);[1]", true), (")]}',\n{a", true), ("[[\"a", true),
        ("[2026-11-28] started", false), ("[2026-11", true), ("[1, 2].forEach(f)", false), ("[1] a", false),
        ("[INFO] x", false), ("{a:1}", false), ("[1 2", false), ("[,", false), ("[1,,", false), ("]", false),
        ("", false),
        ("  ", false), ("while(1);", false), ("plain", false), ("[1]]", false), ("[1\"", false), ("[true\"a\"]", false),
    ]) func `JSON is guessed by its beginning`(text: String, isJSON: Bool) {
        #expect(JSONGuess.isJSON(text.utf8) == isJSON)
    }

    @Test(arguments: ["[\"\\", "[\"\\u12", "[\"\\ud83d", "[\"\\ud83d\\", "[\"\\ud83d\\ude0"])
    func `an escape that is broken off loses nothing`(text: String) {
        #expect(shown(text, .json).filter { !$0.isWhitespace } == text)
    }

    @Test(arguments: [")]}',\n", ")]}'\n", ")]}',", "while(1);", "for(;;);", "for (;;);\n"])
    func `a prefix against scripts stays before the JSON`(prefix: String) {
        for piece in [1, 1000] {
            #expect(shown(prefix + "{\"a\":1}", .json, piece: piece) == prefix + "{\n    \"a\": 1\n}")
        }
        #expect(
            JSONPrefix.rest(of: Array((prefix + "{\"a\":1}").utf8)[...]).drop { $0 <= 0x20 }.elementsEqual(
                "{\"a\":1}".utf8))
    }

    @Test(arguments: [")]}", "while(2);{\"a\":1}", "for", "while(1);x{\"a\":1}", ")]}'\n\n", "for(;;);for(;;);[1,2]"])
    func `text that is only like a prefix stays`(text: String) { #expect(shown(text, .json) == text) }

    @Test func `members are sorted by name, and equal names keep their order`() {
        var style = LayoutStyle()
        (style.sortsMembers, style.jsonIndent) = (true, 1)
        let expected = """
            {
             "a": [
              {
               "x": 2,
               "y": 1
              },
              null
             ],
             "ab": {},
             "b": 3,
             "b": "2"
            }
            """
        let text = #" {"b":3, "a":[{"y":1,"x":2},null],"b":"2", "ab":{}} "#
        for piece in [1, 1000] { #expect(shown(text, .json, layout: style, piece: piece) == expected) }
        #expect(shown("while(1);" + text, .json, layout: style) == "while(1);" + expected)
        #expect(shown(")]}',\n" + text.dropFirst(), .json, layout: style) == ")]}',\n" + expected)
        for other in [
            "[1", "{\"b\":1,\"a\"}", "{\"b\":1,\"a\":2}]", "plain", "", "{\"b", String(repeating: "[", count: 1000),
        ] {
            var unsorted = style
            unsorted.sortsMembers = false
            #expect(shown(other, .json, layout: style) == shown(other, .json, layout: unsorted))
        }
    }

    @Test func `each format is laid out only if asked for`() {
        var style = LayoutStyle()
        (style.formatsJSON, style.formatsMarkup, style.xmlIndent) = (false, false, 4)
        #expect(shown("{\"a\":1}", .json, layout: style) == "{\"a\":1}")
        #expect(shown("<a><b/></a>", .xml, layout: style) == "<a><b/></a>")
        style.formatsMarkup = true
        #expect(shown("<a><b/></a>", .xml, layout: style) == "<a>\n    <b/>\n</a>")
    }

    @Test func coloursAloneChangeNoByte() {
        for text in [Self.document, " { \"a\" : [ 1 ,\n 2 ] } ", "{\"a\" 1} x", "nothing", "\"open", "[[[", "}{"] {
            #expect(withoutColours(shown(text, .json, layout: nil, theme: .dark)) == text)
        }
    }

    @Test func colouringAndFormattingAreIndependent() {
        let both = shown(Self.document, .json, theme: .light)
        #expect(both != withoutColours(both))
        #expect(withoutColours(both) == shown(Self.document, .json))
    }

    @Test func namesStringsNumbersAndWordsArePaintedAsSuch() {
        #expect(
            painted(#"{"a":"b\n\u00e9","c":[1,true,"d"],"e":null}"#, by: JSONPainter())
                == #"{94{"a"}:32{"b}35{\n\u00e9}32{"},94{"c"}:[33{1},95{true},32{"d"}],94{"e"}:95{null}}"#)
    }

    @Test func onlyWholeLiteralsArePaintedAsSuch() {
        #expect(painted("[true,tru,truer,null", by: JSONPainter()) == "[95{true},tru,truer,95{null}")
        #expect(painted("not no, nulls f", by: JSONPainter()) == "not no, nulls f")
    }

    @Test(arguments: [
        "no JSON at all", "", "  [1, 2", "[1] trailing {\"a\":1}", "{\"a\" 1}", "]x[", "\"text\"", "12 13", "[INFO] x",
        "{\"a\":nope}", "   ", "[1]]",
    ])
    func whatIsNoJSONLosesNothing(text: String) {
        #expect(shown(text, .json).filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }

    @Test func aLineOfJSONIsWholeWhenItsEndHasCome() {
        var view = TextView(.jsonLines, layout: LayoutStyle(), theme: nil, isTerminal: false)
        #expect(String(decoding: view.show("{\"a\":1}\n"), as: UTF8.self) == "{\n    \"a\": 1\n}\n")
        #expect(String(decoding: view.show("[]\n"), as: UTF8.self) == "[]\n")
        #expect(view.finish().isEmpty)
    }

    @Test func hostileNestingCostsNoMoreThanItsBytes() {
        let text = String(repeating: "[", count: 30_000)
        let result = shown(text, .json, theme: .dark)
        #expect(withoutColours(result).filter { $0 == "[" }.count == text.count)
        #expect(result.utf8.count < text.utf8.count * 300)
        #expect(shown(String(repeating: " ", count: 100_000), .json).utf8.count == 100_000)
    }
}
