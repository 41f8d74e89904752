// DocumentationSamples: the samples of TsubameInspector.md.

import Foundation
import Testing
import Tsubame
import TsubameInspector
import TsubameTesting

extension DocumentationSamples {
    @Test func inspector() async throws {
        let server = try await ScriptedServer.start { _ in .ok("seen") }
        let client = Client(server.url)
        let inspector =
            try await client.inspect()  // prints the URL
        _ = try await client.get("")
        #expect(inspector.url.hasPrefix("http://127.0.0.1:\(inspector.port)/?token="))
        #expect(inspector.log.count == 1)
        await inspector.stop()
        try await close(client)
        await server.stop()
    }

    @Test func session() async throws {
        let file = NSTemporaryDirectory() + "calls-\(UUID().uuidString).har"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let client = Client()
        let inspector =
            try await client.inspect(session: file)  // a path, such as "calls.har"
        #expect(inspector.log.count == 0)
        await inspector.stop()
        try await close(client)
    }

    @Test func trafficLog() async throws {
        let server = try await ScriptedServer.start { _ in .ok("kept") }
        let client = Client(server.url)
        let log = TrafficLog()
        log.add(client)
        log.keepBodies()
        _ = try await client.get("")
        let archive = try await log.har()
        #expect(String(decoding: archive, as: UTF8.self).contains("\"text\" : \"kept\""))
        try await close(client)
        await server.stop()
    }
}
