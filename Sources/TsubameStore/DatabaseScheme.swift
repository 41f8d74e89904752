// DatabaseScheme: what a database of ours holds, and whose it is.

#if Store
import GRDB

struct DatabaseScheme: Sendable {
    /// In the header of the file: what it is for.
    let application: Int64
    let version: Int64
    /// What is in it, to users.
    let subject: String
    /// To those who debug.
    let label: String
    /// For each connection.
    let pragmas: String
    /// What a new file gets.
    let tables: String
    /// How long another process may hold the database, in seconds.
    let patience: Double
    /// Whether the whole file is looked through when it is opened; what is damaged is found where it is read otherwise.
    let isCheckedWhole: Bool

    /// Checks the file, and makes the tables if it is new.
    func prepare(_ db: Database) throws {
        // What is not ours is left alone, damaged or not.
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
            // Another process may have done it meanwhile.
            if try !self.isKnown(db) {
                try db.execute(
                    sql: "\(tables)\nPRAGMA application_id = \(application);\nPRAGMA user_version = \(version);")
            }
            return .commit
        }
    }

    /// Whether the file has our tables; false for an empty one. To be asked within a transaction.
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

/// What is wrong with a file that no reading will mend.
enum DatabaseProblem: Error {
    case damaged(String)
    case foreign
    case newer
}
#endif
