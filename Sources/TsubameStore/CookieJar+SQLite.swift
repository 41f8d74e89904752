// A cookie jar that outlives the process, in a database of SQLite.

#if Store
public import Tsubame
public import TsubameCore
public import TsubameWire

extension CookieJar {
    /// A jar that is kept in a database of SQLite, which is made if it is missing, readable by its owner only.
    ///
    /// ```swift
    /// let jar = try CookieJar(sqlite: "cookies.sqlite")
    /// let client = Client("https://api.example.com") { $0.cookies = .jar(jar) }
    /// ```
    /// Any number of processes, and of jars, may use it at once: each request sees what the others have kept by then. A
    /// change is in the file when the call goes on that made it, so that a process that is killed loses nothing but what
    /// it was about to change. Looking for changes of others costs a request some microseconds, a response that sets
    /// cookies a transaction. Where another process holds the database for more than five seconds, the call goes on
    /// without (``CookieJar/failure``).
    ///
    /// A damaged file is set aside, under its name with `.damaged-` and the time behind it (the last four are kept), and a new
    /// one is begun with what this process knows: ``CookieJar/notices`` and the call's events say so.
    /// - Parameters:
    ///   - keepsSessionCookies: whether cookies that no server gave a time are in the file, too; they are in memory only
    ///     unless asked.
    ///   - publicSuffixes: which domains no cookie may be set for.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read and written, belongs to another program, or was made by
    ///   a newer version of this library.
    public convenience init(
        sqlite path: String, keepsSessionCookies: Bool = false, publicSuffixes: PublicSuffixList = .builtIn
    ) throws(CallError) {
        let keeper = DatabaseKeeper(path, keepsSessions: keepsSessionCookies)
        var store = CookieStore(suffixes: publicSuffixes)
        _ = store.takeUses()
        try keeper.refresh(&store, now: Self.now)
        self.init(store: store, keeper: keeper)
    }
}
#endif
