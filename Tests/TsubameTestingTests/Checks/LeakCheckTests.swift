// LeakCheckTests: what counts as left open, for one client.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct LeakCheckTests {
    private func client(_ server: ScriptedServer) -> Client {
        Client(server.url) {
            $0.connection.proxy = .none
            $0.retry = .off
        }
    }

    @Test func `a call that runs is a leak of its connection and socket`() async throws {
        let gate = Gate()
        try await ScriptedServer.start { _ in Reply.ok("late").after(gate) }.use { server in
            let client = client(server)
            let call = Task { try await client.get("") }
            try await gate.waitForArrivals(1)
            let leak = await #expect(throws: Leak.self) {
                try await LeakCheck.verify(client, within: .milliseconds(50))
            }
            #expect(leak?.description.contains("1 calls") == true)
            #expect(leak?.description.contains("1 leased, 0 being made, 0 idle, 1 sockets") == true)
            gate.open()
            _ = try await call.value
            try await LeakCheck.verify(client)
            await client.close()
        }
    }

    @Test func `an idle connection is a leak of a closed client alone`() async throws {
        try await ScriptedServer.start().use { server in
            let (client, other) = (client(server), client(server))
            _ = try await client.get("")
            try await LeakCheck.verify(client)
            let leak = await #expect(throws: Leak.self) {
                try await LeakCheck.verifyClosed(client, within: .milliseconds(50))
            }
            #expect(leak?.description.contains("1 idle, 1 sockets") == true)
            // Each client is counted by itself.
            try await LeakCheck.verifyClosed(other)
            await client.close()
            try await LeakCheck.verifyClosed(client)
            await other.close()
        }
    }

    @Test func `a file that is still open is a leak of its folder`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-leak-\(UUID())")
        let (inside, other) = (folder.appending(path: "a/b"), folder.appending(path: "a2"))
        for folder in [inside, other] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = inside.appending(path: "open.bin")
        try Data("x".utf8).write(to: path)
        let file = try FileHandle(forReadingFrom: path)
        func leak(_ folder: String) async -> Leak? {
            await #expect(throws: Leak.self) {
                try await LeakCheck.verifyNoOpenFiles(in: folder, within: .milliseconds(20))
            }
        }
        #expect(await leak(folder.path + "/a")?.description.contains("/a/b/open.bin") == true)
        // The name of the other folder begins with the same letters.
        try await LeakCheck.verifyNoOpenFiles(in: other.path)
        try FileManager.default.removeItem(at: path)
        #expect(await leak(folder.path + "/./a/")?.description.contains("/a/b/open.bin") == true)
        try file.close()
        try await LeakCheck.verifyNoOpenFiles(in: folder.path)
        #expect(await leak(folder.path + "/none")?.description.contains("No such file") == true)
    }

    @Test func `an attempt to connect that fails leaves no socket`() async throws {
        let port = try DeadPort()
        try await withClient(port.url) { client in
            await #expect(throws: CallError.self) { _ = try await client.get("") }
        }
    }

    @Test func `withClient runs its client over a transport`() async throws {
        let stub = StubTransport { $0.on(.get, "/users").respond(text: "ada") }
        try await withClient("https://api.example.com/v1", transport: stub) { client in
            let text = try await client.get("users").text()
            #expect(text == "ada")
        }
        try stub.assertAllUsed()
        // The client is closed, and so is its transport.
        await #expect(throws: CallError.self) { try await Client(transport: stub).get(url: "https://api.example.com") }
    }

    @Test func `withClient throws the error of its body, not a leak`() async throws {
        struct Stop: Error {}
        try await ScriptedServer.start { _ in .stall }.use { server in
            await #expect(throws: Stop.self) {
                try await withClient(server.url) { client in
                    Task { try await client.get("") }
                    _ = try await server.request(0)
                    throw Stop()
                }
            }
            try await server.waitUntil(openConnections: 0)
        }
    }
}
