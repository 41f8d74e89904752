// CacheTable: the schema and rows of the cached responses in a database.

#if Store
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import GRDB
import Tsubame
import TsubameCore
import TsubameWire

enum CacheTable {
    static let scheme = DatabaseScheme(
        application: 0x5473_7563, version: 1, subject: "the cached responses", label: "Tsubame.cache",
        // With `synchronous = NORMAL` a killed process loses nothing. A loss of power may lose the last responses.
        pragmas: "PRAGMA synchronous = NORMAL",
        tables: """
            CREATE TABLE response (
                id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, selecting TEXT NOT NULL, used INTEGER NOT NULL,
                size INTEGER NOT NULL, status INTEGER NOT NULL, requestTime REAL NOT NULL, responseTime REAL NOT NULL,
                headSum INTEGER NOT NULL, head TEXT NOT NULL, length INTEGER NOT NULL, file TEXT, sums BLOB NOT NULL,
                body BLOB
            );
            -- IDs start at random: a process may still hold an ID of an earlier file.
            INSERT INTO sqlite_sequence (name, seq) VALUES ('response', abs(random() >> 16));
            CREATE UNIQUE INDEX byKey ON response (key, selecting);
            CREATE INDEX byUse ON response (used, id);
            CREATE INDEX byFile ON response (file) WHERE file IS NOT NULL;
            CREATE TABLE total (bytes INTEGER NOT NULL);
            INSERT INTO total VALUES (0);
            CREATE TRIGGER added AFTER INSERT ON response BEGIN UPDATE total SET bytes = bytes + new.size; END;
            CREATE TRIGGER removed AFTER DELETE ON response BEGIN UPDATE total SET bytes = bytes - old.size; END;
            CREATE TRIGGER changed AFTER UPDATE OF size ON response BEGIN
                UPDATE total SET bytes = bytes - old.size + new.size;
            END;
            """, lockTimeout: 2, isCheckedWhole: false)

    /// The space that a row takes in addition to its texts and body, in bytes.
    private static let overhead: Int64 = 256

    /// A response to store.
    struct Entry {
        var key: String
        var head: StoredHead
        var body: StoredContent
        var used: Int64
    }

    // MARK: Reading

    /// The responses found under a key.
    struct Found {
        /// The newest response first.
        var whole: [StoredResponse] = []
        /// Their bodies, or the files that hold them. The bodies read from the database have at most
        /// `CacheLimits.smallBody` bytes together.
        var contents: [Int64: StoredContent] = [:]
        /// The IDs of responses whose head is damaged.
        var damaged: [Int64] = []
    }

    private static let responses = """
        SELECT id, selecting, status, requestTime, responseTime, headSum, head, length, file, sums, body FROM response
        WHERE key = ? ORDER BY responseTime DESC, id DESC LIMIT \(CacheLimits.variants)
        """

    static func responses(to key: String, _ db: Database) throws -> Found {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: responses), arguments: [key])
        var found = Found()
        var room = Int64(CacheLimits.smallBody)
        while let row = try rows.next() {
            func text(_ index: Int) -> String? { String.fromDatabaseValue(row[index]) }
            func number(_ index: Int) -> Int64? { Int64.fromDatabaseValue(row[index]) }
            func time(_ index: Int) -> Double? { Double.fromDatabaseValue(row[index]) }
            guard let id = number(0) else { continue }
            guard let selecting = text(1), let status = number(2), let requestTime = time(3),
                let responseTime = time(4),
                let sum = number(5), let fields = text(6), let length = number(7), length >= 0,
                let stored = StoredHead(
                    status: Int(clamping: status), fieldText: fields, selectingText: selecting,
                    requestTime: requestTime, responseTime: responseTime),
                sum == Self.sum(key, stored, length, text(8))
            else {
                found.damaged.append(id)
                continue
            }
            found.whole.append(StoredResponse(id: id, head: stored, bodyLength: length))
            let size = text(8) == nil ? length : 0
            guard size <= room else { continue }
            room -= size
            found.contents[id] = try content(of: row, length: 7, file: 8, sums: 9, body: 10)
        }
        return found
    }

    /// nil if the response no longer exists.
    static func content(of id: Int64, _ db: Database) throws -> StoredContent? {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT length, file, sums, body FROM response WHERE id = ?"), arguments: [id])
        return try rows.next().flatMap { try content(of: $0, length: 0, file: 1, sums: 2, body: 3) }
    }

    /// Each parameter is the index of a column.
    private static func content(of row: Row, length: Int, file: Int, sums: Int, body: Int) throws -> StoredContent? {
        guard let length = Int64.fromDatabaseValue(row[length]), let sums = Data.fromDatabaseValue(row[sums]) else {
            return nil
        }
        let file = String.fromDatabaseValue(row[file])
        guard file.map({ CacheFileName.kind(of: $0) == .body }) ?? true else { return nil }
        return StoredContent(
            length: length, sums: BlockSums(sums), file: file,
            bytes: try row.withUnsafeData(atIndex: body) { data in
                data.map { data in data.withUnsafeBytes { Bytes(copying: $0) } }
            })
    }

    static func byteCount(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT bytes FROM total")) ?? 0
    }

    /// Corrects the total if it is wrong.
    static func recount(_ db: Database) throws {
        try db.execute(sql: "UPDATE total SET bytes = (SELECT coalesce(sum(size), 0) FROM response)")
    }

    static func hasFile(_ name: String, _ db: Database) throws -> Bool {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM response WHERE file = ?"), arguments: [name]) != nil
    }

    // MARK: Writing

    static func use(_ id: Int64, at used: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE response SET used = max(used, ?) WHERE id = ?")
            .execute(arguments: [used, id])
    }

    /// Stores a response in place of the one with the same key and selecting fields.
    /// - Returns: the files that no response uses any more, and whether the response is stored.
    static func put(_ entry: Entry, limit: Int64, _ db: Database) throws -> (files: [String], isStored: Bool) {
        let (selecting, head) = (entry.head.selectingText, entry.head.fieldText)
        let size = size(entry.key, selecting, head) + entry.body.length
        var files = try remove(where: "key = ? AND selecting = ?", [entry.key, selecting], db)
        // A response above the limit would evict all others, and then itself.
        guard size <= limit else { return (files, false) }
        try db.cachedStatement(
            sql: """
                INSERT INTO response (key, selecting, used, size, status, requestTime, responseTime, headSum, head, length,
                    file, sums, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.key, selecting, entry.used, size, entry.head.status, entry.head.requestTime, entry.head.responseTime,
            sum(entry.key, entry.head, entry.body.length, entry.body.file), head, entry.body.length,
            entry.body.file, entry.body.sums.data, entry.body.bytes.map { Data($0) },
        ])
        let id = db.lastInsertedRowID
        files += try remove(
            where: """
                id IN (SELECT id FROM response WHERE key = ? ORDER BY responseTime DESC, id DESC
                    LIMIT -1 OFFSET \(CacheLimits.variants))
                """, [entry.key], db)
        while try byteCount(db) > limit {
            files += try remove(where: "id = (SELECT id FROM response ORDER BY used, id LIMIT 1)", [], db)
            if db.changesCount == 0 { break }
        }
        // A row of a clock that was ahead is newer than this one.
        return (
            files,
            try Int.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM response WHERE id = ?"), arguments: [id]) != nil
        )
    }

    /// Updates the fields and times of a response. It replaces any other response that now has the same selecting
    /// fields.
    /// - Returns: the files that no response uses any more.
    static func update(_ response: StoredResponse, _ db: Database) throws -> [String] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT key, file FROM response WHERE id = ?"), arguments: [response.id])
        guard let row = try rows.next(), let key = String.fromDatabaseValue(row[0]) else { return [] }
        let file = String.fromDatabaseValue(row[1])
        let (selecting, head) = (response.head.selectingText, response.head.fieldText)
        let files = try remove(
            where: "key = ? AND selecting = ? AND id <> ?", [key, selecting, response.id], db)
        try db.cachedStatement(
            sql: """
                UPDATE response SET selecting = ?, size = ?, requestTime = ?, responseTime = ?, headSum = ?, head = ?
                WHERE id = ?
                """
        ).execute(arguments: [
            selecting, size(key, selecting, head) + response.bodyLength, response.head.requestTime,
            response.head.responseTime, sum(key, response.head, response.bodyLength, file), head, response.id,
        ])
        return files
    }

    /// - Returns: the files that no response uses any more.
    static func remove(where condition: String, _ arguments: StatementArguments, _ db: Database) throws -> [String] {
        let files = try String?.fetchAll(
            db.cachedStatement(sql: "DELETE FROM response WHERE \(condition) RETURNING file"), arguments: arguments)
        return files.compactMap { $0 }.filter { CacheFileName.kind(of: $0) == .body }
    }

    // MARK: Sizes and sums

    private static func size(_ key: String, _ selecting: String, _ head: String) -> Int64 {
        overhead + Int64(key.utf8.count + selecting.utf8.count + head.utf8.count)
    }

    private static func sum(_ key: String, _ head: StoredHead, _ length: Int64, _ file: String?) -> Int64 {
        var text = """
            \(key)
            \(head.status) \(head.requestTime.bitPattern) \(head.responseTime.bitPattern) \(length) \(file ?? "")
            \(head.selectingText)
            \(head.fieldText)
            """
        return Int64(text.withUTF8 { CRC32.sum(UnsafeRawBufferPointer($0)) })
    }
}
#endif
