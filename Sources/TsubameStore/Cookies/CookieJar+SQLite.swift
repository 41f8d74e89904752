// CookieJar+SQLite: a cookie jar in an SQLite database, which outlives the process.

#if Store
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tsubame
public import TsubameCore
public import TsubameWire

extension CookieJar {
    /// Opens a jar in an SQLite database. The database is created if it is missing, and only its owner can read it.
    ///
    /// ```swift
    /// let jar = try CookieJar(sqlite: "cookies.sqlite")
    /// let client = Client("https://api.example.com") { $0.cookies = .jar(jar) }
    /// ```
    ///
    /// Several processes and several jars may use the database at once. Each request sees the cookies that the others
    /// have stored by then. A call writes its changes to the file before it continues. A killed process therefore loses
    /// only a change that it had not finished.
    ///
    /// Looking for changes of other processes costs a request some microseconds. A response that sets cookies costs a
    /// transaction. If another process holds the database for more than five seconds, the call continues without it
    /// (``CookieJar/failure``).
    ///
    /// A damaged file is renamed: `.damaged-` and the time are appended to its name. The last four damaged files are
    /// kept. A new file then starts with the cookies that this process knows. ``CookieJar/notices`` and the call's
    /// events report the damage.
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - keepsSessionCookies: whether session cookies, which have no expiry, are stored in the file, too. By
    ///     default they are in memory only.
    ///   - publicSuffixes: the domains for which no cookie may be set.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read and written, belongs to another program, or was
    ///   made by a newer version of this library.
    public convenience init(
        sqlite url: URL, keepsSessionCookies: Bool = false, publicSuffixes: PublicSuffixList = .builtIn
    ) throws(CallError) {
        try self.init(
            sqlite: try url.filePath(), keepsSessionCookies: keepsSessionCookies, publicSuffixes: publicSuffixes)
    }

    /// The same for the path of the database as text.
    public convenience init(
        sqlite path: String, keepsSessionCookies: Bool = false, publicSuffixes: PublicSuffixList = .builtIn
    ) throws(CallError) {
        let storage = DatabaseCookieStorage(path, keepsSessions: keepsSessionCookies)
        var store = CookieStore(suffixes: publicSuffixes)
        _ = store.takeUses()
        try storage.refresh(&store, now: Self.now)
        self.init(store: store, storage: storage)
    }
}
#endif
