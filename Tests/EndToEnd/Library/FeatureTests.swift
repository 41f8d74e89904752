// FeatureTests: what an application does with the library, against the embedded server.

#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Logging
import Synchronization
import Testing
import Tsubame
import TsubameCore
import TsubameFoundation
import TsubameStore
import TsubameTesting
import TsubameWire

private struct Echo: Decodable, Sendable {
    let args: [String: String]?
    let form: [String: String]?
    let url: String
}

private struct Line: Decodable, Sendable {
    let id: Int
}

private struct Search: Codable, Equatable {
    let text: String
    let tags: [String]
}

@Suite(.timeLimit(.minutes(2))) struct FeatureTests {
    @Test func authentication() async throws {
        let server = try await HTTPBin.start()
        let base = server.url
        let api = Client(base) {
            $0.authentication = .token { client in  // asked once, however many calls want a token
                let grant = try await client.post("anything/oauth", form: ["token": "abc"]).json(Echo.self)
                return AccessToken(grant.form?["token"] ?? "", expiresIn: .seconds(3600))
            }
        }
        let answer = try await api.get("bearer")
        #expect(answer.status == .ok)

        let viewer = api.with { $0.authentication = .digest(user: "viewer", password: "s3cret") }
        try await viewer.get("digest-auth/auth/viewer/s3cret/SHA-256").accepted()
        try await close(api)
        await server.stop()
    }

    @Test func asItComes() async throws {
        let server = try await HTTPBin.start()
        let api = Client(server.url)
        let lines = try await api.stream(Request(.get, "stream/3")) { response in
            var count = 0
            for try await line in response.body.lines where !line.isEmpty { count += 1 }
            return count
        }
        #expect(lines == 3)
        let ids = try await api.stream(Request(.get, "stream/3")) { response in
            var ids: [Int] = []
            for try await line in response.jsonLines(Line.self) { ids.append(line.id) }
            return ids
        }
        #expect(ids == [0, 1, 2])
        for try await event in api.events("sse", query: ["n": 3], reconnects: 0) { print(event.type, event.data) }
        let file = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID().uuidString)")
        try await api.stream(Request(.get, "bytes/100000")) { response in try await response.save(to: file) }
        #expect(try Data(contentsOf: file).count == 100_000)
        try FileManager.default.removeItem(at: file)
        try await withFolder { folder in
            let file = try await api.download("range/100000", to: folder, resume: true) { print($0) }
            #expect(file.count == 100_000 && file.url.lastPathComponent == "100000")
            let stored = try await api.upload(file.url, to: "uploads", resume: true) { print($0) }
            #expect(stored.headers[.init("Upload-Complete") ?? .via] == "?1")
        }
        try await close(api)
        await server.stop()
    }

    @Test func codings() async throws {
        let search = Search(text: "a b", tags: ["x", "y"])
        let coding = ParameterCoding(arrays: .repeated, nesting: .dots, keys: .snakeCase)
        let parameters = Parameters(encoding: search, by: coding)
        let copy = try parameters.decode(Search.self, by: coding)
        #expect(copy == search && parameters.encoded() == "text=a%20b&tags=x&tags=y")
        let api = Client("https://api.example.com")
        let dated = api.with { $0.json = .iso8601 }
        #expect(dated.configuration.json.isStandard == false)
    }

    @Test func onTheEventLoops() async throws {
        let server = try await HTTPBin.start()
        let api = Client(server.url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: api.executor) { try await api.get("uuid").accepted() }
            try await group.waitForAll()
        }
        try await close(api)
        await server.stop()
    }

    @Test func whenAServerIsBusy() async throws {
        let server = try await HTTPBin().start()
        let api = Client(server.url) {
            $0.retry = .standard  // by status too; by default when a connection fails; .off
            $0.traffic.callsPerHost = 4
            $0.traffic.rate = .perSecond(10, burst: 20)
            $0.traffic.coalescesEqualRequests = true  // of equal GETs at once one is sent
            $0.logger = Logger(label: "api")  // swift-log
            $0.logger?.logLevel = .error
        }
        let response = try await api.get("users")
        print(response.request.curl)  // what was sent, for a shell; .curl(showingSecrets: true)
        #expect(response.status == .notFound)
        #expect(response.request.curl.hasSuffix(" '\(server.url)/users'"))
        try await close(api)
        await server.stop()
    }

    @Test func connections() async throws {
        let (pin, backup) = (String(repeating: "A", count: 43) + "=", String(repeating: "B", count: 43) + "=")
        let api = Client("https://api.example.com") {
            $0.connection.proxy = .url(
                "http://user:pass%40word@proxy.example:3128", except: ["internal.example", "10.0.0.0/8"])
            $0.connection.tls.roots = .systemAnd(file: "/etc/company/roots.pem")  // .file: these and no others
            $0.connection.tls.identity = .files(certificate: "client.pem", key: "client.key")
            $0.connection.tls.pins["api.example.com"] = PinnedKeys(pin, backup: backup)
            $0.connection.resolve["api.example.com:443"] = "192.0.2.7"
            $0.connection.connectionsPerOrigin = 8
        }
        let careful = api.with { $0.connection.allowedAddresses = .publicOnly }
        #expect(careful.configuration.connection.allowedAddresses == .publicOnly)
        #expect(!String(reflecting: api.configuration).contains("word@"))
        do {
            try await api.warmUp()
            Issue.record("there is such a proxy")
        } catch {
            // The proxy's name, which does not exist (RFC 2606), is resolved before anything else.
            #expect([.nameResolution, .timeout].contains(error.kind), "\(error)")
        }
    }

    @Test func theServer() async throws {
        let server = try await HTTPBin.start(tls: .make())  // without `tls` it speaks HTTP
        let api = Client(server.url) { $0.connection.tls.roots = .pem(server.authority ?? "") }
        let swallow = try await api.get("base64/54eV").text()  // 燕
        #expect(swallow == "燕")
        try await close(api)
        await server.stop()
    }

    @Test func cache() async throws {
        let server = try await HTTPBin.start()
        let base = server.url
        let api = Client(base) { $0.cache = .memory() }  // 64 MiB; or .memory(bytes:), or .cache(ResponseCache)
        let users = try await api.get("cache/60")
        let again = try await api.get("cache/60")  // from memory
        print(users.cacheStatus ?? "", again.cacheStatus ?? "")  // tsubame; fwd=uri-miss; stored tsubame; hit; ttl=59
        #expect(users.bytes == again.bytes && again.cacheStatus?.hasPrefix("tsubame; hit; ttl=") == true)
        var request = Request(.get, "cache/60")
        request.cachePolicy = .onlyStored  // or .reload, .preferStored
        #expect(try await api.send(request).statusCode == 200)
        // Validation: the client asks the server, and the server confirms the stored response.
        let tagged = try await api.get("cache")
        let validated = try await api.get("cache")
        #expect(validated.bytes == tagged.bytes)
        #expect(validated.cacheStatus?.contains("fwd=stale; fwd-status=304") == true)
        await api.close()
        await server.stop()
    }

    @Test func cookies() async throws {
        let server = try await HTTPBin.start()
        let base = server.url
        try await withFolder { folder in
            let file = folder.appending(path: "cookies.txt").path
            try "127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tswallow\n".write(toFile: file, atomically: true, encoding: .utf8)
            let jar = CookieJar()
            let api = Client(base) { $0.cookies = .jar(jar) }  // or .memory; api.cookieJar is the way to it
            try jar.importFile(file)  // a cookies.txt of curl, wget, yt-dlp or a browser
            try jar.set("theme=dark; Path=/; Max-Age=3600", from: base)  // as a server would
            for cookie in jar.cookies { print(cookie) }  // without their values
            let sent = try await api.get("cookies").json([String: [String: String]].self)
            #expect(sent["cookies"] == ["name": "swallow", "theme": "dark"])
            try jar.delete { $0.name == "theme" }  // also clear(), endSession()
            try jar.exportFile(file)
            #expect(try CookieJar(file: file).cookies.map(\.name) == ["name"])
            await api.close()
        }
        await server.stop()
    }

    @Test func keepingResponses() async throws {
        let server = try await HTTPBin.start()
        let base = server.url
        try await withFolder { folder in
            let path = folder.appending(path: "cache").path
            let cache = try ResponseCache(folder: path)  // or sqlite: path; bytes: 256 MiB
            let api = Client(base) { $0.cache = .cache(cache) }
            _ = try await api.get("cache/60")
            let again = try await api.get("cache/60")
            #expect(again.cacheStatus?.hasPrefix("tsubame; hit") == true)
            await api.close()
        }
        await server.stop()
    }

    #if Store
    @Test func storedCookies() async throws {
        let server = try await HTTPBin.start()
        let base = server.url
        try await withFolder { folder in
            let path = folder.appending(path: "cookies.sqlite").path
            let jar = try CookieJar(sqlite: path)  // keepsSessionCookies: true for all of them
            let api = Client(base) { $0.cookies = .jar(jar) }
            _ = try await api.get("cookies/set", query: ["name": "swallow"])
            #expect(api.cookieJar?.cookies.map(\.value) == ["swallow"])
            await api.close()
        }
        await server.stop()
    }
    #endif
}
#endif
