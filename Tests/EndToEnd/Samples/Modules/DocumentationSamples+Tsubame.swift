// DocumentationSamples: the sample of Tsubame.md.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

private struct User: Codable, Sendable {
    let name: String
}

extension DocumentationSamples {
    @Test func atAGlance() async throws {
        let server = try await ScriptedServer.start { _ in .json(#"{"name": "swallow"}"#) }
        let api = Client(server.url) { $0.timeouts.total = .seconds(20) }
        let user = try await api.get("users/7").json(User.self)
        print(user.name)  // swallow
        #expect(user.name == "swallow")
        try await close(api)
        await server.stop()
    }
}
