// CacheRuleTests: the rules of a cache, statement by statement; Tests/RFC9111.md lists them.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite struct CacheRuleTests {
    @Test(arguments: CacheStatement.storing)
    func `RFC 9111: what is stored`(_ statement: CacheStatement) {
        #expect(statement.seen() == statement.expected, "\(statement.testDescription)")
    }

    @Test(arguments: CacheStatement.freshness)
    func `RFC 9111: what is fresh`(_ statement: CacheStatement) {
        #expect(statement.seen() == statement.expected, "\(statement.testDescription)")
    }

    @Test(arguments: CacheStatement.reuse)
    func `RFC 9111: what is used`(_ statement: CacheStatement) {
        #expect(statement.seen() == statement.expected, "\(statement.testDescription)")
    }

    @Test(arguments: CacheStatement.validation)
    func `RFC 9111: what is validated, cut and forgotten`(_ statement: CacheStatement) {
        #expect(statement.seen() == statement.expected, "\(statement.testDescription)")
    }

    @Test(arguments: [
        (CacheStatus(isHit: true, timeToLive: 30), "tsubame; hit; ttl=30"),
        (CacheStatus(forward: .uriMiss, isStored: true), "tsubame; fwd=uri-miss; stored"),
        (CacheStatus(forward: .stale, forwardStatus: 304, timeToLive: 5), "tsubame; fwd=stale; fwd-status=304; ttl=5"),
        (
            CacheStatus(isHit: true, timeToLive: -3, detail: "stale-while-revalidate"),
            "tsubame; hit; ttl=-3; detail=stale-while-revalidate"
        ),
        (CacheStatus(detail: "only-if-cached"), "tsubame; detail=only-if-cached"),
    ])
    func `RFC 9211: what became of a request is a line`(_ status: CacheStatus, _ text: String) {
        #expect(status.text == text)
    }

    @Test func `what is kept of credentials tells nobody what they are`() throws {
        let other = try #require(HTTPField.Name("X-Account"))
        let request: HTTPFields = [
            .authorization: "Basic c2VjcmV0OnNlY3JldA==", .cookie: "session=secret", other: "secret", .accept: "*/*",
        ]
        let identity = CacheScene.identity(request)
        let selecting = try #require(
            StoredHead.selecting(vary: ["Cookie, Authorization", "X-Account, Accept"], in: request, identity))
        #expect(selecting.count == 6)
        #expect(selecting.filter { $0.value?.hasPrefix("sha256:") != true } == ["accept": "*/*"])
    }

    @Test func `a response that names very many fields is not to be used without validation at all`() {
        func control(_ count: Int) -> CacheControl {
            let names = (0..<count).map { "no-cache=a\($0)" }.joined(separator: ", ")
            return CacheControl([names])
        }
        #expect(control(100).noCache == .fields((0..<100).map { "a\($0)" }))
        #expect(control(101).noCache == .everything)
    }

    @Test(arguments: HTTPDateTests.malformed)
    func `FAULT 20: an Expires that is no date makes nothing fresh`(_ text: String) {
        #expect(CacheScene.lifetime(["Expires: \(text)"]) == "0")
        // The lifetime is not guessed either.
        #expect(CacheScene.lifetime(["Expires: \(text)", "Last-Modified: \(CacheScene.time(-1_000))"]) == "0")
        #expect(CacheScene.lifetime(["Expires: \(text)", "Cache-Control: max-age=60"]) == "60")
    }

    @Test func `FAULT 20: several lines or values of Expires make nothing fresh`() {
        let date = CacheScene.time(90)
        #expect(CacheScene.lifetime(["Expires: \(date)", "Expires: \(date)"]) == "0")
        #expect(CacheScene.lifetime(["Expires: \(date)", "Expires: 0"]) == "0")
        #expect(CacheScene.lifetime(["Expires: \(date), \(date)"]) == "0")
        #expect(CacheScene.lifetime(["Expires: \(date)"]) == "90")
    }

    @Test func `FAULT 20: a Date that is none makes nothing younger or older`() {
        let (earlier, later) = ("Date: Sat, 08 Sep 2001 15:46:40 AEST", "Date: Sun, 09 Sep 2001 11:46:40 AEST")
        #expect(CacheScene.age([earlier], dated: false) == "0")
        let expires = "Expires: \(CacheScene.time(90))"
        #expect(CacheScene.decided([expires, later], after: 89, dated: false) == "reuse")
        #expect(CacheScene.decided([expires, later], after: 90, dated: false) == "forward, stale")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func `no clock makes a cache fail`(_ now: Double) {
        let terms = StoredTerms(CacheScene.head(["Cache-Control: max-age=60", "Age: 5"]))
        #expect(Freshness.whole(terms.freshness.age(at: now)) >= 0)
        #expect(abs(Freshness.whole(terms.freshness.timeToLive(at: now))) <= CacheControl.longest)
        _ = CacheDecision(CacheScene.terms([]), stored: terms, at: now)
    }

    @Test func `whatever stands in the fields is read without fail`() {
        // Every sequence of up to four of these pieces.
        let pieces = ["", "max-age", "=", "\"", ",", "1", "no-cache", " ", "\\", "W/", "*", ";", "9999999999999999999"]
        var texts = [""]
        for _ in 0..<3 { texts += texts.suffix(400).flatMap { text in pieces.map { text + $0 } } }
        for text in texts {
            let lines = [
                "Cache-Control: \(text)", "ETag: \(text)", "Last-Modified: \(text)", "Expires: \(text)", "Age: \(text)",
                "Vary: \(text)", "Date: \(text)", "Connection: \(text)",
            ]
            let head = CacheScene.head(lines, dated: false)
            let request = [
                "Cache-Control: \(text)", "If-None-Match: \(text)", "If-Modified-Since: \(text)",
                "Range: bytes=\(text)",
                "If-Range: \(text)", "Pragma: \(text)",
            ]
            let terms = CacheScene.terms(request)
            let decision = CacheDecision(terms, stored: StoredTerms(head), at: CacheScene.start)
            #expect(decision != .refuse)
            _ = StoredRange(terms.range, ifRange: terms.ifRange, of: StoredTerms(head), length: 10)
            _ = head.updated(by: CacheScene.fields(lines), requestTime: 0, responseTime: 0)
        }
    }
}
