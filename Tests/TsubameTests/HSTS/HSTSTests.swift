// HSTSTests: hosts that are reached only by https, because they asked for it.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct HSTSTests {
    private static let year: HTTPFields = [.strictTransportSecurity: "max-age=31536000; includeSubDomains"]

    private static func configure(_ configuration: inout Configuration) {
        configuration.connection.tls.roots = .pem(TestCertificates.authorityPEM)
    }

    @Test func `a host that asks for it is asked by https from then on, by every view`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost) { .ok($0.path, headers: Self.year) }
        try await serving(server, Self.configure) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            _ = try await client.get(url: "https://localhost:\(server.port)/first")
            let view = client.with { $0.timeouts.total = .seconds(30) }
            let response = try await view.get(url: "http://localhost:\(server.port)/second?a=b#c")
            let value1 = try await response.text()
            #expect(value1 == "/second")
            #expect(response.request.uri?.string == "https://localhost:\(server.port)/second?a=b#c")
            #expect(response.connection?.tls != nil)
            #expect(events.decisions.count == 2, "\(events.decisions)")
            #expect(events.decisions.last?.contains("goes by https") == true)
            // The policy does not apply to an address, even of the same server.
            let other = try await failure { try await client.get(url: "http://127.0.0.1:\(server.port)/") }
            #expect(other.kind != .tls, "\(other)")
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a host takes it back`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost) {
            .ok(headers: [.strictTransportSecurity: $0.path == "/on" ? "max-age=60" : "max-age=0"])
        }
        let store = HSTSStore()
        try await serving(server) {
            Self.configure(&$0)
            $0.hsts = .store(store)
        } _: { server, client in
            _ = try await client.get(url: "https://localhost:\(server.port)/on")
            #expect(store.hosts == ["localhost"] && store.contains("LOCALHOST."))
            _ = try await client.get(url: "http://localhost:\(server.port)/off")
            #expect(store.hosts == [])
            _ = try await client.get(url: "https://localhost:\(server.port)/on")
            store.clear()
            #expect(!store.contains("localhost"))
        }
    }

    @Test(arguments: ["http", "unverified", "off"])
    func `who could be anybody is not believed, nor is anyone when it is off`(_ way: String) async throws {
        let isSecure = way != "http"
        let server = try await ScriptedServer.start(tls: isSecure ? .selfSigned : nil) { _ in .ok(headers: Self.year) }
        let store = HSTSStore()
        try await serving(server) {
            $0.hsts = way == "off" ? .off : .store(store)
            $0.connection.tls.verification = .dangerouslyOff
        } _: { server, client in
            _ = try await client.get(url: "\(isSecure ? "https" : "http")://localhost:\(server.port)/")
            #expect(store.hosts == [])
        }
    }

    @Test func `a file of another run counts`() async throws {
        let store = HSTSStore(text: ".localhost \"20991231 23:59:59\"\n")
        let server = try await ScriptedServer.start(tls: .localhost) { .ok($0["host"] ?? "") }
        try await serving(server) {
            Self.configure(&$0)
            $0.hsts = .store(store)
        } _: { server, client in
            let value2 = try await client.get(url: "http://localhost:\(server.port)/").text()
            #expect(value2 == "localhost:\(server.port)")
            #expect(store.text == ".localhost \"20991231 23:59:59\"\n")
            #expect("\(store)" == "1 hosts by https only")
        }
    }

    @Test func `credentials stay with the host when it moves to https, and relative redirects stay there`() async throws
    {
        let server = try await ScriptedServer.start(tls: .localhost) { request in
            request.path == "/a" ? .redirect(to: "b") : .ok(request["authorization"] ?? "none")
        }
        let store = HSTSStore(text: "localhost \"20991231 23:59:59\"\n")
        let port = server.port
        try await serving(server, base: "http://localhost:\(port)") {
            Self.configure(&$0)
            $0.hsts = .store(store)
            $0.authentication = .bearer("t")
        } _: { server, client in
            let response = try await client.get("a")
            let value3 = try await response.text()
            #expect(value3 == "Bearer t")
            #expect(response.request.uri?.string == "https://localhost:\(port)/b")
            #expect(server.requests.count == 2)
        }
    }

    @Test func `the next page of such a host gets its credentials, and so does a whole URL by https`() async throws {
        let link = try #require(HTTPField.Name("Link"))
        let server = try await ScriptedServer.start(tls: .localhost) { request in
            .ok(request["authorization"] ?? "none", headers: request.path == "/a" ? [link: "</b>; rel=next"] : [:])
        }
        let (store, port) = (HSTSStore(text: "localhost \"20991231 23:59:59\"\n"), server.port)
        for isStrict in [true, false] {
            let client = Client("http://localhost:\(port)") {
                Self.configure(&$0)
                $0.hsts = isStrict ? .store(store) : .off
                $0.authentication = .bearer("t")
            }
            let whole = try await client.get(url: "https://localhost:\(port)/c")
            #expect(try await whole.text() == (isStrict ? "Bearer t" : "none"))
            guard isStrict else { continue }
            var texts: [String] = []
            for try await page in client.pages("a") { texts.append(try await page.text()) }
            #expect(texts == ["Bearer t", "Bearer t"])
        }
        await server.stop()
    }

    @Test func `a redirect to http of such a host goes by https at once, with what belongs to it`() async throws {
        let port = Log<Int>()
        let server = try await ScriptedServer.start(tls: .localhost) { request in
            guard request.path == "/a" else { return .ok(request["authorization"] ?? "none") }
            let location = "http://localhost:\(port.all.first ?? 0)/b"
            return .status(.found, headers: [.location: location, .strictTransportSecurity: "max-age=9"])
        }
        port.add(server.port)
        try await serving(server, base: "https://localhost:\(server.port)") {
            Self.configure(&$0)
            $0.authentication = .bearer("t")
        } _: { server, client in
            let response = try await client.get("a")
            let text = try await response.text()
            #expect(text == "Bearer t")
            #expect(response.request.uri?.string == "https://localhost:\(server.port)/b")
        }
    }

    @Test func `other ways to an origin are told`() async throws {
        let server = try await ScriptedServer.start { request in
            .ok(headers: request.path == "/none" ? [:] : [.altSvc: "h3=\":443\"; ma=60"])
        }
        try await serving(server) { _, client in
            let response = try await client.get("x")
            #expect(response.alternativeServices.map(\.protocolName) == ["h3"])
            #expect(response.alternativeServices.first?.maxAge == 60)
            #expect(try await client.get("none").alternativeServices.isEmpty)
        }
    }
}
