// DatabaseScheme: the tables and settings of a database, and the check that a file is one.

#if Store
import GRDB

struct DatabaseScheme: Sendable {
    /// The SQLite application ID in the file's header, which tells the kind of database.
    let application: Int64
    let version: Int64
    /// The name of the contents in notices for users.
    let subject: String
    /// The name of the connection for debugging.
    let label: String
    /// The statements for each new connection.
    let pragmas: String
    /// The statements that create the tables of a new file.
    let tables: String
    /// How long to wait for another process that holds the database, in seconds.
    let lockTimeout: Double
    /// Whether the whole file is checked when it is opened. Otherwise damage is found when the damaged part is read.
    let isCheckedWhole: Bool

    /// Checks the file, and creates the tables if the file is new.
    func prepare(_ db: Database) throws {
        // The database of another program must not be changed, even if it is damaged.
        var isKnown = false
        try db.inTransaction(.deferred) {
            isKnown = try self.isKnown(db)
            return .commit
        }
        if isCheckedWhole {
            let check = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? ""
            guard check == "ok" else { throw DatabaseProblem.damaged(check) }
        }
        if try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" {
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
        if isKnown { return }
        try db.inTransaction(.immediate) {
            // Another process may have created the tables meanwhile.
            if try !self.isKnown(db) {
                try db.execute(
                    sql: "\(tables)\nPRAGMA application_id = \(application);\nPRAGMA user_version = \(version);")
            }
            return .commit
        }
    }

    /// Whether the file has our tables; false for an empty file. Call it within a transaction.
    private func isKnown(_ db: Database) throws -> Bool {
        let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if application == self.application {
            guard version <= self.version else { throw DatabaseProblem.newer }
            return true
        }
        guard application == 0, version == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        else {
            throw DatabaseProblem.foreign
        }
        return false
    }
}

/// A problem with a file that another attempt does not solve.
enum DatabaseProblem: Error {
    case damaged(String)
    case foreign
    case newer
}
#endif
