// MultipartFramingTests: the framing of a multipart body, byte by byte.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite struct MultipartFramingTests {
    private let framing = MultipartFraming(boundary: "b")

    @Test func `a part begins with its delimiter and its fields`() throws {
        let field = try framing.head(name: "a", filename: nil, contentType: nil)
        #expect(field == "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n")
        let file = try framing.head(name: "photo", filename: "燕.jpg", contentType: "image/jpeg")
        #expect(
            file == "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"燕.jpg\"\r\n"
                + "Content-Type: image/jpeg\r\n\r\n")
        #expect(MultipartFraming.partEnd == "\r\n")
        #expect(framing.end == "--b--\r\n")
        #expect(framing.contentType == "multipart/form-data; boundary=b")
    }

    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"), ("\r", "%0D"), ("\n", "%0A"), ("100%", "100%"),
        ("a\\b;c=d", "a\\b;c=d"), ("名前", "名前"), ("", ""), ("\"\r\n\"", "%22%0D%0A%22"),
    ])
    func `BAD-INPUT 18: quotes and line ends in names are escaped`(name: String, escaped: String) throws {
        let head = try framing.head(name: name, filename: name, contentType: nil)
        #expect(head == "--b\r\nContent-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n\r\n")
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b"])
    func `BAD-INPUT 17: a content type with a line end or a zero in it is refused`(type: String) {
        let error = #expect(throws: WireError.self) {
            try framing.head(name: "a", filename: nil, contentType: type)
        }
        #expect(error?.kind == .invalidRequest)
    }

    @Test func `BAD-INPUT 18: boundaries are long, safe in a field, and never the same`() {
        let boundaries = (0..<1_000).map { _ in MultipartFraming().boundary }
        #expect(Set(boundaries).count == 1_000)
        for boundary in boundaries {
            #expect((24...70).contains(boundary.utf8.count))
            #expect(boundary.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) })
        }
        // All 62 letters and digits occur at every position, so none is fixed.
        for place in 0..<24 {
            #expect(Set(boundaries.map { Array($0.utf8)[place] }).count > 40)
        }
    }

    @Test(arguments: ["a", "gc0pJq0M:08jU534c0p", "'()+_,-./:=?", "a b", String(repeating: "x", count: 70)])
    func `RFC 2046 5.1.1: a boundary of its characters is one`(boundary: String) throws {
        #expect(MultipartFraming.isBoundary(boundary))
        let type = MultipartFraming(boundary: boundary).contentType
        #expect(MediaType(type)?["boundary"] == boundary)
    }

    @Test(arguments: ["", "a ", " ", "ü", "a\"b", "a\\b", "a\r\nb", "a;b", "a*b", String(repeating: "x", count: 71)])
    func `RFC 2046 5.1.1: anything else is none`(boundary: String) {
        #expect(!MultipartFraming.isBoundary(boundary))
    }
}
