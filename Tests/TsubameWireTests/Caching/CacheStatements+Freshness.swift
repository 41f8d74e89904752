// CacheStatements: RFC 9111 sections 4.2 and 5, on freshness and age.

import HTTPTypes
import TsubameCore
import TsubameWire

extension CacheStatement {
    static let freshness: [CacheStatement] = [
        .init("4.2", "what is fresh is used without asking", is: "reuse") {
            CacheScene.decided(["Cache-Control: max-age=60"], after: 59)
        },
        .init("4.2", "what is as old as its lifetime is stale", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=60"], after: 60)
        },
        .init("4.2.1", "max-age is the lifetime", is: "60") { CacheScene.lifetime(["Cache-Control: max-age=60"]) },
        .init("4.2.1", "s-maxage is for shared caches", is: "60") {
            CacheScene.lifetime(["Cache-Control: s-maxage=5, max-age=60"])
        },
        .init("4.2.1", "max-age comes before Expires", is: "60") {
            CacheScene.lifetime(["Cache-Control: max-age=60", "Expires: \(CacheScene.time(5))"])
        },
        .init("4.2.1", "Expires minus Date is the lifetime", is: "90") {
            CacheScene.lifetime(["Expires: \(CacheScene.time(90))"])
        },
        .init("4.2.1", "several max-age that differ make a response stale", is: "0") {
            CacheScene.lifetime(["Cache-Control: max-age=60, max-age=70"])
        },
        .init("4.2.1", "several that are the same are one", is: "60") {
            CacheScene.lifetime(["Cache-Control: max-age=60", "Cache-Control: max-age=60"])
        },
        .init("4.2.1", "a max-age that is no number makes a response stale", is: "0") {
            CacheScene.lifetime(["Cache-Control: max-age=6x0", "Expires: \(CacheScene.time(90))"])
        },
        .init("4.2.1", "so does a negative one", is: "0") { CacheScene.lifetime(["Cache-Control: max-age=-1"]) },
        .init("4.2.1", "so does one without a number", is: "0") { CacheScene.lifetime(["Cache-Control: max-age"]) },
        .init("4.2.1", "so does a fraction", is: "0") { CacheScene.lifetime(["Cache-Control: max-age=60.5"]) },
        .init("5.3", "an Expires that is no date is in the past", is: "0") { CacheScene.lifetime(["Expires: 0"]) },
        .init("5.3", "an Expires in the past is no lifetime", is: "0") {
            CacheScene.lifetime(["Expires: \(CacheScene.time(-90))"])
        },
        .init("5.3", "without a Date, Expires counts from when the response came", is: "reuse") {
            CacheScene.decided(["Expires: \(CacheScene.time(90))"], after: 89, dated: false)
        },
        .init("4.2.2", "a tenth of the time since Last-Modified is guessed", is: "100 by guess") {
            CacheScene.lifetime(["Last-Modified: \(CacheScene.time(-1_000))"])
        },
        .init("4.2.2", "no guess is made where something is said", is: "5") {
            CacheScene.lifetime(["Last-Modified: \(CacheScene.time(-1_000))", "Cache-Control: max-age=5"])
        },
        .init("4.2.2", "nor for a status that does not allow it", is: "0") {
            CacheScene.lifetime(["Last-Modified: \(CacheScene.time(-1_000))"], status: 302)
        },
        .init("4.2.2", "unless it is public", is: "100 by guess") {
            CacheScene.lifetime(["Last-Modified: \(CacheScene.time(-1_000))", "Cache-Control: public"], status: 302)
        },
        .init("4.2.2", "a Last-Modified in the future is no lifetime", is: "0 by guess") {
            CacheScene.lifetime(["Last-Modified: \(CacheScene.time(1_000))"])
        },
        .init("4.2.2", "without Last-Modified nothing is guessed", is: "0") { CacheScene.lifetime(["ETag: \"a\""]) },

        // MARK: Age

        .init("4.2.3", "age grows with the time since the response came", is: "25") { CacheScene.age([], after: 25) },
        .init("4.2.3", "the Age of caches on the way counts", is: "35") { CacheScene.age(["Age: 10"], after: 25) },
        .init("4.2.3", "the time that the answer took is added to it", is: "14") {
            CacheScene.age(["Age: 10"], delay: 4)
        },
        .init("4.2.3", "a Date in the past counts if that is more", is: "100") {
            CacheScene.age(["Date: \(CacheScene.time(-100))", "Age: 10"], delay: 4, dated: false)
        },
        .init("4.2.3", "a Date in the future makes nothing younger", is: "0") {
            CacheScene.age(["Date: \(CacheScene.time(100))"], dated: false)
        },
        .init("4.2.3", "a clock that is set back makes nothing younger", is: "10") {
            CacheScene.age(["Age: 10"], after: -5_000)
        },
        .init("4.2.3", "without a Date the response is as old as its Age", is: "7") {
            CacheScene.age(["Age: 7"], dated: false)
        },
        .init("5.1", "of several Ages the first counts", is: "10") { CacheScene.age(["Age: 10", "Age: 20"]) },
        .init("5.1", "also if it is empty", is: "0") { CacheScene.age(["Age: , 20"]) },
        .init("5.1", "also in one field", is: "10") { CacheScene.age(["Age: 10, 20"]) },
        .init("5.1", "an Age that is no number is passed over", is: "0") { CacheScene.age(["Age: old"]) },
        .init("5.1", "so is a negative one", is: "0") { CacheScene.age(["Age: -10"]) },
        .init("5.1", "one that does not fit is the largest", is: "forward, stale") {
            CacheScene.decided(["Age: 99999999999999999999", "Cache-Control: max-age=99999999999999999999"])
        },
        .init("4.2.3", "an Age above max-age makes stale what has just come", is: "forward, stale") {
            CacheScene.decided(["Age: 61", "Cache-Control: max-age=60"], after: 0)
        },

        // MARK: Answers

        .init("4", "what is used without asking has an Age", is: "10") { CacheScene.answer([], "Age") },
        .init("5.1", "which takes the place of the one that came", is: "15") { CacheScene.answer(["Age: 5"], "Age") },
        .init("5.2.2.4", "fields that no-cache names are left out of it", is: "") {
            CacheScene.answer(["X-A: 1", "Cache-Control: max-age=60, no-cache=\"x-a\""], "X-A")
        },
        .init("5.2.2.4", "and are there once the origin has been asked", is: "1") {
            CacheScene.answer(["X-A: 1", "Cache-Control: max-age=60, no-cache=\"x-a\""], isValidated: true, "X-A")
        },
        .init("RFC 9211 2", "this cache is the last in the list of caches", is: "CDN; hit + tsubame; hit") {
            CacheScene.answer(["Cache-Status: CDN; hit"], "Cache-Status")
        },
    ]
}
