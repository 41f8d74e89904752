// Path: what can be interpolated, and what cannot.

import Testing
import TsubameCore

@Suite struct PathTests {
    @Test func anInterpolationIsOneSegmentWhateverIsInIt() {
        let name = "a/b?c#d é%"
        let path: Path = "users/\(name)/photos"
        #expect(path.encoded == "/users/a%2Fb%3Fc%23d%20%C3%A9%25/photos")
        #expect(path.problem == nil)
    }

    @Test func aLeadingSlashChangesNothing() {
        #expect(("users" as Path).encoded == ("/users" as Path).encoded)
    }

    @Test(arguments: ["", ".", ".."])
    func aSegmentThatWouldClimbOrVanishIsAnError(id: String) {
        let end: Path = "users/\(id)"
        let middle: Path = "users/\(id)/x"
        #expect(end.problem != nil)
        #expect(middle.problem != nil)
    }

    @Test func partsOfASegmentMayBeDots() {
        let dot = "."
        let path: Path = "timeline/\(dot)\(dot)x.xml"
        #expect(path.problem == nil)
    }

    @Test func twoInterpolationsCanNotMakeDotsEither() {
        let dot = "."
        let path: Path = "a/\(dot)\(dot)/b"
        #expect(path.problem != nil)
    }

    @Test(
        arguments: ["a//b", "http://evil/", "a\\b", "a\nb", "a#b", "../x", "x/./y", "a/%2e%2E/b", "a/.%2e", "%2e/x"]
            as [Path])
    func whatIsNoPathIsAnError(path: Path) {
        #expect(path.problem != nil)
    }

    @Test(arguments: ["http://a.example", "https://a.example/b"])
    func aWholeURLThatIsPutInIsToldFromASegment(base: String) {
        let path: Path = "\(base)/get"
        #expect(path.problem?.contains("get(url:)") == true)
        let harmless: Path = "http%3A/\(base)"
        #expect(harmless.problem == nil)
    }

    @Test func aQueryInALiteralStays() {
        let value = "a&b=c"
        let path: Path = "search?q=\(value)&n=1"
        #expect(path.encoded == "/search?q=a%26b%3Dc&n=1")
        #expect(path.problem == nil)
    }
}
