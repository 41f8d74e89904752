// MediaTypeTests: the value of `Content-Type`, well-formed and as servers send it.

import Testing
import TsubameWire

@Suite struct MediaTypeTests {
    @Test func typeAndSubtypeAreInLowerCase() throws {
        let mediaType = try #require(MediaType("Application/LD+JSON"))
        #expect(mediaType.type == "application")
        #expect(mediaType.subtype == "ld+json")
        #expect(mediaType.essence == "application/ld+json")
        #expect(mediaType.parameters.isEmpty)
    }

    @Test(arguments: [
        "text/html;charset=EUC-JP", "text/html; charset=euc-jp", "text/html ; CHARSET=\"EUC-JP\"",
        "text/html;charset='euc-jp'", "text/html; charset=euc-jp ;", "text/html;;; charset=euc-jp",
        "text/html; =x; charset=euc-jp", "text/html; level; charset=euc-jp", "text/html; charset=\"euc-jp\"junk; a=b",
        "text/html; charset=\"euc-jp", "text/html; charset=\"\\e\\u\\c-jp\"", "\t text/html;\r\n charset=euc-jp",
        "text/html; charset=euc-jp; charset=utf-8", "text/html; charset=; charset=euc-jp",
        "text/html; a=\"b; charset=utf-8\"; charset=euc-jp", "text/html; charset=\" euc-jp \"",
    ])
    func theCharsetIsFound(in field: String) {
        #expect(MediaType(field)?.charset == .eucJP)
    }

    @Test(arguments: [
        "text/html", "text/html; charset", "text/html; charset=", "text/html; charset=\"\"",
        "text/html; charset=iso-2022-kr", "text/html; charset =utf-8", "text/html; x-charset=utf-8",
        "text/html; charset='", "text/html; charset=''",
    ])
    func thereIsNoCharset(in field: String) {
        #expect(MediaType(field) != nil)
        #expect(MediaType(field)?.charset == nil)
    }

    @Test(arguments: [
        "", " ", "/", ";", "text", "text/", "/html", "te xt/html", "text/ht ml", "text/html, text/plain", "té/x",
    ])
    func whatIsNoMediaTypeIsNone(field: String) {
        #expect(MediaType(field) == nil)
    }

    @Test func quotedValuesLoseQuotesAndEscapes() throws {
        let mediaType = try #require(MediaType(#"multipart/form-data; boundary="a;b=\"c\\"; x=y"#))
        #expect(mediaType["boundary"] == #"a;b="c\"#)
        #expect(mediaType["X"] == "y")
        #expect(mediaType["z"] == nil)
        #expect(mediaType.parameters.map(\.name) == ["boundary", "x"])
    }

    @Test func anEscapeAtTheEndIsABackslash() {
        #expect(MediaType(#"a/b; c="d\"#)?["c"] == #"d\"#)
    }

    @Test func valuesWithControlCharactersAreLeftOut() {
        #expect(MediaType("a/b; c=\u{1}; d=e")?.parameters.map(\.name) == ["d"])
        #expect(MediaType("a/b; c=\"\u{7F}\"")?.parameters.isEmpty == true)
    }

    @Test func valuesBeyondASCIIAreKept() {
        #expect(MediaType("a/b; c=\"日本\"")?["c"] == "日本")
    }
}
