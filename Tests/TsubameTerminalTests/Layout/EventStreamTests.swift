// EventStreamTests: event streams, forms and heads.
import Testing
import TsubameTerminal

@Suite struct EventStreamTests {
    @Test func jsonInAnEventIsIndentedBehindItsName() {
        let text = ": hello\nevent: a\ndata: {\"b\":[1]}\ndata: text {}\nid: 1\n\ndata:{\"c\":2}\r\n\r\n"
        for piece in [1, 4, 1000] {
            #expect(
                shown(text, .events, piece: piece) == """
                    : hello
                    event: a
                    data: {
                              "b": [
                                  1
                              ]
                          }
                    data: text {}
                    id: 1

                    data:{
                              "c": 2
                          }\r\n\r\n
                    """)
        }
    }

    @Test func anEventIsShownWhenItHasCome() {
        var view = TextView(.events, layout: LayoutStyle(), theme: nil, isTerminal: true)
        #expect(String(decoding: view.show("data: one\n\n"), as: UTF8.self) == "data: one\n\n")
        #expect(String(decoding: view.show("data: {}\n"), as: UTF8.self) == "data: {}\n")
    }

    @Test func fieldsCommentsAndDataArePaintedAsSuch() {
        #expect(
            painted(": c\nevent: x\ndata: {\"a\":1}\ndata: text\nother\n", by: EventStreamPainter())
                == "90{: c}\n36{event}: 32{x}\n36{data}: {94{\"a\"}:33{1}}\n36{data}: text\n36{other}\n")
    }

    @Test func coloursAloneChangeNoByte() {
        let text = "data\n:\ndata:\n\n data: x\ndata : {\ndat\ndata: [1,\ndata: 2]\r\rid"
        #expect(withoutColours(shown(text, .events, layout: nil, theme: .dark, piece: 1)) == text)
        #expect(shown(text.replacing("[1,", with: "x"), .events, piece: 1) == text.replacing("[1,", with: "x"))
    }

    @Test func aFormIsPaintedByNamesAndValues() {
        #expect(painted("a=b%20c+d&e&f==", by: FormPainter()) == "94{a}=32{b}35{%20}32{c}35{+}32{d}&94{e}&94{f}=32{=}")
    }

    @Test(arguments: [
        ("HTTP/1.1 204 No Content", "94{HTTP/1.1}32{ 204 No Content}"), ("HTTP/1.1 404", "94{HTTP/1.1}31{ 404}"),
        ("HTTP/1.1 302 Found", "94{HTTP/1.1}33{ 302 Found}"), ("HTTP/1.1 103 Hints", "94{HTTP/1.1}36{ 103 Hints}"),
        ("HTTP/1.1 599 x", "94{HTTP/1.1}1;31{ 599 x}"), ("GET /a HTTP/1.1", "1;32{GET} 36{/a}94{ HTTP/1.1}"),
        ("", ""), ("HTTP/", "94{HTTP/}"), ("GET", "1;32{GET}"),
    ])
    func aHeadIsPaintedByItsStatus(line: String, expected: String) {
        var canvas = Canvas(theme: .dark, isTerminal: false)
        HeadPainter.paint(line + "\r\nA:  b: c\r\nnothing\r\n\r\n", on: &canvas)
        #expect(
            withoutColours(String(decoding: canvas.finish(), as: UTF8.self), marking: true)
                == expected + "\r\n36{A}:  b: c\r\nnothing\r\n\r\n")
    }
}
