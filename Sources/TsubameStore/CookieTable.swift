// CookieTable: the cookies in a database: its scheme, its rows.

#if Store
import GRDB
import Tsubame
import TsubameCore
import TsubameWire

enum CookieTable {
    /// In the header of the file: whose it is.
    private static let application: Int64 = 0x5473_7562
    private static let version: Int64 = 1

    /// What is wrong with a file that no reading will mend.
    enum Problem: Error {
        case damaged(String)
        case foreign
        case newer
    }

    /// Checks the whole file, and makes the table if the file is new.
    static func prepare(_ db: Database) throws {
        // What is not ours is left alone, damaged or not.
        var isKnown = false
        try db.inTransaction(.deferred) {
            isKnown = try Self.isKnown(db)
            return .commit
        }
        let check = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? ""
        guard check == "ok" else { throw Problem.damaged(check) }
        if try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" {
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
        if isKnown { return }
        try db.inTransaction(.immediate) {
            // Another process may have done it meanwhile.
            if try !Self.isKnown(db) {
                try db.execute(
                    sql: """
                        CREATE TABLE cookie (
                            domain TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, hostOnly INTEGER NOT NULL,
                            value TEXT NOT NULL, expires INTEGER, secure INTEGER NOT NULL, httpOnly INTEGER NOT NULL,
                            sameSite TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL,
                            PRIMARY KEY (domain, path, name, hostOnly)
                        ) WITHOUT ROWID;
                        PRAGMA application_id = \(application);
                        PRAGMA user_version = \(version);
                        """)
            }
            return .commit
        }
    }

    /// Whether the file has our table; false for an empty one. To be asked within a transaction.
    private static func isKnown(_ db: Database) throws -> Bool {
        let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if application == Self.application {
            guard version <= Self.version else { throw Problem.newer }
            return true
        }
        guard application == 0, version == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        else {
            throw Problem.foreign
        }
        return false
    }

    /// Another number whenever another connection has changed the file.
    static func state(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
    }

    static func removeExpired(_ db: Database, now: Int64) throws {
        try db.execute(sql: "DELETE FROM cookie WHERE expires <= ?", arguments: [now])
    }

    /// The cookies used last, as many as a store holds. What has a value of the wrong kind is left out.
    static func cookies(_ db: Database, withSessions: Bool) throws -> [StoredCookie] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT domain, path, name, hostOnly, value, expires, secure, httpOnly, sameSite, created, used
                    FROM cookie WHERE ? OR expires IS NOT NULL ORDER BY used DESC LIMIT \(CookieStore.maximum)
                    """), arguments: [withSessions])
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
