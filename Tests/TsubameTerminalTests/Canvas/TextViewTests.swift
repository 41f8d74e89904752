// TextViewTests: properties that hold for any text, with any declared type.
import Testing
import TsubameTerminal

@Suite struct TextViewTests {
    static let kinds: [TextKind] = [.plain, .json, .jsonLines, .xml, .html, .events, .form]

    /// Texts made of the characters of structured formats, the same texts each time.
    static func texts(_ count: Int) -> [String] {
        let words = [
            "<", ">", "</", "/>", "<a>", "</a>", "<div>", "</div>", "<li>", "<pre>", "</pre>", "<script>", "</script>",
            "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!doctype x [", "]", "'", "\"", "=", "&", ";", "&lt;", "{",
            "}",
            "[", ",", ":", "\\", "\\u00", "1", "-2e3", "true", "nul", "a", "data: {", "data:", "event", "\n", "\r\n",
            " ",
            "\t", "%4", "+", "\u{71D5}", "\u{1B}[2J", "\u{9B}", "\u{202E}", "\u{7}", "\r",
        ]
        var state: UInt64 = 20_260_101
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        return (0..<count).map { _ in (0..<next(40)).map { _ in words[next(words.count)] }.joined() }
    }

    @Test(arguments: kinds.indices)
    func nothingButWhiteSpaceIsEverChanged(kind: Int) {
        let kind = Self.kinds[kind]
        for text in Self.texts(400) {
            // This counts bytes, because a carriage return and a line feed are one character.
            let content = text.utf8.filter { $0 > 0x20 }
            for piece in [1, 5, 1000] {
                #expect(shown(text, kind, piece: piece).utf8.filter { $0 > 0x20 } == content)
                #expect(shown(text, kind, layout: nil, piece: piece) == text)
            }
        }
    }

    @Test(arguments: kinds.indices)
    func howATextIsCutDoesNotMatter(kind: Int) {
        let kind = Self.kinds[kind]
        for text in Self.texts(200) {
            let whole = withoutColours(shown(text, kind, theme: .dark, isTerminal: true), marking: false)
            #expect(withoutColours(shown(text, kind, theme: .dark, isTerminal: true, piece: 1)) == whole)
        }
    }

    @Test(arguments: kinds.indices)
    func onlyColoursReachATerminal(kind: Int) {
        let kind = Self.kinds[kind]
        for text in Self.texts(200) {
            let plain = withoutColours(shown(text, kind, theme: .light, isTerminal: true, piece: 3))
            #expect(
                plain.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0 == "\t"
                        || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}"
                })
        }
    }
}
