// Saving a response's body to a file.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

extension Response {
    /// Writes the body to a file, piece by piece as it comes: under another name first, renamed when it is whole, so
    /// that a broken transfer leaves no half file and an existing file stays until it is replaced. Its permissions stay.
    /// - Throws: ``CallError`` of kind `status`, `file`, or what reading the body throws.
    @concurrent
    public func save(to file: URL) async throws(CallError) {
        try await accepted()
        let partial = file.deletingLastPathComponent().appending(
            path: ".\(file.lastPathComponent).\(UUID().uuidString.prefix(8)).part")
        let output = try PartialFile(partial.path, inPlaceOf: file.path, request)
        do throws(CallError) {
            for try await chunk in body { try output.write(chunk) }
            try output.finish(renamingTo: file.path)
        } catch {
            try? FileManager.default.removeItem(at: partial)
            throw error
        }
    }
}
