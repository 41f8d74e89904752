// FuzzTarget+Fields: values of fields. A value keeps the rules of its type, and reads back after it is written.

import HTTPTypes
import TsubameCore
import TsubameWire

extension FuzzTarget {
    private static func field(
        _ name: String, upTo maximumBytes: Int = 512, _ check: @escaping @Sendable (String) throws -> Void
    ) -> FuzzTarget {
        FuzzTarget(name, upTo: maximumBytes) { try check(String(decoding: $0, as: UTF8.self)) }
    }

    private static let now: Int64 = 1_790_000_000

    static let fields = [
        field("set-cookie") { text in
            var store = CookieStore()
            do throws(CookieRefusal) {
                try store.store(text, host: "www.shop.example", path: "/a/b", isSecure: true, now: now)
            } catch {
                return
            }
            try require(store.cookies.count <= 1, "one field stored \(store.cookies.count) cookies")
            for cookie in store.cookies {
                let size = cookie.name.utf8.count + cookie.value.utf8.count
                try require(size <= SetCookie.maximumNameAndValue, "a cookie of \(size) bytes was stored")
                try require(
                    !cookie.name.holdsControlCharacter && !cookie.value.holdsControlCharacter,
                    "a cookie holds a control character")
                try require(
                    cookie.domain == "www.shop.example" || cookie.domain == "shop.example",
                    "a cookie was set for \(cookie.domain)")
                try require((cookie.expires ?? 0) <= now + CookieStore.maximumLifetime, "a cookie lives too long")
            }
            if let sent = store.field(for: "www.shop.example", path: "/a/b", isSecure: true, now: now) {
                // Other line ends of Unicode, such as U+0085, are bytes like others to HTTP.
                try require(!sent.text.holdsControlCharacter, "the Cookie field holds a control character")
            }
        },
        field("cache-control") { text in
            let control = CacheControl([text])
            for seconds in [control.maxAge, control.minFresh, control.staleIfError, control.staleWhileRevalidate] {
                if let seconds { try require((0...CacheControl.longest).contains(seconds), "\(seconds) seconds") }
            }
            let split = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            _ = CacheControl(split)
        },
        field("challenge", upTo: 2_048) { text in
            let (challenges, _) = Challenge.parse([text])
            guard let digest = DigestChallenge.strongest(of: challenges).challenge else { return }
            var session = DigestSession(digest, clientNonce: "abcd")
            let message = DigestSession.Message(method: "GET", target: "/a?b", body: Bytes())
            let user = DigestSession.User(name: "Jo\"hn\\", password: "p:ä")
            guard let answer = session.authorization(for: message, by: user) else { return }
            try require(!answer.holdsControlCharacter, "the answer holds a control character")
            try require(
                Challenge.parse([answer]).challenges.count == 1, "the answer is not one challenge: \(answer)")
            _ = session.isProven(answer, by: user, Challenge.parameters(of: text) ?? [], body: Bytes())
        },
        field("content-disposition") { text in
            guard let name = ContentDisposition(text)?.filename else { return }
            guard let safe = FileName.safe(name) else { return }
            try require(!safe.isEmpty && safe != "." && safe != "..", "\(safe) is no file name")
            try require(!safe.utf8.contains { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 }, "\(safe) leaves its folder")
            try require(safe.utf8.count <= 255, "a file name of \(safe.utf8.count) bytes")
        },
        field("structured-field") { text in
            _ = StructuredField.boolean(text)
            if let number = StructuredField.integer(text) {
                try require(abs(number) <= 999_999_999_999_999, "\(number) has more than 15 digits")
            }
            _ = StructuredField.dictionary(text)
        },
        field("media-type") { text in
            guard let type = MediaType(text) else { return }
            let token = { (text: String) in !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
            try require(token(type.type) && token(type.subtype), "\(type.essence) is no media type")
            _ = type.charset
        },
        field("date", upTo: 64) { text in
            if let seconds = HTTPDate.parse(text), (0..<253_402_300_800).contains(seconds) {
                try requireEqual(HTTPDate.parse(HTTPDate.format(seconds)), seconds, "the date changed")
            }
            if let seconds = CookieDate.parse(text) {
                try require((-11_644_473_600...253_402_300_799).contains(seconds), "\(seconds) is out of range")
            }
            if let seconds = RetryAfter.seconds(text, date: text, now: now) {
                try require(seconds >= 0, "wait for \(seconds) seconds")
            }
        },
        field("links", upTo: 1_024) { text in
            _ = LinkField.target(of: "next", in: [text])
            _ = AlternativeService.parse(text)
            _ = RepresentationDigest.sha256(text)
            _ = ContentRange(text)
            if let transport = StrictTransport(text) { try require(transport.maxAge >= 0, "a negative max-age") }
        },
        // Lines of a head of a stored response, then what a cache would do with it.
        field("stored-head", upTo: 1_024) { text in
            guard
                let head = StoredHead(
                    status: 200, fieldText: text, selectingText: "", requestTime: Double(now - 10),
                    responseTime: Double(now))
            else { return }
            try requireEqual(
                head,
                StoredHead(
                    status: 200, fieldText: head.fieldText, selectingText: head.selectingText,
                    requestTime: head.requestTime, responseTime: head.responseTime), "the head changed in the file")
            let terms = StoredTerms(head)
            try require(!terms.freshness.lifetime.isNaN && !terms.freshness.initialAge.isNaN, "no number")
            try require(terms.freshness.age(at: Double(now)) >= 0, "a negative age")
            _ = Freshness.whole(terms.freshness.timeToLive(at: Double(now)))
        },
    ]
}
