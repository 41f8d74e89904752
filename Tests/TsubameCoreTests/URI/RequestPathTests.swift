// RequestPathTests: values that can be interpolated into a RequestPath, and values that cannot.

import Foundation
import HTTPTypes
import Testing
import TsubameCore

@Suite struct RequestPathTests {
    @Test func anInterpolationIsOneSegmentWhateverIsInIt() {
        let name = "a/b?c#d é%"
        let path: RequestPath = "users/\(name)/photos"
        #expect(path.encoded == "/users/a%2Fb%3Fc%23d%20%C3%A9%25/photos")
        #expect(path.problem == nil)
    }

    @Test func `numbers, raw values and identifiers are segments`() throws {
        enum Kind: String { case large = "l/g" }
        struct Key: RawRepresentable { let rawValue: UUID }
        struct Both: RawRepresentable, LosslessStringConvertible {
            let rawValue: String
            init(rawValue: String) { self.rawValue = rawValue }
            init(_ description: String) { rawValue = description }
            var description: String { "described" }
        }
        let key = try #require(UUID(uuidString: "5E8A2F0C-7B1D-4C3E-9A61-0F2D4B6C8E10"))
        let price = try #require(Decimal(string: "17.5"))
        #expect(("\(Kind.large)/\(7)/\(true)/\(price)" as RequestPath).encoded == "/l%2Fg/7/true/17.5")
        #expect(("k/\(Key(rawValue: key))" as RequestPath).encoded == "/k/\(key.uuidString)")
        // A description that can be read back is what the type says of itself.
        #expect(("\(Both("raw"))" as RequestPath).encoded == "/described")
    }

    @Test(arguments: ["../\u{301}x", "a/../\u{301}x", "a/..?\u{301}x", "a//\u{301}b", "x:/\u{301}b"])
    func `a combining mark hides no slash and no mark of a query`(text: String) {
        #expect(RequestPath(encoded: text).problem != nil)
    }

    @Test func `a slash in a value is noticed, and one of the path is not`() {
        let (plain, deep) = ("a", "a/b")
        #expect(("x/\(deep)" as RequestPath).escapesSlash && !("x/\(plain)/y" as RequestPath).escapesSlash)
        #expect(!("x?q=\(deep)" as RequestPath).escapesSlash)
    }

    @Test func `a whole URL may stand in the place of a path`() {
        let request = Request(.get, .url("https://a.example/x"), encodedQuery: "q=1", headers: [:], body: .empty)
        #expect(request.uri?.string == "https://a.example/x?q=1")
        #expect(Request(.get, .url("nonsense"), encodedQuery: "", headers: [:], body: .empty).uri == nil)
    }

    @Test func aLeadingSlashChangesNothing() {
        #expect(("users" as RequestPath).encoded == ("/users" as RequestPath).encoded)
    }

    @Test(arguments: ["", ".", ".."])
    func aSegmentThatWouldClimbOrVanishIsAnError(id: String) {
        let end: RequestPath = "users/\(id)"
        let middle: RequestPath = "users/\(id)/x"
        #expect(end.problem != nil)
        #expect(middle.problem != nil)
    }

    @Test func partsOfASegmentMayBeDots() {
        let dot = "."
        let path: RequestPath = "timeline/\(dot)\(dot)x.xml"
        #expect(path.problem == nil)
    }

    @Test func twoInterpolationsCanNotMakeDotsEither() {
        let dot = "."
        let path: RequestPath = "a/\(dot)\(dot)/b"
        #expect(path.problem != nil)
    }

    @Test(
        arguments: ["a//b", "http://evil/", "a\\b", "a\nb", "a#b", "../x", "x/./y", "a/%2e%2E/b", "a/.%2e", "%2e/x"]
            as [RequestPath])
    func whatIsNoPathIsAnError(path: RequestPath) {
        #expect(path.problem != nil)
    }

    @Test(arguments: ["http://a.example", "https://a.example/b"])
    func aWholeURLThatIsPutInIsToldFromASegment(base: String) {
        let path: RequestPath = "\(base)/get"
        #expect(path.problem?.contains("get(url:)") == true)
        let harmless: RequestPath = "http%3A/\(base)"
        #expect(harmless.problem == nil)
    }

    @Test func aQueryInALiteralStays() {
        let value = "a&b=c"
        let path: RequestPath = "search?q=\(value)&n=1"
        #expect(path.encoded == "/search?q=a%26b%3Dc&n=1")
        #expect(path.problem == nil)
    }
}
