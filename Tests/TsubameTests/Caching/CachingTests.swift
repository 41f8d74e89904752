// CachingTests: a client with a cache, over real sockets: reuse, validation and removal of stored responses.

import Dispatch
import HTTPTypes
import Testing
@testable import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CachingTests {
    private static let minute: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]

    /// The response holds the number of the request and these fields; a matching conditional request gets 304.
    private static func counting(_ fields: HTTPFields) -> @Sendable (ReceivedRequest) -> Reply {
        { request in
            if request["if-none-match"] == fields[.eTag], fields[.eTag] != nil {
                return .status(.notModified, headers: fields)
            }
            return .ok("\(request.index)", headers: fields)
        }
    }

    // MARK: Fresh

    @Test(arguments: CachePlace.allCases)
    func `RFC 9111 4: what is fresh is used again, however it is waited for`(_ place: CachePlace) async throws {
        try await cached(in: place, Self.counting(Self.minute)) { cached in
            #expect(!cached.client.chain.hasUserInterceptors)
            let first = try await cached.get("a")
            #expect(first == ("0", "tsubame; fwd=uri-miss; stored"))
            cached.clock.pass(20)
            let request = Request(.get, "a")
            let client = cached.client
            var texts = [try await client.send(request).text()]
            texts.append(try await client.stream(request) { try await $0.text() })
            texts.append(try await onThread { try client.blocking.send(request).text() })
            let result = await withCheckedContinuation { continuation in
                client.start(request) { continuation.resume(returning: $0) }
            }
            texts.append(try await result.get().text())
            #expect(texts == ["0", "0", "0", "0"])
            let response = try await cached.send("a")
            #expect(response.cacheStatus == "tsubame; hit; ttl=40")
            #expect(response.headers[.age] == "20")
            #expect(response.statusCode == 200 && response.request.uri?.path == "/a" && response.history.isEmpty)
            #expect(cached.asked == ["/a"])
            #expect(cached.events.cachings.contains("the stored response is fresh for 40 s"))
        }
    }

    @Test func `it is off by default, and then nothing is added to a response or a chain`() async throws {
        let server = try await ScriptedServer.start(Self.counting(Self.minute))
        try await serving(server) { server, client in
            #expect(client.cache == nil && !client.chain.description.contains("Cache ("))
            for number in 0..<2 {
                let response = try await client.get("a")
                #expect(response.bytes == Bytes("\(number)") && response.cacheStatus == nil)
            }
        }
        #expect("\(ResponseCachePolicy.off)" == "off")
    }

    @Test func `views of a client share its cache, and one can do without`() async throws {
        try await cached(Self.counting(Self.minute)) { cached in
            let (view, without) = (cached.client.with { $0.retry = .off }, cached.client.with { $0.cache = .off })
            var texts: [String] = []
            for client in [cached.client, view, without] { texts.append(try await client.get("a").text()) }
            #expect(texts == ["0", "0", "1"])
            #expect(cached.client.cache === cached.cache && view.cache === cached.cache)
        }
    }

    @Test func `what is kept can be forgotten, and what keeps it shows nothing of it`() async throws {
        try await cached(Self.counting(Self.minute)) { cached in
            _ = try await cached.get("secret-a?token=s3cret")
            _ = try await cached.get("b")
            let (count, text) = (cached.cache.byteCount, "\(cached.cache) \(cached.client.configuration)")
            #expect(count > 0 && text.contains("cache of \(count) bytes in memory") && !text.contains("secret-a"))
            try cached.cache.remove("\(cached.server.url)/secret-a?token=s3cret#x")
            #expect(cached.cache.byteCount < count)
            let again = [try await cached.get("b").text, try await cached.get("secret-a?token=s3cret").text]
            #expect(again == ["1", "2"])
            cached.cache.removeAll()
            #expect(cached.cache.byteCount == 0)
            #expect(throws: CallError.self) { try cached.cache.remove("no url") }
        }
    }

    @Test(
        arguments: [
            [.cacheControl: "no-store, max-age=60"], [.cacheControl: "max-age=60", .vary: "*"], [.vary: "Accept, *"],
            [.cacheControl: "max-age=60, private=\"x\", no-store=x"],
        ] as [HTTPFields])
    func `BAD-INPUT 43: what must not be stored is not`(_ fields: HTTPFields) async throws {
        try await cached(Self.counting(fields)) { cached in
            for number in 0..<2 {
                let answer = try await cached.get("a") { $0.cachePolicy = .preferStored }
                #expect(answer == ("\(number)", "tsubame; fwd=uri-miss"))
            }
            #expect(cached.cache.byteCount == 0)
            #expect(cached.events.cachings.contains { $0.hasPrefix("the answer is not stored: ") })
        }
    }

    @Test func `a redirect is stored like any other response`() async throws {
        try await cached { request in
            request.path == "/old"
                ? .status(.movedPermanently, "moved", headers: [.location: "/new", .cacheControl: "max-age=60"])
                : .ok("new", headers: [.cacheControl: "max-age=60"])
        } _: { cached in
            for _ in 0..<3 {
                let answer = try await cached.get("old")
                #expect(answer.text == "new")
            }
            #expect(cached.asked == ["/old", "/new"])
        }
    }

    // MARK: Owners

    @Test func `RFC 9111 3.5: what was for one user is for no other`() async throws {
        try await cached { request in
            .ok(
                request["authorization"] ?? request["x-api-key"] ?? request["x-authuser"] ?? "nobody",
                headers: Self.minute)
        } _: { cached in
            let ann = cached.client.with { $0.authentication = .bearer("ann") }
            let bob = cached.client.with { $0.authentication = .bearer("bob") }
            let key: RequestHeaders = ["X-Api-Key": "k"]
            // The name as it is written shows that it holds a secret.
            let cleo: RequestHeaders = ["X-AuthUser": "cleo"]
            for _ in 0..<2 {
                let texts = [
                    try await ann.get("a").text(), try await bob.get("a").text(),
                    try await cached.client.get("a").text(), try await cached.client.get("a", headers: key).text(),
                    try await cached.client.get("a", headers: cleo).text(),
                ]
                #expect(texts == ["Bearer ann", "Bearer bob", "nobody", "k", "cleo"])
            }
            #expect(cached.asked.count == 5)
        }
    }

    @Test func `BAD-INPUT 19: a Host that is set by hand changes no key, and gets nobody else's answer`() async throws {
        try await cached {
            .ok($0["host"] ?? "", headers: Self.minute)
        } _: { cached in
            let own = try await cached.get("a").text
            for _ in 0..<2 {
                let answer = try await cached.get("a") { $0.headers[.host] = "other.example" }
                #expect(answer.text == "other.example")
            }
            let again = try await cached.get("a").text
            #expect(own == again && cached.asked.count == 2)
        }
    }

    @Test func `RFC 9111 4.1: Vary chooses among several, and content codings always do`() async throws {
        let gzip = Coded.gzip("packed")
        try await cached { request in
            if request.path == "/coded" {
                return request["accept-encoding"]?.hasPrefix("gzip, deflate") == true
                    ? .ok(gzip, headers: [.contentEncoding: "gzip", .cacheControl: "max-age=60"])
                    : .ok("plain", headers: [.cacheControl: "max-age=60", .vary: "Accept-Encoding"])
            }
            return .ok(
                request["accept-language"] ?? "none", headers: [.vary: "Accept-Language", .cacheControl: "max-age=60"])
        } _: { cached in
            for _ in 0..<2 {
                for language in ["de", "ja"] {
                    let answer = try await cached.get("a") { $0.headers[.acceptLanguage] = language }
                    #expect(answer.text == language)
                }
            }
            let other = try await cached.get("a") { $0.headers[.acceptLanguage] = "fr" }
            #expect(other == ("fr", "tsubame; fwd=vary-miss; stored"))
            #expect(cached.asked.count == 3)
            for _ in 0..<2 {
                let response = try await cached.send("coded")
                let text = try await response.text()
                #expect(text == "packed" && response.headers[.contentEncoding] == nil)
                #expect(response.wire[.contentEncoding] == "gzip")
                let plain = try await cached.get("coded") { $0.headers[.acceptEncoding] = "identity" }
                #expect(plain.text == "plain")
            }
            #expect(cached.asked.count == 5)
        }
    }

    @Test func `a cookie is set once: what is stored sets none`() async throws {
        try await cached { _ in
            .ok("x", headers: [.cacheControl: "max-age=60", .setCookie: "a=b"])
        } _: { cached in
            let client = cached.client.with { $0.cookies = .memory }
            _ = try await client.get("a").accepted()
            let jar = try #require(client.cookieJar)
            // `clear()` would give the jar another identity.
            try jar.set("a=; Max-Age=0", from: cached.server.url)
            let response = try await client.get("a")
            #expect(response.cacheStatus?.hasPrefix("tsubame; hit") == true)
            #expect(response.headers[.setCookie] == nil && jar.cookies.isEmpty)
        }
    }

    // MARK: Validation

    @Test(arguments: CachePlace.allCases)
    func `RFC 9111 4.3: what is stale is asked for, and a 304 makes it fresh again`(_ place: CachePlace) async throws {
        try await cached(in: place, Self.counting(Self.minute)) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(61)
            let response = try await cached.send("a")
            #expect(response.bytes == Bytes("0") && response.statusCode == 200)
            #expect(response.cacheStatus == "tsubame; fwd=stale; fwd-status=304; ttl=60")
            #expect(response.connection != nil)
            #expect(try await cached.server.request(1)["if-none-match"] == "\"1\"")
            cached.clock.pass(59)
            let third = try await cached.get("a")
            #expect(third == ("0", "tsubame; hit; ttl=1"))
            #expect(cached.asked.count == 2)
        }
    }

    @Test(arguments: CachePlace.allCases, [[HTTPField.Name.cacheControl: "no-store"], [.vary: "*"]])
    func `RFC 9111 5.2.2.5, 4.1: a 304 that forbids to keep the response removes it`(
        _ place: CachePlace, _ forbidding: [HTTPField.Name: String]
    ) async throws {
        try await cached(in: place) { request in
            guard request["if-none-match"] != nil else {
                return .ok(
                    "\(request.index)",
                    headers: [
                        .cacheControl: "max-age=60", .eTag: "\"1\"", .lastModified: "Sat, 01 Jan 2000 00:00:00 GMT",
                    ])
            }
            var fields: HTTPFields = [.eTag: "\"1\"", .cacheControl: "max-age=60"]
            for (name, value) in forbidding { fields[name] = value }
            return .status(.notModified, headers: fields)
        } _: { cached in
            _ = try await cached.get("a")
            cached.clock.pass(61)
            let second = try await cached.get("a")
            #expect(second.text == "0" && second.status.hasPrefix("tsubame; fwd=stale; fwd-status=304"))
            // It has answered the request that confirmed it, and no other one.
            let third = try await cached.get("a")
            #expect(third == ("2", "tsubame; fwd=uri-miss; stored"))
        }
    }

    @Test(arguments: CachePlace.allCases, [[HTTPField.Name.cacheControl: "no-store"], [.vary: "*"]])
    func `RFC 9111 4.3.3: a new response that must not be stored removes the old one`(
        _ place: CachePlace, _ forbidding: [HTTPField.Name: String]
    ) async throws {
        try await cached(in: place) { request in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if request.index == 1 { for (name, value) in forbidding { fields[name] = value } }
            return .ok("\(request.index)", headers: fields)
        } _: { cached in
            _ = try await cached.get("a")
            let second = try await cached.get("a") { $0.cachePolicy = .reload }
            #expect(second.text == "1")
            let third = try await cached.get("a")
            #expect(third == ("2", "tsubame; fwd=uri-miss; stored"))
        }
    }

    @Test func `RFC 9111 5.2.1.5: a request that says no-store leaves the stored response as it was`() async throws {
        try await cached(Self.counting(Self.minute)) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(61)
            let second = try await cached.get("a") { $0.headers[.cacheControl] = "no-store" }
            #expect(second == ("0", "tsubame; fwd=stale; fwd-status=304; ttl=60"))
            let third = try await cached.get("a")
            #expect(third.status.hasPrefix("tsubame; fwd=stale"), "\(third)")
        }
    }

    @Test func `RFC 9111 4.3.3: a new response takes the place of the old one`() async throws {
        try await cached { request in
            .ok("\(request.index)", headers: [.cacheControl: "max-age=60", .eTag: "\"\(request.index)\""])
        } _: { cached in
            _ = try await cached.get("a")
            cached.clock.pass(61)
            let second = try await cached.get("a")
            #expect(second == ("1", "tsubame; fwd=stale; stored"))
            let third = try await cached.get("a")
            #expect(third.text == "1" && cached.asked.count == 2)
        }
    }

    @Test func `RFC 9111 4.3.4: a 304 about something else is no answer, and the whole is asked for`() async throws {
        try await cached { request in
            request["if-none-match"] == nil
                ? .ok("\(request.index)", headers: Self.minute) : .status(.notModified, headers: [.eTag: "\"other\""])
        } _: { cached in
            _ = try await cached.get("a")
            cached.clock.pass(61)
            let second = try await cached.get("a")
            #expect(second == ("2", "tsubame; fwd=stale; stored"))
        }
    }

    @Test func `RFC 9111 4.3.2: the caller's own conditions are answered, or sent as they are`() async throws {
        try await cached(Self.counting(Self.minute)) { cached in
            _ = try await cached.get("a")
            let has = try await cached.send("a") { $0.headers[.ifNoneMatch] = "\"1\"" }
            #expect(has.statusCode == 304 && has.headers[.eTag] == "\"1\"" && has.bytes.isEmpty)
            let hasNot = try await cached.get("a") { $0.headers[.ifNoneMatch] = "\"0\"" }
            #expect(hasNot.text == "0" && cached.asked.count == 1)
            cached.clock.pass(61)
            let asked = try await cached.send("a") { $0.headers[.ifNoneMatch] = "\"1\"" }
            #expect(asked.statusCode == 304 && asked.cacheStatus == "tsubame; fwd=stale")
            // The origin has confirmed the stored response, too.
            let after = try await cached.get("a")
            #expect(after == ("0", "tsubame; hit; ttl=60") && cached.asked.count == 2)
            let match = try await cached.get("a") { $0.headers[.ifMatch] = "\"1\"" }
            #expect(match.status.hasPrefix("tsubame; fwd=bypass"))
        }
    }

    // MARK: HEAD, parts, other methods

    @Test func `RFC 9111 4.3.5: HEAD is answered from a stored GET, and brings it up to date`() async throws {
        let tag = Log<String>()
        try await cached { request in
            .ok("body", headers: [.cacheControl: "max-age=60", .eTag: tag.all.last ?? "\"1\""])
        } _: { cached in
            _ = try await cached.get("a")
            let head = try await cached.client.head("a")
            #expect(head.headers[.contentLength] == "4" && head.bytes.isEmpty && cached.asked.count == 1)
            cached.clock.pass(61)
            _ = try await cached.client.head("a")
            let after = try await cached.get("a")
            #expect(after == ("body", "tsubame; hit; ttl=60") && cached.asked.count == 2)
            tag.add("\"2\"")
            cached.clock.pass(61)
            _ = try await cached.client.head("a")
            let changed = try await cached.get("a")
            #expect(changed == ("body", "tsubame; fwd=uri-miss; stored") && cached.asked.count == 4)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `RFC 9111 3.4: parts are cut out of what is stored whole`(_ place: CachePlace) async throws {
        let whole = (0..<(700 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await cached(
            in: place,
            { request in
                if request["range"] != nil {
                    return .status(.partialContent, "part", headers: [.contentRange: "bytes 0-3/9"])
                }
                return .ok(whole, headers: [.cacheControl: "max-age=60", .eTag: "\"1\""])
            }
        ) { cached in
            // A partial response is not stored.
            _ = try await cached.send("a") { $0.ask(for: .bytes(0...3)) }
            let all = try await cached.send("a")
            #expect(all.bytes.elementsEqual(whole))
            for range in [0...0, 5...400_000, 699_999...716_799] as [ClosedRange<Int64>] {
                let part = try await cached.send("a") { $0.ask(for: .bytes(range)) }
                #expect(part.statusCode == 206 && part.contentRange?.bytes == range)
                #expect(part.contentRange?.total == Int64(whole.count))
                #expect(part.headers[.contentLength] == "\(range.count)")
                #expect(part.bytes.elementsEqual(whole[Int(range.lowerBound)...Int(range.upperBound)]))
            }
            let none = try await cached.send("a") { $0.ask(for: .from(716_800)) }
            #expect(none.statusCode == 416 && none.headers[.contentRange] == "bytes */716800")
            #expect(cached.asked.count == 2)
            let several = try await cached.send("a") { $0.ask(for: .bytes(0...1), .bytes(3...4)) }
            #expect(several.cacheStatus == "tsubame; fwd=bypass" && cached.asked.count == 3)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `RFC 9111 4.4: an unsafe request makes forget what it may have changed`(_ place: CachePlace) async throws {
        try await cached(
            in: place,
            { request in
                request.method == "GET"
                    ? .ok("\(request.index)", headers: Self.minute)
                    : .status(request.query == "fail" ? .badRequest : .created, headers: [.location: "/b"])
            }
        ) { cached in
            for path in ["a", "b", "c"] { _ = try await cached.get(path) }
            _ = try await cached.client.post("a?fail")
            _ = try await cached.client.get("a").accepted()
            #expect(cached.asked == ["/a", "/b", "/c", "/a?fail"])
            let posted = try await cached.client.post("a")
            #expect(posted.cacheStatus == "tsubame; fwd=method")
            let texts = [
                try await cached.get("a").text, try await cached.get("b").text, try await cached.get("c").text,
            ]
            #expect(texts == ["5", "6", "2"])
        }
    }

    @Test func `RFC 9111 4.4: an answer that was on its way meanwhile is not stored`() async throws {
        let gate = Gate()
        try await cached { request in
            request.method == "GET" ? Reply.ok("\(request.index)", headers: Self.minute).after(gate) : .ok()
        } _: { cached in
            let get = Task { try await cached.get("a").text }
            _ = try await cached.server.request(0)
            _ = try await cached.client.post("a")
            gate.open()
            let old = try await get.value
            let new = try await cached.get("a")
            #expect(old == "0" && new.text == "2")
        }
    }

    @Test func `a GET with content is neither answered nor stored`() async throws {
        try await cached(Self.counting(Self.minute)) { cached in
            for number in 0..<2 {
                let answer = try await cached.get("a") { $0.body = .text("x") }
                #expect(answer == ("\(number)", "tsubame; fwd=method"))
            }
        }
    }

    // MARK: Policies

    @Test func `the policy of a request says what may be used and whether the origin is asked`() async throws {
        try await cached(Self.counting([.cacheControl: "max-age=60"])) { cached in
            let nothing = try await cached.send("a") { $0.cachePolicy = .onlyStored }
            #expect(nothing.statusCode == 504 && nothing.cacheStatus == "tsubame; detail=only-if-cached")
            #expect(cached.asked.isEmpty)
            let first = try await cached.get("a") { $0.cachePolicy = .preferStored }
            #expect(first.text == "0")
            cached.clock.pass(100)
            for policy in [CachePolicy.preferStored, .onlyStored, .returnCacheDataElseLoad] {
                let stale = try await cached.get("a") { $0.cachePolicy = policy }
                #expect(stale == ("0", "tsubame; hit; ttl=-40; detail=max-stale"))
            }
            let anew = try await cached.get("a") { $0.cachePolicy = .reload }
            #expect(anew == ("1", "tsubame; fwd=request; stored"))
            let after = try await cached.get("a")
            #expect(after.text == "1" && cached.asked.count == 2)
        }
    }
}
