// CacheIdentityTests: the owner of a stored response: the settings and the cookies under which it was received.

import Foundation
import HTTPTypes
import Testing
@testable import Tsubame
import TsubameEngine
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CacheIdentityTests {
    private static let minute: HTTPFields = [.cacheControl: "max-age=60"]

    /// The response holds the number of the request.
    private static let counting: @Sendable (ReceivedRequest) -> Reply = { .ok("\($0.index)", headers: minute) }

    // MARK: Settings

    /// Settings under which the client can still reach the server.
    private static let changes: [@Sendable (inout Configuration) -> Void] = [
        { $0.connection.allowedAddresses = .only { $0.isLoopback } },
        { $0.connection.allowedAddresses = .only { $0.isLoopback } },
        { $0.connection.proxy = .choose { _ in nil } },
        { $0.connection.proxy = .url("http://192.0.2.1:1", except: ["127.0.0.1"]) },
        { $0.connection.resolver = .custom { _ in NameResolver.Answer(["127.0.0.1"]) } },
        { $0.connection.resolve = ["other.example": "127.0.0.1"] },
        { $0.connection.interface = "127.0.0.1" },
        { $0.connection.addressFamily = .ipv4 },
        { $0.connection.httpVersion = .http11 },
        { $0.connection.tls.minimumVersion = .tls13 },
    ]

    @Test func `FAULT 9: what was got by other settings of connections answers nobody else`() async throws {
        try await cached(Self.counting) { cached in
            for number in 0..<2 {
                let answer = try await cached.get("a")
                #expect(answer.text == "0" && answer.status.hasPrefix("tsubame; hit") == (number == 1))
            }
            for (index, change) in Self.changes.enumerated() {
                let view = cached.client.with(change)
                for number in 0..<2 {
                    let response = try await view.get("a")
                    let isHit = response.cacheStatus?.hasPrefix("tsubame; hit") == true
                    #expect(response.bytes == Bytes("\(index + 1)") && isHit == (number == 1), "\(index)")
                }
                // Settings of calls, such as timeouts, change nothing.
                let patient = try await view.with { $0.timeouts.total = .seconds(50) }.get("a")
                #expect(patient.bytes == Bytes("\(index + 1)"), "\(index)")
            }
            let again = try await cached.get("a")
            #expect(again.text == "0" && cached.asked.count == Self.changes.count + 1)
        }
    }

    @Test func `FAULT 9: no stored response gets around allowedAddresses, or a proxy that fails`() async throws {
        let dead = try DeadPort()
        try await cached(retry: .off, Self.counting) { cached in
            _ = try await cached.get("a")
            let guarded = cached.client.with { $0.connection.allowedAddresses = .publicOnly }
            let refused = try await failure { try await guarded.get("a") }
            #expect(refused.kind == .connectionFailed && refused.reason.contains("allowedAddresses"), "\(refused)")
            let proxied = cached.client.with { $0.connection.proxy = .url("http://127.0.0.1:\(dead.number)") }
            let failed = try await failure { try await proxied.get("a") }
            #expect(failed.kind == .proxy || failed.kind == .connectionFailed, "\(failed)")
            #expect(cached.asked.count == 1)
        }
    }

    private func identity(_ change: (inout ConnectionSettings) -> Void) -> String {
        var settings = ConnectionSettings()
        settings.proxy = .none
        change(&settings)
        return settings.cacheIdentity
    }

    @Test func `FAULT 9: settings that are values have the same identity in each process`() {
        #expect(identity { _ in } == "")
        #expect(identity { $0.allowedAddresses = .publicOnly } == "sha256:afe4301a356db213686abbe3186c9a8f")
        let old = identity { ($0.httpVersion, $0.addressFamily) = (.http11, .ipv4) }
        #expect(old == "sha256:23d86af3c6c653aba98a349c5148ec6a")
        // The first two are the same proxy; all others differ.
        let proxies = [
            ProxyPolicy.url("http://p.example:3128"), .url("p.example:3128"), .url("http://p.example:3129"),
            .url("http://a:b@p.example:3128"), .url("http://a:c@p.example:3128"),
            .url("http://p.example:3128", bearer: "t"), .url("http://p.example:3128", except: ["x.example"]),
            .url("socks5://p.example:3128"), .environment(["http_proxy": "http://p.example:3128"]), .url("no proxy"),
        ]
        let identities = proxies.map { proxy in identity { $0.proxy = proxy } }
        #expect(identities[0] == identities[1] && Set(identities).count == proxies.count - 1)
        #expect(identities.allSatisfy { $0.hasPrefix("sha256:") })
    }

    @Test func `FAULT 9: settings of TLS and of addresses have the same identity in each process`() throws {
        typealias TLS = ConnectionSettings.TLS
        let changes: [(inout ConnectionSettings) -> Void] = [
            { $0.tls.roots = .file("ca.pem") }, { $0.tls.roots = .systemAnd(file: "ca.pem") },
            { $0.tls.roots = .pem("ca.pem") },
            { $0.tls.verification = .dangerouslyOff }, { $0.tls.minimumVersion = .tls13 },
            { $0.tls.maximumVersion = .tls12 }, { $0.tls.cipherSuites = [] }, { $0.tls.minimumRSABits = 1024 },
            { $0.tls.identity = .files(certificate: "a", key: "b") },
            { $0.tls.identity = .files(certificate: "a", key: "b", passphrase: "c") },
            { $0.tls.identity = .pem(certificate: "a", key: "b") },
            { $0.tls.pins = ["a": PinnedKeys("b", backup: "c")] },
            { $0.tls.pins = ["a": PinnedKeys("b", backup: "d")] },
            { $0.proxyTLS.verification = .dangerouslyOff }, { $0.unixSocket = .file("a") },
            { $0.resolve = ["a": "b", "c": "d"] }, { $0.resolve = ["a": "b", "c": "e"] },
        ]
        let identities = changes.map(identity)
        #expect(Set(identities).count == changes.count && !identities.contains(""))
        // Nothing in them depends on the process or on the order in a dictionary.
        #expect(identities[3] == "sha256:824c8ac4e3ca31e9dfc932f0332952a8")
        #expect(identities[15] == "sha256:fba04a72a80263d3c9dd304e04a80591")
        // Files count by their content.
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try [("a", "x"), ("b", "x"), ("c", "y")].map { name, content in
            let file = folder.appending(path: name)
            try Data(content.utf8).write(to: file)
            return file.path
        }
        for set in [
            { $0.tls.roots = .file($1) }, { $0.tls.roots = .systemAnd(file: $1) },
            { $0.tls.identity = .files(certificate: $1, key: files[0]) },
            { $0.tls.identity = .files(certificate: files[0], key: $1) },
        ] as [(inout ConnectionSettings, String) -> Void] {
            let found = files.map { file in identity { set(&$0, file) } }
            #expect(found[0] == found[1] && found[1] != found[2])
        }
        // Limits and the log of keys change no response.
        #expect(
            identity {
                ($0.connections, $0.connectionsPerOrigin, $0.exchangesPerConnection) = (1, 2, 3)
                ($0.connectionLifetime, $0.idleConnectionLifetime, $0.addressLifetime) = (.seconds(1), .zero, .zero)
            } == "")
        #expect(identity { $0.tls.keyLogFile = .file("keys") } == "")
    }

    @Test func `FAULT 9: a closure has an identity that no later one gets`() {
        let identities = (0..<100).flatMap { _ in
            [
                identity { $0.resolver = .custom { _ in NameResolver.Answer([]) } },
                identity { $0.proxy = .choose { _ in nil } },
                identity { $0.allowedAddresses = .only { _ in true } },
                identity { $0.tls.check = TLSCheck { _, _ in } },
            ]
        }
        #expect(Set(identities).count == 400)
        let resolver = NameResolver.custom { _ in NameResolver.Answer([]) }
        #expect(identity { $0.resolver = resolver } == identity { $0.resolver = resolver })
    }

    // MARK: Cookies

    /// The response holds the number of the request and sets a new session cookie.
    private static func renewing(_ fields: HTTPFields = minute) -> @Sendable (ReceivedRequest) -> Reply {
        { request in
            var fields = fields
            fields[.setCookie] = "session=\(request.index)"
            return .ok("\(request.index)", headers: fields)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `FAULT 21: a new session cookie makes nothing that is stored missed`(_ place: CachePlace) async throws {
        try await cached(in: place, Self.renewing()) { cached in
            let client = cached.client.with { $0.cookies = .memory }
            for path in ["a", "b", "a", "b", "a"] { _ = try await client.get(RequestPath(encoded: path)).accepted() }
            #expect(cached.asked == ["/a", "/b"])
            let jar = try #require(client.cookieJar)
            try jar.set("session=new", from: cached.server.url)
            let hit = try await client.get("a")
            #expect(hit.bytes == Bytes("0") && hit.cacheStatus == "tsubame; hit; ttl=60")
        }
    }

    @Test func `FAULT 21: what was stored before the first cookie is used after it`() async throws {
        try await cached(Self.counting) { cached in
            let client = cached.client.with { $0.cookies = .memory }
            _ = try await client.get("a").accepted()
            try client.cookieJar?.set("session=1", from: cached.server.url)
            let hit = try await client.get("a")
            #expect(hit.cacheStatus == "tsubame; hit; ttl=60" && cached.asked.count == 1)
        }
    }

    @Test func `FAULT 21: Vary names the cookies where they count`() async throws {
        var fields = Self.minute
        fields[.vary] = "Cookie"
        try await cached(Self.renewing(fields)) { cached in
            let client = cached.client.with { $0.cookies = .memory }
            let jar = try #require(client.cookieJar)
            for (cookie, text) in [("a", "0"), ("b", "1"), ("a", "0"), ("b", "1")] {
                try jar.set("session=\(cookie)", from: cached.server.url)
                let response = try await client.get("a")
                #expect(response.bytes == Bytes(text))
            }
        }
    }

    @Test func `FAULT 21: a response with cookies is for its jar only`() async throws {
        try await cached { request in
            .ok(request["cookie"] ?? "none", headers: Self.minute)
        } _: { cached in
            let (ann, bob) = (
                cached.client.with { $0.cookies = .memory }, cached.client.with { $0.cookies = .memory }
            )
            try ann.cookieJar?.set("user=ann", from: cached.server.url)
            try bob.cookieJar?.set("user=bob", from: cached.server.url)
            for clients in [[ann, bob, cached.client], [cached.client, bob, ann]] {
                var texts: Set<String> = []
                for client in clients { texts.insert(try await client.get("a").text()) }
                #expect(texts == ["user=ann", "user=bob", "none"])
            }
            #expect(cached.asked.count == 3)
        }
    }

    @Test func `FAULT 21: nor is a response that sets cookies for another jar`() async throws {
        try await cached(Self.renewing()) { cached in
            let clients = [
                cached.client, cached.client.with { $0.cookies = .memory }, cached.client.with { $0.cookies = .memory },
            ]
            for _ in 0..<2 {
                for (number, client) in clients.enumerated() {
                    let response = try await client.get("a")
                    #expect(response.bytes == Bytes("\(number)"))
                }
            }
        }
    }

    @Test func `FAULT 21: a response without cookies is for all that send none`() async throws {
        try await cached(Self.counting) { cached in
            for cookies in [CookiePolicy.memory, .memory, .off] {
                let response = try await cached.client.with { $0.cookies = cookies }.get("a")
                #expect(response.bytes == Bytes("0"))
            }
            let other = cached.client.with { $0.cookies = .memory }
            try other.cookieJar?.set("a=b", from: cached.server.url)
            let response = try await other.get("a")
            #expect(response.bytes == Bytes("1"))
        }
    }

    @Test func `FAULT 21: jars that come and go leave one response, and not one each`() async throws {
        try await cached(Self.counting) { cached in
            var sizes: Set<Int64> = []
            for number in 0..<4 {
                let response = try await cached.client.with { $0.cookies = .memory }.get("a")
                #expect(response.bytes == Bytes("\(number)"))
                sizes.insert(cached.cache.byteCount)
                cached.clock.pass(61)
            }
            #expect(sizes.count == 1)
        }
    }

    @Test func `FAULT 21: a response with cookies stays its jar's when it is validated without any`() async throws {
        try await cached { request in
            request["if-none-match"] == nil
                ? .ok(request["cookie"] ?? "none", headers: [.cacheControl: "max-age=60", .eTag: "\"1\""])
                : .status(.notModified, headers: [.eTag: "\"1\""])
        } _: { cached in
            let client = cached.client.with { $0.cookies = .memory }
            try client.cookieJar?.set("user=ann", from: cached.server.url)
            _ = try await client.get("a").accepted()
            try client.cookieJar?.set("user=ann; Max-Age=0", from: cached.server.url)
            cached.clock.pass(61)
            let validated = try await client.get("a")
            #expect(validated.cacheStatus == "tsubame; fwd=stale; fwd-status=304; ttl=60")
            let other = try await cached.get("a")
            #expect(other.text == "none")
        }
    }

    @Test func `FAULT 21: a Cookie that is set by hand counts by its value, beside the jar`() async throws {
        try await cached(Self.counting) { cached in
            for policy in [CookiePolicy.off, .memory] {
                let client = cached.client.with { $0.cookies = policy }
                try client.cookieJar?.set("session=1", from: cached.server.url)
                let asked = cached.asked.count
                for cookie in ["user=ann", "user=bob", "user=ann"] {
                    _ = try await client.get("a", headers: [.cookie: cookie]).accepted()
                }
                #expect(cached.asked.count == asked + 2)
                try client.cookieJar?.set("session=2", from: cached.server.url)
                _ = try await client.get("a", headers: [.cookie: "user=bob"]).accepted()
                #expect(cached.asked.count == asked + 2)
            }
        }
    }

    @Test func `FAULT 21: cookies of a jar that another client sends count by their values`() async throws {
        try await cached(Self.counting) { cached in
            let client = cached.client.with { $0.cookies = .memory }
            try client.cookieJar?.set("user=ann", from: cached.server.url)
            let sent = try await client.get("a").request
            try client.cookieJar?.set("user=bob", from: cached.server.url)
            let other = try await client.get("b").request
            for (number, request) in [sent, sent, other].enumerated() {
                var request = request
                request.target = sent.target
                let response = try await cached.client.send(request)
                #expect(response.bytes == Bytes(number < 2 ? "2" : "3"))
            }
        }
    }

    @Test func `FAULT 21: the jars of one file are one jar, in each process`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "cookies.txt").path
            try await cached(Self.renewing()) { cached in
                for number in 0..<2 {
                    let jar = try CookieJar(file: path)
                    let client = cached.client.with { $0.cookies = .jar(jar) }
                    let response = try await client.get("a")
                    #expect(response.bytes == Bytes("0"), "\(number)")
                    if number == 0 { _ = try await client.get("b").accepted() }
                }
                #expect(cached.asked == ["/a", "/b"])
            }
            let link = folder.appending(path: "link").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(try CookieJar(file: link).owner == CookieJar(file: path).owner)
            #expect(try CookieJar(file: "\(folder.path)/./cookies.txt").owner == CookieJar(file: path).owner)
            #expect(try CookieJar(file: folder.appending(path: "other").path).owner != CookieJar(file: path).owner)
            #expect(CookieJar().owner != CookieJar().owner)
        }
    }

    /// The response holds the request's cookie.
    private static let greeting: @Sendable (ReceivedRequest) -> Reply = { .ok($0["cookie"] ?? "none", headers: minute) }

    private static let departures: [@Sendable (CookieJar) throws -> Void] = [
        { try $0.clear() }, { try $0.endSession() }, { _ = try $0.delete { $0.name == "user" } },
        { jar in for cookie in jar.cookies { try jar.delete(cookie) } },
    ]

    @Test(arguments: departures.indices)
    func `FAULT 21: the next account of a jar gets no page of the last one`(_ departure: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = try CookieJar(file: folder.appending(path: "cookies.txt").path)
            for jar in [CookieJar(), file] {
                try await cached(Self.greeting) { cached in
                    let client = cached.client.with { $0.cookies = .jar(jar) }
                    for user in ["user=alice", "user=bob"] {
                        try jar.set(user, from: cached.server.url)
                        for _ in 0..<2 {
                            let response = try await client.get("a")
                            #expect(response.bytes == Bytes(user))
                        }
                        try Self.departures[departure](jar)
                    }
                    #expect(cached.asked.count == 2)
                    let departed = try await client.get("a")
                    #expect(departed.bytes == Bytes("none"))
                }
            }
        }
    }

    @Test func `FAULT 21: a new file at the path of a jar has another owner`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "cookies.txt").path
            try await cached(Self.greeting) { cached in
                let old = try CookieJar(file: path)
                try old.set("user=alice", from: cached.server.url)
                let client = cached.client.with { $0.cookies = .jar(old) }
                _ = try await client.get("a").accepted()
                try FileManager.default.removeItem(atPath: path)
                let new = try CookieJar(file: path)
                try new.set("user=bob", from: cached.server.url)
                for jar in [new, old] {
                    let response = try await cached.client.with { $0.cookies = .jar(jar) }.get("a")
                    #expect(response.bytes == Bytes("user=bob"))
                }
                #expect(new.owner == old.owner && cached.asked.count == 2)
                // Another program that rewrites the file drops the owner.
                let host = "127.0.0.1"
                let text = "# Netscape HTTP Cookie File\n\(host)\tFALSE\t/\tFALSE\t0\tuser\tcarol\n"
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                let response = try await client.get("a")
                #expect(response.bytes == Bytes("user=carol"))
            }
        }
    }

    @Test func `FAULT 21: an exported text names no owner, and an imported one gives none`() throws {
        let jar = CookieJar()
        let owner = jar.owner
        #expect(!jar.exportText().contains("tsubame-owner"))
        try jar.importText("# Netscape HTTP Cookie File\n# tsubame-owner: 1-2-3\n")
        #expect(jar.owner == owner)
    }
}
