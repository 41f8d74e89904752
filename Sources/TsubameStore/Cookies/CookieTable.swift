// CookieTable: the schema and rows of the cookies in a database.

#if Store
import TsubamePlatform
import GRDB
import Tsubame
import TsubameCore
import TsubameWire

enum CookieTable {
    static let scheme = DatabaseScheme(
        application: 0x5473_7562, version: 1, subject: "the cookies", label: "Tsubame.cookies",
        // With `synchronous = NORMAL` a killed process loses nothing. A loss of power may lose the last changes, but
        // never the file. `secure_delete` overwrites deleted values.
        pragmas: "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON",
        tables: """
            CREATE TABLE cookie (
                domain TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, hostOnly INTEGER NOT NULL,
                value TEXT NOT NULL, expires INTEGER, secure INTEGER NOT NULL, httpOnly INTEGER NOT NULL,
                sameSite TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL,
                PRIMARY KEY (domain, path, name, hostOnly)
            ) WITHOUT ROWID;
            """, lockTimeout: 5, isCheckedWhole: true)

    /// A number that differs after each change that another connection has made to the file.
    static func state(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
    }

    static func removeExpired(_ db: Database, now: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM cookie WHERE expires <= ?").execute(arguments: [now])
    }

    /// Runs on a newly opened file before its cookies are read.
    static func prepare(_ db: Database, now: Int64) throws {
        try removeExpired(db, now: now)
        try makeOwner(db)
    }

    // MARK: The owner

    /// The key of the row that names the owner of the cookies. No cookie has an empty domain.
    private static let ownerKey = "'', '', 'tsubame-owner', 0"

    /// Gives the file an owner unless it has one.
    static func makeOwner(_ db: Database) throws { try putOwner(UniqueNumber().text, db, "IGNORE") }

    static func setOwner(_ owner: String, _ db: Database) throws { try putOwner(owner, db, "REPLACE") }

    private static func putOwner(_ owner: String, _ db: Database, _ conflict: String) throws {
        try db.execute(
            sql: """
                INSERT OR \(conflict) INTO cookie
                    (domain, path, name, hostOnly, value, secure, httpOnly, sameSite, created, used)
                VALUES (\(ownerKey), ?, 0, 0, '', 0, 0)
                """, arguments: [owner])
    }

    static func owner(_ db: Database) throws -> String? {
        let sql = "SELECT value FROM cookie WHERE (domain, path, name, hostOnly) = (\(ownerKey))"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql)) else { return nil }
        return String.fromDatabaseValue(row[0])
    }

    // MARK: The cookies

    /// The most recently used cookies, at most as many as a store holds. Expired cookies and rows with a value of the wrong
    /// type are left out.
    static func cookies(_ db: Database, withSessions: Bool, now: Int64) throws -> [StoredCookie] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT domain, path, name, hostOnly, value, expires, secure, httpOnly, sameSite, created, used
                    FROM cookie
                    WHERE domain <> '' AND (? OR expires IS NOT NULL) AND (expires IS NULL OR expires > ?)
                    ORDER BY used DESC LIMIT \(CookieStore.maximum)
                    """), arguments: [withSessions, now])
        var cookies: [StoredCookie] = []
        while let row = try rows.next() {
            func text(_ index: Int) -> String? { String.fromDatabaseValue(row[index]) }
            func number(_ index: Int) -> Int64? { Int64.fromDatabaseValue(row[index]) }
            guard let domain = text(0), let path = text(1), let name = text(2), let isHostOnly = number(3),
                let value = text(4), let isSecure = number(6), let isHTTPOnly = number(7), let sameSite = text(8),
                let created = number(9), let used = number(10), created >= 0, used >= 0
            else { continue }
            let cookie = Cookie(
                name: name, value: value, domain: domain, isHostOnly: isHostOnly != 0, path: path, expires: number(5),
                isSecure: isSecure != 0, isHTTPOnly: isHTTPOnly != 0,
                sameSite: Cookie.SameSite(rawValue: sameSite) ?? .unspecified)
            cookies.append(StoredCookie(cookie: cookie, created: UInt64(created), used: UInt64(used)))
        }
        return cookies
    }

    static func put(_ stored: StoredCookie, _ db: Database) throws {
        let cookie = stored.cookie
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO cookie
                    (domain, path, name, hostOnly, value, expires, secure, httpOnly, sameSite, created, used)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            cookie.domain, cookie.path, cookie.name, cookie.isHostOnly, cookie.value, cookie.expires, cookie.isSecure,
            cookie.isHTTPOnly, cookie.sameSite.rawValue, Int64(clamping: stored.created), Int64(clamping: stored.used),
        ])
    }

    static func remove(_ key: CookieKey, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM cookie WHERE domain = ? AND path = ? AND name = ? AND hostOnly = ?")
            .execute(arguments: [key.domain, key.path, key.name, key.isHostOnly])
    }

    static func use(_ key: CookieKey, at used: UInt64, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE cookie SET used = max(used, ?) WHERE domain = ? AND path = ? AND name = ? AND hostOnly = ?
                """
        ).execute(arguments: [Int64(clamping: used), key.domain, key.path, key.name, key.isHostOnly])
    }
}
#endif
