// A response cache that outlives the process, in a database of SQLite.

#if Store
public import Tsubame
public import TsubameCore

extension ResponseCache {
    /// A cache that is kept in a database of SQLite, which is made if it is missing, readable by its owner only.
    ///
    /// ```swift
    /// let cache = try ResponseCache(sqlite: "cache.sqlite")
    /// let client = Client("https://api.example.com") { $0.cache = .cache(cache) }
    /// ```
    /// Any number of processes, and of caches, may use it at once. Bodies of up to 64 KiB are in the database, longer ones
    /// in files of a folder beside it (`cache.sqlite-bodies`); they are written and read piece by piece, never held
    /// whole. A response is kept when the call that got it has read it to its end: a process that is killed loses what it
    /// was about to keep and nothing else, a machine that loses its power perhaps the last responses. Everything that is
    /// read is checked by its sum; what is damaged is forgotten.
    ///
    /// A damaged database is set aside, under its name with `.damaged-` and the time behind it (the last four are kept), and
    /// a new one is begun: the events of the call that finds it say so. Where another process holds the database for more than two seconds, calls
    /// go on without the cache.
    /// - Parameters:
    ///   - path: of the database.
    ///   - bytes: how much is kept, bodies and fields; what was used longest ago goes first.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read and written, belongs to another program, or was made by
    ///   a newer version of this library.
    public convenience init(sqlite path: String, bytes: Int64 = 256 << 20) throws(CallError) {
        self.init(keeper: try DatabaseCacheKeeper(path, limit: bytes))
    }
}
#endif
