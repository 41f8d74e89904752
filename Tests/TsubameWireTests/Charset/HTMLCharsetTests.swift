// HTMLCharsetTests: the encoding that an HTML document names, and the order in which sources of an encoding count.

import Testing
import TsubameWire

@Suite struct HTMLCharsetTests {
    private func charset(_ document: String, type: String? = "text/html") -> Charset {
        Charset.determine(for: Array(document.utf8), contentType: type).charset
    }

    @Test(arguments: [
        ("<meta charset=euc-jp>", Charset.eucJP), ("<META CHARSET='EUC-JP'>", .eucJP),
        ("<meta charset=\"euc-jp\"/>", .eucJP),
        ("<html><head><title>x</title><meta charset = euc-jp >", .eucJP),
        ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=euc-jp\">", .eucJP),
        ("<meta content='text/html;charset = \"euc-jp\"' http-equiv=content-type>", .eucJP),
        ("<meta http-equiv=content-type content=\"text/html; charset-x; charset=euc-jp\">", .eucJP),
        ("<meta http-equiv=content-type content=\"charset charset\">", .utf8),
        ("<meta content=\"text/html; charset=euc-jp\">", .utf8), ("<meta name=charset content=euc-jp>", .utf8),
        ("<!-- <meta charset=euc-jp> -->", .utf8), ("<!--><meta charset=euc-jp>", .eucJP),
        ("<p title='<meta charset=euc-jp>'>", .utf8), ("<meta charset=nonsense><meta charset=euc-jp>", .eucJP),
        ("<meta charset=utf-16>", .utf8), ("<metal charset=euc-jp>", .utf8), ("<meta charset=", .utf8),
        ("<meta", .utf8),
        ("", .utf8), ("plain", .utf8), (String(repeating: " ", count: 1_100) + "<meta charset=euc-jp>", .utf8),
    ])
    func `WHATWG HTML 13.2.3.2: a document names its encoding`(_ document: String, _ expected: Charset) {
        #expect(charset(document) == expected)
        #expect(charset(document, type: "application/xhtml+xml") == expected)
    }

    @Test func `the document counts only if it is HTML and nothing else names an encoding`() {
        let document = "<meta charset=euc-jp>"
        #expect(charset(document, type: "text/plain") == .utf8 && charset(document, type: nil) == .utf8)
        #expect(charset(document, type: "text/html; charset=shift_jis") == .shiftJIS)
        #expect(charset("\u{FEFF}" + document) == .utf8)
        let fallback = Charset.determine(for: Array(document.utf8), contentType: "text/html", fallback: .big5)
        #expect(fallback.charset == .eucJP)
    }

    @Test func `a forced encoding counts before everything, and its own mark is left out`() {
        let marked = [0xEF, 0xBB, 0xBF, 0x41] as [UInt8]
        #expect(Charset.determine(for: marked, contentType: "text/html; charset=big5", forced: .eucJP) == (.eucJP, 0))
        #expect(Charset.determine(for: marked, contentType: nil, forced: .utf8) == (.utf8, 3))
        #expect(decodeText(marked, contentType: nil, forced: .utf8) == "A")
    }
}
