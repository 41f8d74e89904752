// DatabaseKeeper: keeps a jar's cookies in a database that other processes use as well.

#if Store
import GRDB
import Synchronization
import Tsubame
import TsubameCore
import TsubameWire

/// The jar's store is a copy of the table. It is read again when another connection has changed the file, which SQLite
/// tells for the price of a look into shared memory, and changed within a transaction that keeps everybody else from it.
final class DatabaseKeeper: CookieKeeper {
    private struct State: Sendable {
        var file: DatabaseFile?
        /// What SQLite called the state of the file that the store is a copy of.
        var version: Int64?
        var notices: [String] = []
    }

    private let path: String
    private let keepsSessions: Bool
    private let state = Mutex(State())

    init(_ path: String, keepsSessions: Bool) {
        self.path = path
        self.keepsSessions = keepsSessions
    }

    var name: String { path }

    func takeNotices() -> [String] {
        state.withLock { state in
            guard !state.notices.isEmpty else { return [] }
            defer { state.notices = [] }
            return state.notices
        }
    }

    func refresh(_ store: inout CookieStore, now: Int64) throws(CallError) {
        try working(&store, now) { (store, db) in
            guard try CookieTable.state(db) != version else { return }
            // So that the state is that of the rows.
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
                // What a damaged file did not take has been put into the new one as a whole.
                if isChanged { return }
                try db.inTransaction(.immediate) {
                    try load(db, into: &store, now)
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
                    return .commit
                }
            }
        } catch {
            if !isChanged { change(&store) }
            throw error
        }
    }

    private var version: Int64? { state.withLock { $0.version } }

    private func isKept(_ cookie: Cookie) -> Bool { keepsSessions || cookie.expires != nil }

    /// Reads the table, unless the store is a copy of it already.
    private func load(_ db: Database, into store: inout CookieStore, _ now: Int64) throws {
        let current = try CookieTable.state(db)
        guard current != version else { return }
        let cookies = try CookieTable.cookies(db, withSessions: keepsSessions)
        store.replace(where: isKept, by: cookies, now: now)
        state.withLock { $0.version = current }
    }

    // MARK: The file

    /// Runs `body` on the file, opened if it is not; once more if the file was damaged and has been replaced.
    private func working(
        _ store: inout CookieStore, _ now: Int64, _ body: (inout CookieStore, Database) throws -> Void
    ) throws(CallError) {
        var isReplaced = false
        while true {
            do {
                let file = try opened(now)
                if isReplaced { try putAll(of: store, into: file) }
                return try file.queue.inDatabase { db in try body(&store, db) }
            } catch let error as CallError {
                throw error
            } catch {
                guard !isReplaced, let damage = DatabaseFile.damage(error) else {
                    throw DatabaseFile.failure(error, path)
                }
                try setAside(damage, (error as? DamagedFile)?.identity, now)
                isReplaced = true
            }
        }
    }

    /// The file at the path, which may be another one than the last time.
    private func opened(_ now: Int64) throws -> DatabaseFile {
        if let file = state.withLock({ $0.file }), file.isCurrent { return file }
        state.withLock { ($0.file, $0.version) = (nil, nil) }
        let file = try DatabaseFile(path, CookieTable.scheme) { try CookieTable.removeExpired($0, now: now) }
        state.withLock { $0.file = file }
        return file
    }

    /// Renames the damaged file, unless another process has.
    /// - Parameter identity: that of a file that could not even be opened.
    private func setAside(_ damage: String, _ identity: DatabaseFile.Identity?, _ now: Int64) throws(CallError) {
        let opened = state.withLock { state in
            defer { (state.file, state.version) = (nil, nil) }
            return state.file?.identity
        }
        guard let damaged = identity ?? opened, let place = try DatabaseFile.setAside(path, damaged, now: now) else {
            return
        }
        state.withLock {
            $0.notices.append("the cookies in \(path) were damaged (\(damage)); that file is \(place) now")
        }
    }

    /// What is known goes on in the new file.
    private func putAll(of store: CookieStore, into file: DatabaseFile) throws {
        try file.queue.inDatabase { db in
            try db.inTransaction(.immediate) {
                for cookie in store.stored where isKept(cookie.cookie) { try CookieTable.put(cookie, db) }
                return .commit
            }
        }
    }
}
#endif
