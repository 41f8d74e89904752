// HostFieldTests: the caller's own Host field: its effect on the server, and the settings that it does not change.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct HostFieldTests {
    @Test("BAD-INPUT 19: Host may be set, and changes neither SNI nor the certificate's check, pool or cookies")
    func hostOfTheCallers() async throws {
        let jar = CookieJar()
        let server = try await ScriptedServer.start(tls: .localhost) { _ in
            .ok("hi", headers: [.setCookie: "session=1; Path=/"])
        }
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
            $0.cookies = .jar(jar)
        } _: { server, client in
            for index in 0..<2 {
                let response = try await client.get("x", headers: ["Host": "other.example"])
                #expect(response.bytes == Bytes("hi"))
                #expect(response.connection?.isReused == (index > 0))
            }
            _ = try await client.get("x")
            #expect(server.requests.map(\.serverName) == ["localhost", "localhost", "localhost"])
            #expect(
                server.requests.map { $0.values("host") } == [
                    ["other.example"], ["other.example"], ["localhost:\(server.port)"],
                ])
            #expect(server.requests.map { $0["cookie"] } == [nil, "session=1", "session=1"])
            #expect(jar.cookies.map(\.domain) == ["localhost"])
            #expect(server.acceptedConnections == 1)
        }
    }
}
