// A response cache that outlives the process, in a folder.

import TsubameCore

extension ResponseCache {
    /// A cache that is kept in a folder, which is made if it is missing, readable by its owner only, and is to be used for
    /// nothing else.
    ///
    /// ```swift
    /// let cache = try ResponseCache(folder: "responses")
    /// let client = Client("https://api.example.com") { $0.cache = .cache(cache) }
    /// ```
    /// Any number of processes, and of caches, may use it at once. A response is a file, and its body another one if it is
    /// longer than 64 KiB; bodies are written and read piece by piece, never held whole. A response is kept when the call
    /// that got it has read it to its end: a process that is killed loses what it was about to keep and nothing else.
    /// Everything that is read is checked by its sum; what is damaged is forgotten.
    ///
    /// `ResponseCache(sqlite:)` of `TsubameStore` does the same in a database: it finds a response among very many sooner,
    /// and keeps small ones in less room.
    /// - Parameters:
    ///   - path: of the folder.
    ///   - bytes: how much is kept, bodies and fields; what was used longest ago goes first.
    /// - Throws: ``CallError/Kind/file`` if the folder cannot be made.
    public convenience init(folder path: String, bytes: Int64 = 256 << 20) throws(CallError) {
        self.init(keeper: try FolderKeeper(path, limit: bytes))
    }
}
