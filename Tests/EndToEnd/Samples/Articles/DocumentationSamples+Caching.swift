// DocumentationSamples: the samples of Caching.md.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

extension DocumentationSamples {
    @Test func caching() async throws {
        let server = try await ScriptedServer.start { _ in .ok("[]", headers: [.cacheControl: "max-age=60"]) }
        let api = Client(server.url) { $0.cache = .memory(bytes: 32 << 20) }
        let first = try await api.get("users")
        let second = try await api.get("users")
        print(first.cacheStatus ?? "", second.cacheStatus ?? "", separator: "\n")
        let told = """
            tsubame; fwd=uri-miss; stored
            tsubame; hit; ttl=59
            """
        let seen = "\(first.cacheStatus ?? "")\n\(second.cacheStatus ?? "")"
        #expect(seen.replacing(/ttl=\d+/, with: "ttl=59") == told)

        let cache = ResponseCache(bytes: 8 << 20)
        let reader = Client(server.url) { $0.cache = .cache(cache) }
        _ = try await reader.get("users")
        print(cache)
        #expect(cache.byteCount > 0)
        try cache.remove(server.url + "/users")
        #expect(cache.byteCount == 0)
        cache.removeAll()

        var request = Request(.get, "users")
        request.cachePolicy = .onlyStored
        let offline = try await api.send(request)
        print(offline.statusCode)
        #expect(offline.statusCode == 200)
        try await close(api)
        try await close(reader)
        await server.stop()
    }
}
