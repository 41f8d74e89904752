// ResponseCache+SQLite: a response cache in an SQLite database, which outlives the process.

#if Store
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tsubame
public import TsubameCore

extension ResponseCache {
    /// Opens a cache in an SQLite database. The database is created if it is missing, and only its owner can read it.
    ///
    /// ```swift
    /// let cache = try ResponseCache(sqlite: "cache.sqlite")
    /// let client = Client("https://api.example.com") { $0.cache = .cache(cache) }
    /// ```
    ///
    /// Several processes and several caches may use the database at once. Bodies of up to 64 KiB are in the database.
    /// Longer bodies are in files of a folder beside it (`cache.sqlite-bodies`). They are written and read piece by
    /// piece, and never held in memory as a whole.
    ///
    /// A response is stored when the call that requested it has read it to its end. A killed process loses only the
    /// responses that it had not finished. A loss of power may lose the last responses. All stored data is checked by
    /// a checksum when it is read; a damaged response is removed.
    ///
    /// A damaged database is renamed: `.damaged-` and the time are appended to its name. The last four damaged
    /// databases are kept, and a new one is created. The events of the call that finds the damage report it. If
    /// another process holds the database for more than two seconds, calls continue without the cache.
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - bytes: the limit for stored bodies and fields, in bytes. The least recently used responses are removed
    ///     first.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read and written, belongs to another program, or was
    ///   made by a newer version of this library.
    public convenience init(sqlite path: String, bytes: Int64 = 256 << 20) throws(CallError) {
        self.init(storage: try DatabaseCacheStorage(path, limit: bytes))
    }

    /// A cache in the SQLite database at a file URL.
    public convenience init(sqlite url: URL, bytes: Int64 = 256 << 20) throws(CallError) {
        try self.init(sqlite: try url.filePath(), bytes: bytes)
    }
}
#endif
