// ResponseCache+Folder: creates a response cache that is kept in a folder and outlives the process.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import TsubameCore

extension ResponseCache {
    /// Creates a cache that is kept in a folder of its own. If the folder is missing, it is created, and only its
    /// owner can read it.
    ///
    /// ```swift
    /// let cache = try ResponseCache(folder: "responses")
    /// let client = Client("https://api.example.com") { $0.cache = .cache(cache) }
    /// ```
    /// Any number of processes and caches may use the folder at once. Each response is a file, and a body longer than
    /// 64 KiB is another one. Bodies are written and read piece by piece, and are never in memory as a whole. A
    /// response is stored when the call that received it has read it to its end. A process that is killed loses only
    /// the responses that it was about to store. The cache verifies the checksum of everything that it reads, and
    /// removes damaged responses.
    ///
    /// The file `tsubame-cache` marks the folder as a cache's. A folder that holds other files and no mark is refused.
    /// The cache reads and removes only files with names of its own form, and follows no symbolic link in the folder.
    ///
    /// `ResponseCache(sqlite:)` of `TsubameStore` does the same in a database. It finds a response among very many
    /// sooner, and keeps small responses in less space.
    /// - Parameters:
    ///   - path: the path of the folder.
    ///   - bytes: the most bytes to keep, bodies and fields. The least recently used responses are removed first.
    /// - Throws: ``CallError/Kind/file`` if the folder cannot be created, or holds files that are not a cache's.
    public convenience init(folder path: String, bytes: Int64 = 256 << 20) throws(CallError) {
        self.init(storage: try FolderCacheStorage(path, limit: bytes))
    }

    /// A cache in the folder at a file URL.
    public convenience init(folder url: URL, bytes: Int64 = 256 << 20) throws(CallError) {
        try self.init(folder: try url.filePath(), bytes: bytes)
    }
}
