// CacheStatements: RFC 9111 sections 2, 3 and 5.2.2, on storing.

import HTTPTypes
import TsubameCore
import TsubameWire

extension CacheStatement {
    static let storing: [CacheStatement] = [
        .init("3", "a 200 is stored although it says nothing", is: "stored") { CacheScene.stored([]) },
        .init("3", "the answer to a method other than GET is not stored", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], method: .post)
        },
        .init("3", "nor is the answer to HEAD", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], method: .head)
        },
        .init("3", "no-store in the response is obeyed", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60, no-store"])
        },
        .init("3", "no-store in the request is obeyed", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], ["Cache-Control: no-store"])
        },
        .init("3", "a private cache stores what is private", is: "stored") {
            CacheScene.stored(["Cache-Control: private"], status: 302)
        },
        .init("3", "a private cache stores answers to requests with credentials", is: "stored") {
            CacheScene.stored([], ["Authorization: Basic YTpi"])
        },
        .init("3", "a status without a rule of its own is stored only if something says so", is: "not stored") {
            CacheScene.stored([], status: 302)
        },
        .init("3", "max-age says so", is: "stored") { CacheScene.stored(["Cache-Control: max-age=1"], status: 302) },
        .init("3", "Expires says so", is: "stored") { CacheScene.stored(["Expires: 0"], status: 500) },
        .init("3", "public says so", is: "stored") { CacheScene.stored(["Cache-Control: public"], status: 418) },
        .init("3", "s-maxage says nothing to a private cache", is: "not stored") {
            CacheScene.stored(["Cache-Control: s-maxage=60"], status: 302)
        },
        .init("3", "an interim response is not stored", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], status: 103)
        },
        .init("3.4", "a part is not stored", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], status: 206)
        },
        .init("3", "a 304 is not stored by itself", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], status: 304)
        },
        .init("3", "a challenge is not stored", is: "not stored") {
            CacheScene.stored(["Cache-Control: max-age=60"], status: 401)
        },
        .init("3", "what answers credentials for one request only is not stored", is: "not stored") {
            CacheScene.stored([], ["Authorization: Digest username=\"a\""])
        },
        .init("5.2.2.3", "must-understand lets no-store pass where the status is known", is: "stored") {
            CacheScene.stored(["Cache-Control: must-understand, no-store, max-age=60"])
        },
        .init("5.2.2.3", "must-understand forbids what is not known", is: "not stored") {
            CacheScene.stored(["Cache-Control: must-understand, max-age=60"], status: 299)
        },
        .init("3.1", "fields of the connection are not stored", is: "none") {
            CacheScene.updated(["Connection: close, X-Hop", "X-Hop: 1"], by: [], "X-Hop")
        },
        .init("3.1", "others are, whatever Connection names", is: "1") {
            CacheScene.updated(["Connection: close, X-Hop", "X-A: 1"], by: [], "X-A")
        },
        .init("3.1", "nor are those that frame it or offer another protocol", is: "none none") {
            let response = ["Transfer-Encoding: chunked", "Upgrade: h2c"]
            return ["Transfer-Encoding", "Upgrade"].map { CacheScene.updated(response, by: [], $0) }.joined(
                separator: " ")
        },
        .init("3.1", "fields of a proxy's authentication are not stored", is: "none") {
            CacheScene.updated(["Proxy-Authenticate: Basic"], by: [], "Proxy-Authenticate")
        },
        .init("7.3", "a cookie that is set is not set again by what is stored", is: "none") {
            CacheScene.updated(["Set-Cookie: a=b"], by: [], "Set-Cookie")
        },
        .init("3.1", "unknown fields are stored", is: "1") { CacheScene.updated(["X-Any: 1"], by: [], "X-Any") },

        // MARK: The key

        .init("2", "the key is the URI without fragment and userinfo", is: "GET https://example.com/a?b") {
            (try? TargetURI(parsing: "https://user:secret@EXAMPLE.com:443/a?b#c")).map { CacheKey.of($0) } ?? ""
        },
        .init("2", "query and path are part of it as they are", is: "GET http://example.com:81/%61?") {
            (try? TargetURI(parsing: "http://example.com:81/%61?")).map { CacheKey.of($0) } ?? ""
        },

        // MARK: Reading Cache-Control

        .init("5.2", "names of directives are of any case", is: "60") {
            "\(CacheScene.directives("MAX-age=60").maxAge ?? -1)"
        },
        .init("5.2", "several fields are one", is: "60 true") {
            let control = CacheScene.directives("max-age=60", "no-store")
            return "\(control.maxAge ?? -1) \(control.noStore)"
        },
        .init("5.2", "arguments may be quoted", is: "60") { "\(CacheScene.directives("max-age=\"60\"").maxAge ?? -1)" },
        .init("5.2", "a directive in quotes is none", is: "1 false") {
            let control = CacheScene.directives("a=\"max-age=60, no-store\", max-age=1")
            return "\(control.maxAge ?? -1) \(control.noStore)"
        },
        .init("5.2.3", "an unknown directive is passed over", is: "60") {
            "\(CacheScene.directives("community=\"UCI\", pre-check=1, max-age=60").maxAge ?? -1)"
        },
        .init("5.2", "a quote that is never closed hides nothing that forbids", is: "true") {
            "\(CacheScene.directives("a=\"b, no-store").noStore)"
        },
        .init("5.2", "an argument that makes no sense hides nothing that forbids", is: "true") {
            "\(CacheScene.directives("no-store=@{}").noStore)"
        },
        .init("5.2", "empty elements are passed over", is: "60") {
            "\(CacheScene.directives(",, max-age=60 ,").maxAge ?? -1)"
        },
        .init("1.2.2", "a number that does not fit is the largest", is: "2147483648") {
            "\(CacheScene.directives("max-age=99999999999999999999999").maxAge ?? -1)"
        },
        .init("5.2.2.4", "no-cache may name fields", is: "fields([\"set-cookie\", \"x-a\"])") {
            "\(CacheScene.directives("no-cache=\"Set-Cookie, X-A\"").noCache)"
        },
        .init("5.2.2.4", "the fields of several are named together", is: "fields([\"a\", \"b\"])") {
            "\(CacheScene.directives("no-cache=\"a\", no-cache=\"b\"").noCache)"
        },
        .init("5.2.2.4", "no-cache without names is about everything", is: "everything") {
            "\(CacheScene.directives("no-cache=\"a\", no-cache").noCache)"
        },
    ]
}
