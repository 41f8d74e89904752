// A response cache that outlives the process, in a folder.

import TsubameCore

extension ResponseCache {
    /// A cache that is kept in a folder of its own. A missing folder is made, readable by its owner only.
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
    /// The file `tsubame-cache` marks the folder as a cache's. A folder that holds other files and no mark is refused. The
    /// cache reads and removes only files with names of its own form, and follows no symbolic link in the folder.
    ///
    /// `ResponseCache(sqlite:)` of `TsubameStore` does the same in a database: it finds a response among very many sooner,
    /// and keeps small ones in less room.
    /// - Parameters:
    ///   - path: of the folder.
    ///   - bytes: how much is kept, bodies and fields; what was used longest ago goes first.
    /// - Throws: ``CallError/Kind/file`` if the folder cannot be made, or holds files that are not of a cache.
    public convenience init(folder path: String, bytes: Int64 = 256 << 20) throws(CallError) {
        self.init(keeper: try FolderKeeper(path, limit: bytes))
    }
}
