// DocumentationSamples: the samples of ConnectionsAndTLS.md.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameEngine
import TsubameTesting

extension DocumentationSamples {
    @Test func trust() async throws {
        let roots = FileManager.default.temporaryDirectory.appending(path: "roots-\(UUID().uuidString).pem").path
        try TestCertificates.authorityPEM.write(toFile: roots, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: roots) }
        let server = try await ScriptedServer.start(tls: .localhost) { _ in .ok("secret") }
        let api = Client(server.url) {
            $0.connection.tls.roots = .systemAnd(file: roots)  // .file: these and no others
            $0.connection.tls.minimumVersion = .tls13
        }
        let response = try await api.get("")
        let tls = response.connection?.tls
        print(tls?.version ?? "none")  // TLS 1.3
        print(tls?.certificate?.publicKeyPin ?? "")  // sha256/ and 44 characters
        let pin = tls?.certificate?.publicKeyPin ?? ""
        #expect(tls?.version == "TLS 1.3" && pin.hasPrefix("sha256/") && pin.count == 51)
        // Scripts/check/check-shell.py expects this pin of the documented `openssl` line.
        #expect(pin == "sha256/sw5zgc0dhNyKbpEoOts5WZo1QEpQqmznUVCcjKLgfqs=")

        let backup = "sha256/" + String(repeating: "A", count: 43) + "="
        let pinned = api.with { $0.connection.tls.pins["127.0.0.1"] = PinnedKeys(pin, backup: backup) }
        try await pinned.get("").accepted()
        let wrong = api.with { $0.connection.tls.pins["127.0.0.1"] = PinnedKeys(backup, backup: backup) }
        await #expect { _ = try await wrong.get("") } throws: { ($0 as? CallError)?.kind == .tls }
        let (certificate, key) = ("/no/client.pem", "/no/client.key")
        let identified = api.with { $0.connection.tls.identity = .files(certificate: certificate, key: key) }
        // The files are read when the first connection is made.
        await #expect { _ = try await identified.get("") } throws: { "\($0)".contains("/no/client.pem") }
        let stranger = Client(server.url)
        await #expect { _ = try await stranger.get("") } throws: { ($0 as? CallError)?.kind == .tls }
        try await close(stranger)
        try await close(api)
        await server.stop()
    }

    @Test func proxies() async throws {
        let server = try await ScriptedServer.start { _ in .ok("through the proxy") }
        let proxy = "http://user:pass%40word@127.0.0.1:\(server.port)"
        let api = Client("http://api.example.com") {
            $0.connection.proxy = .url(proxy, except: ["internal.example", "10.0.0.0/8"])
        }
        #expect(try await api.get("hello").text() == "through the proxy")
        let request = try await server.request(0)
        #expect(request.target == "http://api.example.com/hello")
        #expect(request["proxy-authorization"] == "Basic dXNlcjpwYXNzQHdvcmQ=")
        #expect(!String(reflecting: api.configuration).contains("word"))
        try await close(api)
        await server.stop()
    }

    @Test func addresses() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let address = "127.0.0.1:\(server.port)"
        let api = Client("http://api.example.com") {
            $0.connection.proxy = .none
            $0.connection.resolve["api.example.com:80"] = address
        }
        #expect(try await api.get("hello").text() == "hello")
        #expect(server.requests[0]["host"] == "api.example.com")

        // For URLs that users entered: checked after the look-up, at every redirect.
        let careful = api.with { $0.connection.allowedAddresses = .publicOnly }
        await #expect { _ = try await careful.get("hello") } throws: { ($0 as? CallError)?.kind == .connectionFailed }
        try await close(api)
        await server.stop()
    }

    #if Server
    @Test func versions() async throws {
        try await withHTTPBin { base, _ in
            let api = Client(base) { $0.connection.httpVersion = .http2 }  // and nothing else; .http11 does without
            let version = try await api.get("get").version  // .http2
            #expect(version == .http2)
            try await close(api)
        }
    }
    #endif

    @Test func limits() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let api = Client(server.url) {
            $0.connection.connectionsPerOrigin = 8
            $0.connection.connections = 64
            $0.connection.idleConnectionLifetime = .seconds(30)
            $0.connection.connectionLifetime = .seconds(300)
            $0.timeouts.pool = .seconds(5)
        }
        try await api.warmUp(connections: 2)
        try await server.waitUntil(acceptedConnections: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...100 { group.addTask { try await api.get("hello").accepted() } }
            try await group.waitForAll()
        }
        #expect(server.acceptedConnections <= 8)
        try await close(api)
        await server.stop()
    }

    @Test func settingsThatMeanNothing() async throws {
        let api = Client("https://api.example.com") {
            $0.connection.tls.pins["https://api.example.com"] = PinnedKeys("A", backup: "B")
            $0.connection.proxy = .none
        }
        await #expect { _ = try await api.get("") } throws: { ($0 as? CallError)?.kind == .invalidRequest }
        try await close(api)
    }
}
