// The samples of Performance.md.

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
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let api = Client(server.url)
        let paths = (1...50).map { Path(encoded: "users/\($0)") }
        try await withThrowingTaskGroup(of: Response.self) { group in
            var rest = paths.makeIterator()
            for path in (0..<16).compactMap({ _ in rest.next() }) {
                group.addTask { try await api.get(path) }
            }
            while let response = try await group.next() {
                try await response.accepted()
                if let path = rest.next() { group.addTask { try await api.get(path) } }
            }
        }
        #expect(server.requests.count == 50)
        try await close(api)
        await server.stop()
    }
}
