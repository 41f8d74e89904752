// FileNameTests: file names that a server chose (RFC 6266, RFC 8187).

import Testing
import TsubameWire

@Suite struct FileNameTests {
    @Test(arguments: [
        (#"attachment; filename=report.pdf"#, "report.pdf"), (#"attachment; filename="a b.txt""#, "a b.txt"),
        (#"attachment; filename="say \"hi\".txt""#, #"say "hi".txt"#),
        (#"attachment; filename*=UTF-8''%e2%82%ac%20rates"#, "€ rates"),
        (#"attachment; filename="plain"; filename*=utf-8'en'better"#, "better"),
        (#"attachment; filename*=ISO-8859-1''%A3"#, "£"), (#"ATTACHMENT; FILENAME=x"#, "x"),
        (#"attachment; filename="%E7%87%95.txt""#, "燕.txt"), (#"attachment; filename="100%.txt""#, "100%.txt"),
        // An unreadable parameter falls back to the other one.
        (#"attachment; filename*=UTF-8''%e2%8; filename=old"#, "old"),
        (#"attachment; filename*=nocharset''x; filename=old"#, "old"),
    ])
    func `RFC 6266: the name is that of the field`(field: String, name: String) {
        #expect(ContentDisposition(field)?.filename == name)
    }

    @Test(arguments: ["attachment", "inline; size=3", "attachment; filename", "attachment; filename*=x"])
    func `a field may have no name`(_ field: String) {
        let disposition = ContentDisposition(field)
        #expect(disposition != nil && disposition?.filename == nil)
    }

    @Test func `what has no type is none`() {
        #expect(ContentDisposition("") == nil && ContentDisposition("; filename=x") == nil)
    }

    @Test(arguments: [
        ("../../x", "x"), ("/etc/passwd", "passwd"), (#"C:\dir\x.exe"#, "x.exe"), (#"..\..\x"#, "x"),
        (".bashrc", "bashrc"),
        ("...", nil), ("", nil), ("/", nil), ("a/", nil), ("\u{0}\u{1}", nil), ("a\u{0}b\r\nc", "abc"),
        ("x\u{202E}txt.exe", "xtxt.exe"),
        ("a<b>:c|d?e*f\"g", "a_b__c_d_e_f_g"), ("con.txt", "_con.txt"), ("COM1", "_COM1"), ("-rf", "_rf"),
        ("  name. . ", "name"),
        ("燕.txt", "燕.txt"), ("a b.tar.gz", "a b.tar.gz"),
    ])
    func `BAD-INPUT 41: only a base name that can be written is left`(name: String, safe: String?) {
        #expect(FileName.safe(name) == safe)
    }

    @Test(arguments: [
        ("a/\u{301}b", "\u{301}b"), ("a\\\u{64F}b", "\u{64F}b"), (".\u{301}profile", "\u{301}profile"),
        ("-\u{301}rf", "_\u{301}rf"), ("con.\u{301}", "_con.\u{301}"),
    ])
    func `BAD-INPUT 41: a combining mark hides no slash, dot or hyphen`(name: String, safe: String) {
        #expect(FileName.safe(name)?.unicodeScalars.elementsEqual(safe.unicodeScalars) == true)
    }

    @Test func `BAD-INPUT 41: a long name is cut, and keeps its extension`() {
        let long = FileName.safe(String(repeating: "燕", count: 300) + ".tar")
        #expect(long?.hasSuffix(".tar") == true && (long?.utf8.count ?? 999) <= 255)
        #expect((FileName.safe("." + String(repeating: "x", count: 10_000))?.utf8.count ?? 999) <= 255)
        #expect((FileName.safe("a." + String(repeating: "x", count: 10_000))?.utf8.count ?? 999) <= 255)
        let numbered = FileName.numbered(long ?? "", 17)
        #expect(numbered.hasSuffix("-17.tar") && numbered.utf8.count <= 255)
    }

    @Test func `a number goes before the extension`() {
        #expect(FileName.numbered("report.pdf", 1) == "report-1.pdf")
        #expect(FileName.numbered("README", 2) == "README-2")
    }
}
