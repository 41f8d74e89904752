// CacheStatements: RFC 9111 sections 3.4, 4.3 and 4.4, on validation, updates, parts and invalidation.

import HTTPTypes
import TsubameCore
import TsubameWire

extension CacheStatement {
    private static let modified = "Last-Modified: Sun, 09 Sep 2001 01:40:00 GMT"
    private static let since = "If-Modified-Since: Sun, 09 Sep 2001 01:40:00 GMT"

    static let validation: [CacheStatement] = [
        .init("4.3.1", "a strong validator is sent back", is: "If-None-Match: \"a\"") {
            CacheScene.condition(["ETag: \"a\""])
        },
        .init("4.3.1", "so is a weak one", is: "If-None-Match: W/\"a\"") { CacheScene.condition(["ETag: W/\"a\""]) },
        .init("4.3.1", "Last-Modified is sent back as it came", is: since) { CacheScene.condition([modified]) },
        .init("4.3.1", "both are", is: "If-None-Match: \"a\", " + since) {
            CacheScene.condition(["ETag: \"a\"", modified])
        },
        .init("4.3.1", "an entity tag may be empty", is: "If-None-Match: \"\"") {
            CacheScene.condition(["ETag: \"\""])
        },
        .init("4.3.1", "an entity tag without quotes is none", is: "") { CacheScene.condition(["ETag: a"]) },

        // MARK: The caller's own conditions

        .init("4.3.2", "the caller who has what is stored gets a 304", is: "304") {
            CacheScene.met(["If-None-Match: \"a\""], by: ["ETag: \"a\""])
        },
        .init("4.3.2", "tags are compared weakly", is: "304") {
            CacheScene.met(["If-None-Match: \"b\", W/\"a\""], by: ["ETag: \"a\""])
        },
        .init("4.3.2", "who has something else gets all of it", is: "200") {
            CacheScene.met(["If-None-Match: \"b\""], by: ["ETag: \"a\""])
        },
        .init("4.3.2", "an asterisk is met by anything", is: "304") { CacheScene.met(["If-None-Match: *"], by: []) },
        .init("4.3.2", "a date is met by what has not changed since", is: "304") {
            CacheScene.met([since], by: [modified])
        },
        .init("4.3.2", "and not by what has", is: "200") {
            CacheScene.met(["If-Modified-Since: Sun, 09 Sep 2001 01:39:59 GMT"], by: [modified])
        },
        .init("4.3.2", "without Last-Modified the Date counts", is: "200") { CacheScene.met([since], by: []) },
        .init("4.3.2", "a response without any date has changed for all one knows", is: "200") {
            CacheScene.met([since], by: [], dated: false)
        },
        .init("4.3.2", "a tag comes before a date", is: "200") {
            CacheScene.met(["If-None-Match: \"b\"", since], by: ["ETag: \"a\"", modified])
        },
        .init("4.3.2", "a date that is none is for the origin", is: "origin") {
            CacheScene.met(["If-Modified-Since: soon"], by: [modified])
        },
        .init("4.3.2", "If-Match is for the origin", is: "origin") {
            CacheScene.met(["If-Match: \"a\""], by: ["ETag: \"a\""])
        },
        .init("4.3.2", "so is If-Unmodified-Since", is: "forward, bypass") {
            CacheScene.decided(
                ["Cache-Control: max-age=60"], ["If-Unmodified-Since: Sun, 09 Sep 2001 01:40:00 GMT"])
        },
        .init("4.3.2", "where what is stored is stale the caller's condition goes as it is", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=5", "ETag: \"a\""], ["If-None-Match: \"b\""])
        },

        // MARK: 304

        .init("4.3.4", "a 304 with the same strong tag is about what is stored", is: "yes") {
            CacheScene.meant(["ETag: \"a\""], by: ["ETag: \"a\""])
        },
        .init("4.3.4", "one with another is not", is: "no") {
            CacheScene.meant(["ETag: \"a\""], by: ["ETag: \"b\""])
        },
        .init("4.3.4", "one with a strong tag is not about what has a weak one", is: "no") {
            CacheScene.meant(["ETag: W/\"a\""], by: ["ETag: \"a\""])
        },
        .init("4.3.4", "a weak tag is compared weakly", is: "yes") {
            CacheScene.meant(["ETag: \"a\""], by: ["ETag: W/\"a\""])
        },
        .init("4.3.4", "Last-Modified counts where there is no tag", is: "no") {
            CacheScene.meant([modified], by: ["Last-Modified: Sun, 09 Sep 2001 01:40:01 GMT"])
        },
        .init("4.3.4", "one without validators is about what was asked for", is: "yes") {
            CacheScene.meant(["ETag: \"a\"", modified], by: [])
        },
        .init("4.3.4", "its fields take the place of the stored ones", is: "max-age=9") {
            CacheScene.updated(["Cache-Control: max-age=60"], by: ["Cache-Control: max-age=9"], "Cache-Control")
        },
        .init("3.2", "all of them", is: "b, c") {
            CacheScene.updated(["X-A: a", "X-A: z"], by: ["X-A: b", "X-A: c"], "X-A")
        },
        .init("3.2", "fields that it does not have stay", is: "1") { CacheScene.updated(["X-A: 1"], by: [], "X-A") },
        .init("3.2", "fields that it has are added", is: "1") { CacheScene.updated([], by: ["X-A: 1"], "X-A") },
        .init("3.2", "Content-Length stays", is: "5") {
            CacheScene.updated(["Content-Length: 5"], by: ["Content-Length: 0"], "Content-Length")
        },
        .init("3.2", "so does Content-Encoding, which is how the body is stored", is: "gzip") {
            CacheScene.updated(["Content-Encoding: gzip"], by: ["Content-Encoding: br"], "Content-Encoding")
        },
        .init("3.2", "Content-Range is not added", is: "none") {
            CacheScene.updated([], by: ["Content-Range: bytes 0-1/2"], "Content-Range")
        },
        .init("3.2", "nor are fields of its connection", is: "1") {
            CacheScene.updated(["X-Hop: 1"], by: ["Connection: X-Hop", "X-Hop: 2"], "X-Hop")
        },
        .init("4.2.3", "the Age of before does not count any more", is: "none") {
            CacheScene.updated(["Age: 500"], by: [], "Age")
        },
        .init("4.3.3", "what has been validated is fresh again", is: "0") {
            let changed = CacheScene.head(["Cache-Control: max-age=60", "Age: 50"]).updated(
                by: CacheScene.fields(["Date: \(CacheScene.time(1_000))"]), requestTime: CacheScene.start + 1_000,
                responseTime: CacheScene.start + 1_000)
            return "\(Freshness.whole(StoredTerms(changed).freshness.age(at: CacheScene.start + 1_000)))"
        },

        // MARK: HEAD

        .init("4.3.5", "the answer to HEAD with the same validators and length is about what is stored", is: "yes") {
            CacheScene.described(["ETag: \"a\"", "Content-Length: 5"], by: ["ETag: \"a\"", "Content-Length: 5"])
        },
        .init("4.3.5", "one with another length is not", is: "no") {
            CacheScene.described(["ETag: \"a\"", "Content-Length: 5"], by: ["ETag: \"a\"", "Content-Length: 6"])
        },
        .init("4.3.5", "nor is one with another tag", is: "no") {
            CacheScene.described(["ETag: \"a\""], by: ["ETag: \"b\""])
        },
        .init("4.3.5", "nor one without the tag", is: "no") { CacheScene.described(["ETag: \"a\""], by: []) },
        .init("4.3.5", "nor one of another status", is: "no") {
            CacheScene.described(["ETag: \"a\""], by: ["ETag: \"a\""], status: 404)
        },

        // MARK: Parts

        .init("3.4", "a part is taken out of the whole", is: "0-9") { CacheScene.range("bytes=0-9") },
        .init("3.4", "to its end", is: "90-99") { CacheScene.range("bytes=90-") },
        .init("3.4", "from its end", is: "95-99") { CacheScene.range("bytes=-5") },
        .init("3.4", "more than there is is all there is", is: "0-99") { CacheScene.range("bytes=-500") },
        .init("3.4", "a part that ends behind the end ends there", is: "50-99") { CacheScene.range("bytes=50-5000") },
        .init("3.4", "one that begins there is none", is: "416") { CacheScene.range("bytes=100-") },
        .init("3.4", "of nothing there is no part", is: "416") { CacheScene.range("bytes=0-", nil, of: [], 0) },
        .init("3.4", "several parts are for the origin", is: "origin") { CacheScene.range("bytes=0-1,3-4") },
        .init("3.4", "so is another unit", is: "origin") { CacheScene.range("lines=0-1") },
        .init("3.4", "so is what makes no sense", is: "origin") { CacheScene.range("bytes=9-0") },
        .init("3.4", "a number that does not fit is behind the end", is: "416") {
            CacheScene.range("bytes=99999999999999999999-")
        },
        .init("3.4", "If-Range with the tag gets the part", is: "0-9") {
            CacheScene.range("bytes=0-9", "\"a\"", of: ["ETag: \"a\""])
        },
        .init("3.4", "with another the whole", is: "whole") {
            CacheScene.range("bytes=0-9", "\"b\"", of: ["ETag: \"a\""])
        },
        .init("3.4", "a weak tag is not enough", is: "whole") {
            CacheScene.range("bytes=0-9", "W/\"a\"", of: ["ETag: W/\"a\""])
        },
        .init("3.4", "If-Range with the very date gets the part", is: "0-9") {
            CacheScene.range("bytes=0-9", "Sun, 09 Sep 2001 01:40:00 GMT", of: [modified])
        },
        .init("3.4", "not with one of the same second as the Date", is: "whole") {
            CacheScene.range("bytes=0-9", CacheScene.time(0), of: ["Last-Modified: " + CacheScene.time(0)])
        },

        // MARK: Invalidation

        .init("4.4", "an unsafe request makes its URI be forgotten", is: "GET https://example.com/a/b?c") {
            CacheScene.forgotten(204, [])
        },
        .init("4.4", "also if it redirects", is: "GET https://example.com/a/b?c") { CacheScene.forgotten(303, []) },
        .init("4.4", "not if it fails", is: "") { CacheScene.forgotten(404, ["Location: /d"]) },
        .init(
            "4.4", "so is what Location and Content-Location name",
            is: "GET https://example.com/a/b?c GET https://example.com/d GET https://example.com/a/e"
        ) { CacheScene.forgotten(201, ["Location: /d#f", "Content-Location: e"]) },
        .init("4.4", "but not at another origin", is: "GET https://example.com/a/b?c") {
            CacheScene.forgotten(201, ["Location: http://example.com/d", "Content-Location: https://b.example/"])
        },
        .init("4.4", "what cannot be read names nothing", is: "GET https://example.com/a/b?c") {
            CacheScene.forgotten(201, ["Location: https://[x", "Content-Location: mailto:a"])
        },
    ]
}
