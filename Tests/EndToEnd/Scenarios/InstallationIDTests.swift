// InstallationIDTests: the identifier of an installation.

import Foundation
import KeyValueAPI
import Testing

@Suite struct InstallationIDTests {
    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test func `the installation's id is made once, however many make it at once`() async throws {
        try await Self.withFolder { folder in
            let folder = folder.appending(path: "deeper")
            let ids = try await withThrowingTaskGroup(of: InstallationID.self) { group in
                for _ in 0..<64 { group.addTask { try InstallationID.stored(in: folder) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(ids).count == 1)
            #expect(ids.first.flatMap { UUID(uuidString: $0.value) } != nil)
            let again = try InstallationID.stored(in: folder)
            #expect(again == ids.first)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files == ["installation-id"])
        }
    }

    @Test func `two installations have two ids`() async throws {
        try await Self.withFolder { folder in
            let one = try InstallationID.stored(in: folder.appending(path: "one"))
            let other = try InstallationID.stored(in: folder.appending(path: "other"))
            #expect(one != other)
        }
    }

    @Test func `a file that holds no id is replaced`() async throws {
        try await Self.withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("garbage".utf8).write(to: folder.appending(path: "installation-id"))
            let id = try InstallationID.stored(in: folder)
            let again = try InstallationID.stored(in: folder)
            #expect(id == again && UUID(uuidString: id.value) != nil)
        }
    }

    @Test func `a folder that cannot be made throws`() {
        #expect(throws: (any Error).self) { try InstallationID.stored(in: URL(filePath: "/dev/null/folder")) }
    }
}
