// DocumentationSamples: the samples of Performance.md.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

extension DocumentationSamples {
    @Test func onTheLoops() async throws {
        let server = try await ScriptedServer.start { _ in .ok("1234567890") }
        let api = Client(server.url)
        try await api.warmUp(connections: 8)
        let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 1...100 {
                group.addTask(executorPreference: api.executor) {
                    try await api.get("users/\(id)").bytes.count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(bytes == 1_000)
        try await close(api)
        await server.stop()
    }

    @Test func manyAtOnce() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in Reply.ok("hello").after(gate) }
        let api = Client(server.url) { $0.traffic.callsPerHost = 16 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...50 { group.addTask { try await api.get("users/\(id)").accepted() } }
            try await gate.waitForArrivals(16)
            #expect(server.requests.count == 16)
            gate.open()
            try await group.waitForAll()
        }
        #expect(server.requests.count == 50)
        try await close(api)
        await server.stop()
    }
}
