// Response+File: writes a response's body to a file.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

extension Response {
    /// Writes the body to a file, piece by piece as it arrives. The bytes go to a file of another name first, which
    /// is renamed when it is complete. So a broken transfer leaves no partial file, and an existing file stays
    /// until it is replaced. The new file gets the permissions of the old one.
    /// - Throws: ``CallError`` of kind `status` or `file`, or the error of reading the body.
    @concurrent
    public func save(to path: String) async throws(CallError) { try await save(to: URL(filePath: path)) }

    /// Writes the body to the file at a file URL, as ``save(to:)-(String)`` does.
    /// - Throws: ``CallError`` of kind `status`, `file` or `misuse`, or the error of reading the body.
    @concurrent
    public func save(to file: URL) async throws(CallError) {
        let path = try file.filePath()
        try await accepted()
        // The name does not contain that of the file, which may already be as long as a name can be.
        let partial = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
        let output = try PartialFile(partial.path, inPlaceOf: path, request)
        do throws(CallError) {
            for try await chunk in body { try output.write(chunk) }
            try output.finish(renamingTo: path)
        } catch {
            try? FileManager.default.removeItem(at: partial)
            throw error
        }
    }
}
