// JSONTests: JSON, formatted and painted.
import Testing
import TsubameTerminal

@Suite struct JSONTests {
    static let document = #"{"b":1.50e+3,"a":[],"c":{"x":"\u71d5 {,}","b":[true,null,{"z":1,"z":-2}]},"a":{}}"#

    @Test func orderNumbersEscapesAndEqualNamesStay() {
        let expected = """
            {
                "b": 1.50e+3,
                "a": [],
                "c": {
                    "x": "\\u71d5 {,}",
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

    @Test func coloursAloneChangeNoByte() {
        for text in [Self.document, " { \"a\" : [ 1 ,\n 2 ] } ", "{\"a\" 1} x", "nothing", "\"open", "[[[", "}{"] {
            #expect(withoutColours(shown(text, .json, isFormatted: false, theme: .dark)) == text)
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
        var view = TextView(.jsonLines, isFormatted: true, theme: nil, isTerminal: false)
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
