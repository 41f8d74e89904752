// RedirectFollowUpTests: the follow-up of a redirect, tested without I/O (RFC 9110 section 15.4).

import Testing
import TsubameCore

@testable import Tsubame

@Suite struct RedirectFollowUpTests {
    /// A redirect and the request that it answers.
    struct Case {
        var status = 302
        var locations = ["/next"]
        var request = Request(.get, url: "https://a.example/dir/page?q=1")
        var original: Request?
        var policy = RedirectPolicy.follow(max: 20)
        var allowed: Set<Origin> = []
        var resends = 0

        func followUp() -> FollowUp {
            var configuration = Configuration()
            configuration.allowedOrigins = allowed
            let call = Call(
                original ?? request, CallOptions(), observers: ObserverList())
            var response = Response(status: .init(code: status), request: request)
            for location in locations { response.headers.append(HTTPField(name: .location, value: location)) }
            return Redirects(policy: policy, configuration: configuration)
                .followUp(response, Hop(request: request, call: call, resends: resends))
        }

        var next: Request? {
            if case .resend(let request, _, _) = followUp() { request } else { nil }
        }
    }

    private static func body(_ name: Substring) -> RequestBody {
        switch name {
        case "bytes": .bytes(Array("hello".utf8), contentType: "text/plain")
        case "file": .file("/nowhere", contentType: "text/plain")
        case "once": .stream(once: AsyncStream<Bytes> { $0.finish() }, contentType: "text/plain")
        default: .empty
        }
    }

    private static func name(_ body: RequestBody) -> String {
        switch body.content {
        case nil: ""
        case .bytes: " bytes"
        case .file: " file"
        case .stream(_, let isOneShot): isOneShot ? " once" : " stream"
        case .failed: " failed"
        case .deferred: " deferred"
        }
    }

    @Test(
        "BAD-INPUT 24: the status, the method and the body make the next request",
        arguments: [
            "301 GET > GET", "301 HEAD > HEAD", "301 POST bytes > GET", "301 POST > GET", "301 POST once > GET",
            "301 PUT bytes > PUT bytes", "301 PUT file > PUT file", "301 DELETE > DELETE", "301 PATCH once > kept",
            "301 OPTIONS > OPTIONS", "301 DELETE bytes > DELETE bytes",
            "302 GET > GET", "302 HEAD > HEAD", "302 POST bytes > GET", "302 POST file > GET", "302 POST once > GET",
            "302 PUT bytes > PUT bytes", "302 PUT once > kept", "302 DELETE > DELETE", "302 PATCH bytes > PATCH bytes",
            "303 GET > GET", "303 GET bytes > GET", "303 GET once > GET", "303 HEAD > HEAD", "303 POST bytes > GET",
            "303 PUT bytes > GET", "303 PUT once > GET",
            "303 DELETE > GET", "303 PATCH file > GET", "303 OPTIONS > GET",
            "307 GET > GET", "307 HEAD > HEAD", "307 POST bytes > POST bytes", "307 POST file > POST file",
            "307 POST once > kept", "307 PUT bytes > PUT bytes", "307 DELETE > DELETE",
            "308 GET > GET", "308 HEAD > HEAD", "308 POST bytes > POST bytes", "308 POST once > kept",
            "308 PUT file > PUT file", "308 DELETE > DELETE",
            "200 GET > kept", "201 POST bytes > kept", "300 GET > kept", "304 GET > kept", "305 GET > kept",
            "306 GET > kept", "309 GET > kept", "399 GET > kept", "404 GET > kept",
        ])
    func table(row: String) throws {
        let words = row.split(separator: " ")
        let arrow = try #require(words.firstIndex(of: ">"))
        let method = try #require(HTTPRequest.Method(String(words[1])))
        var test = Case()
        test.status = try #require(Int(words[0]))
        test.request = Request(
            method, url: "https://a.example/dir/page",
            headers: [
                .contentType: "text/plain", .contentLanguage: "ja", .contentDisposition: "inline",
                "CONTENT-MD5": "x", "Content-X": "y", .expect: "100-continue",
            ],
            body: arrow == 3 ? Self.body(words[2]) : .empty)
        let result = test.next.map { $0.method.rawValue + Self.name($0.body) } ?? "kept"
        #expect(result == words[(arrow + 1)...].joined(separator: " "))
        if let next = test.next {
            #expect(next.uri?.string == "https://a.example/next")
            let becomesGet = words[0] == "303" && method != .head || method == .post && next.method == .get
            let described = next.headers.filter { $0.name.canonicalName.hasPrefix("content-") }.count
            #expect(described == (becomesGet ? 0 : 5))
            #expect(next.headers.contains(.expect) == !becomesGet)
        }
    }

    @Test(
        "FAULT 29, BAD-INPUT 25: a relative Location resolves as in WHATWG's URL standard",
        arguments: [
            ("/next", "https://a.example/next"), ("next", "https://a.example/dir/next"),
            ("./next", "https://a.example/dir/next"), ("../next", "https://a.example/next"),
            ("../../../next", "https://a.example/next"), ("?p=2", "https://a.example/dir/page?p=2"),
            ("//b.example/x", "https://b.example/x"), ("http://b.example", "http://b.example/"),
            ("HTTPS://B.example:443/x", "https://b.example/x"),
            ("next?to=http://b.example/", "https://a.example/dir/next?to=http://b.example/"),
            ("a b", "https://a.example/dir/a%20b"), ("/é", "https://a.example/%C3%A9"),
            ("/x/./y/../z/", "https://a.example/x/z/"), ("/a\\b", "https://a.example/a/b"),
            ("https:next", "https://a.example/dir/next"), ("///b.example/x", "https://b.example/x"),
            ("\\\\b.example\\x", "https://b.example/x"), (" /next ", "https://a.example/next"),
        ])
    func relative(location: String, target: String) {
        // An empty Location is none, as in Chrome and curl; RedirectTests has it.

        var test = Case(locations: [location])
        test.policy = .follow(max: 20, allowingInsecure: true)
        #expect(test.next?.uri?.string == target)
    }

    @Test(
        "BAD-INPUT 25: the fragment is inherited unless the Location has its own",
        arguments: [
            ("/next", "https://a.example/next#here"), ("/next#there", "https://a.example/next#there"),
            ("https://b.example/", "https://b.example/#here"), ("#there", "https://a.example/p#there"),
        ])
    func fragment(location: String, target: String) {
        let test = Case(locations: [location], request: Request(.get, url: "https://a.example/p#here"))
        #expect(test.next?.uri?.string == target)
    }

    @Test(
        "BAD-INPUT 22: what is not http is not followed",
        arguments: ["file:///etc/passwd", "data:text/plain,x", "unix:/run/x", "javascript:x", "ftp://b.example/"])
    func otherScheme(location: String) {
        guard case .note(let why) = Case(locations: [location]).followUp() else {
            Issue.record("followed")
            return
        }
        #expect(why == "the redirect to a \(location.prefix { $0 != ":" }): URI is not followed")
    }

    @Test("BAD-INPUT 22: https to http is not followed, and the reason hides secrets") func insecure() {
        var test = Case(locations: ["http://user:pw@a.example/?token=s3cret#key=s3cret"])
        guard case .note(let why) = test.followUp() else {
            Issue.record("followed")
            return
        }
        #expect(
            why == "the redirect from https to http://a.example/?token=[redacted]#key=[redacted] is not followed: "
                + "it would be unprotected")
        test.policy = .follow(max: 20, allowingInsecure: true)
        #expect(test.next != nil)
        test.policy = .follow(max: 20)
        test.request = Request(.get, url: "http://a.example/")
        #expect(test.next != nil)
    }

    @Test(
        "BAD-INPUT 22: a Location that is none is an error of kind redirect",
        arguments: [
            "http://", "https://a.example\\@evil.example/", "https://a.example:0/", "https://[::1%25eth0]/",
            "https://a@b@evil.example/", "https://a.example:99999/", "/a\tb",
        ])
    func invalid(location: String) {
        guard case .fail(let error) = Case(locations: [location]).followUp() else {
            Issue.record("followed")
            return
        }
        #expect(error.kind == .redirect)
        #expect(error.reason.hasPrefix("the redirect's Location is invalid: the URL "))
        #expect(error.response?.statusCode == 302)
    }

    @Test("BAD-INPUT 22: two Locations are an error, the same one twice is not") func twoLocations() {
        guard case .fail(let error) = Case(locations: ["/x", "/y"]).followUp() else {
            Issue.record("followed")
            return
        }
        #expect(error.kind == .redirect)
        #expect(error.reason == "the redirect names 2 different Locations")
        #expect(Case(locations: ["/x", "/x"]).next?.uri?.path == "/x")
        #expect(Case(locations: []).next == nil)
    }

    @Test func `the limit is exact and its error says so`() {
        var test = Case(policy: .follow(max: 3), resends: 2)
        #expect(test.next != nil)
        test.resends = 3
        guard case .fail(let error) = test.followUp() else {
            Issue.record("followed")
            return
        }
        #expect(error.kind == .redirect)
        #expect(error.reason == "more than 3 redirects")
        test.policy = .off
        guard case .proceed = test.followUp() else {
            Issue.record("not left alone")
            return
        }
    }

    private static let credentials: RequestHeaders = [
        .authorization: "Bearer s3cret", .cookie: "a=b", .proxyAuthorization: "Basic s3cret", .host: "a.example",
        .accept: "text/html",
    ]

    @Test(
        "BAD-INPUT 21: another origin gets the request as the caller made it, without credentials",
        arguments: [
            "https://b.example/", "https://www.a.example/", "https://a.example:444/", "http://a.example/",
            "https://example/", "https://a.example.evil.example/",
        ])
    func foreign(location: String) throws {
        var test = Case(locations: [location], policy: .follow(max: 20, allowingInsecure: true))
        test.original = Request(.get, url: "https://a.example/dir/page", headers: Self.credentials)
        test.request.headers = Self.credentials
        test.request.headers[.userAgent] = "added by the client"
        test.request.headers[.from] = "added by an interceptor"
        let next = try #require(test.next)
        #expect(next.isCrossOrigin)
        #expect(next.headers[.accept] == "text/html")
        #expect(next.headers[.userAgent] == "Tsubame/\(Client.version)")
        #expect(next.headers.count == 2)

        test.allowed = [try #require(next.uri?.origin)]
        let allowed = try #require(test.next)
        #expect(!allowed.isCrossOrigin)
        #expect(allowed.headers[.authorization] == "Bearer s3cret")
        #expect(allowed.headers[.from] == "added by an interceptor")
        #expect(!allowed.headers.contains(.host))
    }

    @Test("BAD-INPUT 21: what was dropped stays dropped on the way home") func staysForeign() throws {
        var test = Case(locations: ["https://a.example/home"])
        test.original = Request(.get, url: "https://a.example/", headers: Self.credentials)
        test.request = Request(.get, url: "https://b.example/")
        test.request.isCrossOrigin = true
        let next = try #require(test.next)
        #expect(next.isCrossOrigin)
        #expect(!next.headers.contains(.authorization) && !next.headers.contains(.cookie))
    }

    @Test("BAD-INPUT 21: a body that was lost on the way does not come back at another origin") func lostBody() throws {
        var test = Case(locations: ["https://b.example/"])
        test.original = Request(
            .post, url: "https://a.example/", headers: [.contentType: "text/plain"], body: .text("secret"))
        test.request = Request(.get, url: "https://a.example/second")
        let next = try #require(test.next)
        #expect(next.method == .get)
        #expect(next.body.isEmpty)
        #expect(!next.headers.contains(.contentType))
    }

    @Test func `the same origin keeps everything, the userinfo of its URL too`() throws {
        var test = Case(locations: ["/next"])
        test.request = Request(.get, url: "https://user:pw@a.example/", headers: Self.credentials)
        let next = try #require(test.next)
        #expect(!next.isCrossOrigin)
        #expect(next.headers == Self.credentials.adding(userAgent: Client.version))
        #expect(next.uri?.userinfo == "user:pw")
        test.locations = ["https://b.example/"]
        #expect(test.next?.uri?.userinfo == nil)
    }

    @Test func `RFC 9110 10.1.3: from https to http no Referer tells where it came from`() {
        var test = Case(locations: ["http://a.example/"])
        test.policy = .standard {
            $0.sendsReferer = true
            $0.allowsInsecure = true
        }
        test.request.headers[.referer] = "https://a.example/before"
        #expect(test.next != nil && test.next?.headers[.referer] == nil)
        test.locations = ["/next"]
        #expect(test.next?.headers[.referer] == "https://a.example/dir/page?q=1")
    }
}

extension RequestHeaders {
    fileprivate func adding(userAgent version: String) -> RequestHeaders {
        var copy = self
        copy[.userAgent] = "Tsubame/\(version)"
        return copy
    }
}
