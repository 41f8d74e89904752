// DocumentationSamples: the samples of TheServer.md.
#if Server
import HTTPBin
import Testing
import Tsubame

extension DocumentationSamples {
    @Test func embeddedServer() async throws {
        let server = try await HTTPBin.start()
        let api = Client(server.url)
        let answer = try await api.get("get", query: ["page": 2])
        #expect(answer.status == .ok)
        try await close(api)
        await server.stop()
    }
}
#endif
