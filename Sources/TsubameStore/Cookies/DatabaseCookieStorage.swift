// DatabaseCookieStorage: a jar's cookies in a database that other processes can use at the same time.

#if Store
import GRDB
import Synchronization
import Tsubame
import TsubameCore
import TsubameWire

/// The jar's store is a copy of the table. It is read again when another connection has changed the file; SQLite
/// detects this by a look into shared memory. Changes are made within a transaction that locks out other processes.
final class DatabaseCookieStorage: CookieStorage {
    private let place: DatabasePlace
    private let keepsSessions: Bool
    /// SQLite's `data_version` of the file when the store was copied from it.
    private let version = Mutex<Int64?>(nil)

    init(_ path: String, keepsSessions: Bool) {
        place = DatabasePlace(path, CookieTable.scheme)
        self.keepsSessions = keepsSessions
    }

    var name: String { place.path }

    var keepsAll: Bool { keepsSessions }

    func takeNotices() -> [String] { place.takeNotices() }

    func refresh(_ store: inout CookieStore, now: Int64) throws(CallError) {
        try working(&store, now) { (store, db) in
            guard try CookieTable.state(db) != version.withLock({ $0 }) else { return }
            // A transaction, so that the version and the rows belong to the same state of the file.
            try db.inTransaction(.deferred) {
                try load(db, into: &store, now)
                return .commit
            }
        }
    }

    func update(_ store: inout CookieStore, now: Int64, _ change: (inout CookieStore) -> Void) throws(CallError) {
        var isChanged = false
        do {
            try working(&store, now) { (store, db) in
                // The change was made in memory, and the new file holds all cookies already, because the damaged file
                // was replaced meanwhile.
                if isChanged { return }
                try db.inTransaction(.immediate) {
                    try CookieTable.removeExpired(db, now: now)
                    try load(db, into: &store, now)
                    let owner = store.owner
                    let changes = store.recording(change)
                    isChanged = true
                    for (key, used) in store.takeUses() where changes[key] == nil {
                        try CookieTable.use(key, at: used, db)
                    }
                    for (key, cookie) in changes {
                        if let cookie, isKept(cookie.cookie) {
                            try CookieTable.put(cookie, db)
                        } else {
                            try CookieTable.remove(key, db)
                        }
                    }
                    if store.owner != owner { try CookieTable.setOwner(store.owner, db) }
                    return .commit
                }
            }
        } catch {
            if !isChanged { change(&store) }
            throw error
        }
    }

    private func isKept(_ cookie: Cookie) -> Bool { keepsSessions || cookie.expires != nil }

    /// Reads the table, unless the store is an up-to-date copy of it.
    private func load(_ db: Database, into store: inout CookieStore, _ now: Int64) throws {
        let current = try CookieTable.state(db)
        guard current != version.withLock({ $0 }) else { return }
        let cookies = try CookieTable.cookies(db, withSessions: keepsSessions, now: now)
        store.replace(where: isKept, by: cookies, now: now)
        store.takeOwner(try CookieTable.owner(db))
        version.withLock { $0 = current }
    }

    // MARK: The file

    private func working(
        _ store: inout CookieStore, _ now: Int64, _ body: (inout CookieStore, Database) throws -> Void
    ) throws(CallError) {
        do {
            try place.work(now: now, begin: { try CookieTable.prepare($0, now: now) }) { db, arrival in
                if arrival != .known { version.withLock { $0 = nil } }
                if arrival == .begun { try putAll(of: store, into: db) }
                try body(&store, db)
            }
        } catch {
            throw DatabaseFile.failure(error, place.path)
        }
    }

    /// Writes the known cookies into a new file.
    private func putAll(of store: CookieStore, into db: Database) throws {
        try db.inTransaction(.immediate) {
            for cookie in store.stored where isKept(cookie.cookie) { try CookieTable.put(cookie, db) }
            return .commit
        }
    }
}
#endif
