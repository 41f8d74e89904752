// DocumentationSamples: the sample of TsubameURLSession.md.

import Testing
import Tsubame
import TsubameTesting
import TsubameURLSession

extension DocumentationSamples {
    @Test func urlSession() async throws {
        let server = try await ScriptedServer.start { .ok($0.target) }
        let api = Client(server.url, transport: URLSessionTransport()) { $0.timeouts.total = .seconds(20) }
        let users = try await api.get("users").text()
        #expect(users == "/users")
        await api.close()
        await server.stop()
    }
}
