// MarkupTests: XML and HTML, formatted and painted.
import Testing
import TsubameTerminal

@Suite struct MarkupTests {
    // MARK: XML

    @Test func elementsOfElementsAreIndented() {
        let text =
            "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"c\">]><a x='>'><b>text</b><c/> <d><e></e></d><!-- n --></a>"
        let expected = """
            <?xml version="1.0"?>
            <!DOCTYPE a [<!ENTITY b "c">]>
            <a x='>'>
              <b>text</b>
              <c/>
              <d>
                <e></e>
              </d>
              <!-- n -->
            </a>
            """
        for piece in [1, 10, 1000] { #expect(shown(text, .xml, piece: piece) == expected) }
        #expect(shown(expected, .xml) == expected)
    }

    @Test(arguments: [
        "<p>one <b>two</b><i>three</i></p>", "<p><b>one</b><i>two</i> three</p>", "<p><![CDATA[ <x> ]]><b/></p>",
        "<p xml:space=\"preserve\"> <b/> <c/></p>", "<a>  </a>", "<a>\n</a>", "<a><![CDATA[]]></a>",
    ])
    func mixedContentKeepsEveryByte(text: String) {
        #expect(shown(text, .xml) == text)
        #expect(shown("<r>\(text)<s/></r>", .xml) == "<r>\n  \(text)\n  <s/>\n</r>")
    }

    @Test(arguments: [
        ("<a><b></a>", "<a>\n  <b></a>"), ("<a/>text <b> <c/> </b>", "<a/>text <b> <c/> </b>"),
        ("<a><b/> <c", "<a>\n  <b/> <c"), ("<a><!-- <b/>", "<a><!-- <b/>"), ("<a x=\"<b/>", "<a x=\"<b/>"), ("", ""),
        ("no markup < at > all", "no markup < at > all"), ("</a><b/> <c/>", "</a><b/> <c/>"), ("<", "<"), ("<>", "<>"),
    ])
    func nothingIsChangedBehindAFault(text: String, expected: String) {
        #expect(shown(text, .xml).filter { $0 != "\n" && $0 != " " } == text.filter { $0 != "\n" && $0 != " " })
        #expect(shown(text, .xml) == expected)
    }

    @Test func aLongDocumentGoesThroughAsItIs() {
        let text = "<a>" + String(repeating: "<b/> ", count: XMLIndenter.limit / 5 + 1) + "</a>"
        #expect(shown(text, .xml, piece: 1 << 16) == text)
    }

    @Test func hostileXMLCostsNoMoreThanItsBytes() {
        for text in [
            String(repeating: "<a>", count: 30_000), String(repeating: "<a x:", count: 30_000),
            "<a" + String(repeating: " x:b", count: 30_000) + ">", String(repeating: "<!--", count: 30_000),
            String(repeating: "<![CDATA[", count: 10_000), "<a>" + String(repeating: "<!-- -", count: 20_000),
            String(repeating: "<a>", count: 60) + String(repeating: "<b/>", count: 50_000)
                + String(repeating: "</a>", count: 60),
        ] {
            let result = shown(text, .xml, theme: .dark)
            #expect(withoutColours(result).utf8.count < 10 * (text.utf8.count + 4096))
            #expect(
                withoutColours(result).filter { $0 != "\n" && $0 != " " } == text.filter { $0 != "\n" && $0 != " " })
        }
    }

    // MARK: HTML

    @Test func blocksStandOnLinesOfTheirOwn() {
        let text = """
            <!doctype html><html><head><title>a b</title><meta charset=utf-8><script>if (a<b) {\n}</script></head>
            <body class="x>y"><ul><li>one<li><a href=#>two</a> three</ul><pre> a
              <b>b</b></pre><div></div><p>text <b>bold</b>
            <p>more</body></html>
            """
        let expected = """
            <!doctype html>
            <html>
              <head>
                <title>a b</title>
                <meta charset=utf-8>
                <script>if (a<b) {\n}</script>
              </head>
              <body class="x>y">
                <ul>
                  <li>one<li><a href=#>two</a> three</ul>
                <pre> a
              <b>b</b></pre>
                <div></div>
                <p>text <b>bold</b>
            <p>more</body>
            </html>
            """
        for piece in [1, 9, 1000] { #expect(shown(text, .html, piece: piece) == expected) }
    }

    @Test(arguments: [
        "a < b", "<", "<a", "</", "<!", "<!-", "<!--", "<!-- <div><div>", "<textarea> <div> <p>",
        "text <b> bold</b> <i>x</i>",
        "<script>\"</script", "</div></div></div> <span> x", "<div a='",
        "<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>", "&amp;&;&#1;",
    ])
    func markupThatEndsAnywhereLosesNothing(text: String) {
        for kind in [TextKind.html, .xml] {
            #expect(shown(text, kind, piece: 1).filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
            #expect(withoutColours(shown(text, kind, layout: nil, theme: .dark, piece: 1)) == text)
        }
    }

    @Test func hostileHTMLCostsNoMoreThanItsBytes() {
        for text in [
            String(repeating: "<div>", count: 20_000), String(repeating: "</div", count: 20_000),
            String(repeating: "<p>", count: 20_000), String(repeating: "<", count: 50_000),
            "<script>" + String(repeating: "</scrip", count: 20_000), "<" + String(repeating: "a", count: 50_000),
        ] {
            let result = shown(text, .html, theme: .dark)
            #expect(withoutColours(result).filter { $0 != "\n" && $0 != " " } == text)
            #expect(result.utf8.count < text.utf8.count * 40 + 1000)
        }
    }

    // MARK: Colours

    @Test func tagsAttributesAndCommentsArePaintedAsSuch() {
        #expect(
            painted("<a b=\"c>\" d>x&lt;y</a><!-- <e> -->", by: MarkupPainter(isHTML: false))
                == "<94{a} 33{b}=32{\"c>\"} 33{d}>x35{&lt;}y</94{a}>90{<!-- <e> -->}")
        #expect(
            painted("<script>a<b&c</script><p>", by: MarkupPainter(isHTML: true))
                == "<94{script}>a<b&c</94{script}><94{p}>")
        #expect(painted("1 < 2 <3", by: MarkupPainter(isHTML: true)) == "1 < 2 <94{3}")
        #expect(painted("<?x y?><!DOCTYPE a>", by: MarkupPainter(isHTML: false)) == "90{<?x y?><!DOCTYPE a>}")
    }
}
