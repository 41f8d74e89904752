// TemporaryFolder: a folder for the files of one test.

import Foundation
import TsubameTesting

/// Runs `body` with a new folder, verifies that none of its files is left open, and removes the folder.
func withTemporaryFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try await body(folder)
    try await LeakCheck.verifyNoOpenFiles(in: folder.path)
    return result
}
