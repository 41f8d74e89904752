// DatabaseCacheStorage: a cache's responses in a database that other processes can use at the same time.

#if Store
#if canImport(FoundationEssentials)
import TsubamePlatform
import FoundationEssentials
#else
import Foundation
#endif
import Dispatch
import GRDB
import Synchronization
import Tsubame
import TsubameCore
import TsubameWire

final class DatabaseCacheStorage: DiskCacheStorage {
    private struct State: Sendable {
        /// The bodies, or their files, from the last look-up. One of these bodies is usually read next.
        var found: [Int64: StoredContent] = [:]
        /// The times of use that are not in the database yet. A transaction for each hit would cost more than the
        /// hit.
        var uses: [Int64: Int64] = [:]
        /// The time of the latest use.
        var lastUse: Int64 = 0
        /// The file is not used again before this time.
        var pauseEnd: UInt64 = 0
    }

    /// The number of uses that are written together.
    private static let keptUses = 64
    /// How long the file is left alone after a failure, in nanoseconds.
    private static let pause: UInt64 = 1_000_000_000

    private let place: DatabasePlace
    let limit: Int64
    private let folder: BodyFolder
    private let work = DispatchQueue(label: "tsubame.cache")
    private let state = Mutex(State())

    /// - Throws: ``CallError/Kind/file`` if the file cannot be used at all.
    init(_ path: String, limit: Int64) throws(CallError) {
        place = DatabasePlace(path, CacheTable.scheme)
        self.limit = max(limit, 0)
        folder = BodyFolder(path: path + "-bodies")
        do {
            try working { _ in }
        } catch {
            throw DatabaseFile.failure(error, path)
        }
        BackupExclusion.set(true, path)
        work.async { [weak self] in self?.sweep() }
    }

    deinit {
        let uses = state.withLock { $0.uses }
        guard !uses.isEmpty, let file = place.current else { return }
        // The uses only order the eviction, so the thread that releases the cache does not wait for other processes.
        work.async {
            try? file.queue.inDatabase { db in
                try db.inTransaction(.immediate) {
                    try Self.write(uses, db)
                    return .commit
                }
            }
        }
    }

    var name: String { place.path }
    var queue: DispatchQueue? { work }

    func takeNotices() -> [String] { place.takeNotices() }

    func note(_ text: String) { place.note(text) }

    // MARK: Reading

    func responses(to key: String) -> [StoredResponse] {
        attempt { db in
            let found = try CacheTable.responses(to: key, db)
            for id in found.damaged {
                note("a response in \(place.path) was damaged, and is forgotten")
                folder.remove(try CacheTable.remove(where: "id = ?", [id], db))
            }
            state.withLock { $0.found = found.contents }
            return found.whole
        } ?? []
    }

    func body(of response: StoredResponse, from offset: Int64) -> ResponseBody? {
        let id = response.id
        let found = state.withLock { state in
            defer { state.found = [:] }
            return state.found[id]
        }
        guard let content = found ?? attempt({ db in try CacheTable.content(of: id, db) }) ?? nil,
            content.length == response.bodyLength, (0...content.length).contains(offset)
        else { return nil }
        let body = content.body(from: offset, in: folder, on: work) { [weak self] in self?.forgetDamaged(id) }
        if body == nil { forgetDamaged(id) } else { use(id) }
        return body
    }

    private func forgetDamaged(_ id: Int64) {
        attempt { db in
            folder.remove(try CacheTable.remove(where: "id = ?", [id], db))
            // Another process may have removed the response and its file already.
            if db.changesCount > 0 { note("a response in \(place.path) was damaged, and is forgotten") }
        }
    }

    var byteCount: Int64 { attempt { db in try CacheTable.byteCount(db) } ?? 0 }

    private func use(_ id: Int64) {
        let uses = state.withLock { state -> [Int64: Int64] in
            state.uses[id] = Self.time(after: &state.lastUse)
            guard state.uses.count >= Self.keptUses else { return [:] }
            defer { state.uses = [:] }
            return state.uses
        }
        if !uses.isEmpty { transact { db in try Self.write(uses, db) } }
    }

    private static func write(_ uses: [Int64: Int64], _ db: Database) throws {
        for (id, time) in uses { try CacheTable.use(id, at: time, db) }
    }

    // MARK: Writing

    func folder(of key: String) -> BodyFolder { folder }

    func put(_ head: StoredHead, under key: String, _ content: StoredContent) -> Bool {
        let (uses, used) = state.withLock { state in
            defer { state.uses = [:] }
            return (state.uses, Self.time(after: &state.lastUse))
        }
        let entry = CacheTable.Entry(key: key, head: head, body: content, used: used)
        var (files, isStored): ([String], Bool) = ([], false)
        let isCommitted = transact { db in
            try Self.write(uses, db)
            (files, isStored) = try CacheTable.put(entry, limit: limit, db)
        }
        if isCommitted { folder.remove(files) }
        return isCommitted && isStored
    }

    func update(_ response: StoredResponse) {
        var files: [String] = []
        if transact({ db in files = try CacheTable.update(response, db) }) { folder.remove(files) }
    }

    func remove(_ key: String?, isUrgent: Bool) -> Bool {
        forgetFound()
        let done: Void? = attempt(inPause: isUrgent) { db in
            let files =
                if let key { try CacheTable.remove(where: "key = ?", [key], db) } else {
                    try CacheTable.remove(where: "TRUE", [], db)
                }
            folder.remove(files)
        }
        if key == nil, done != nil { sweep() }
        return done != nil
    }

    /// The found bodies may be among those to be removed.
    private func forgetFound() { state.withLock { $0.found = [:] } }

    /// Removes files that have no row, which killed processes left while they wrote.
    private func sweep() {
        transact { db in try CacheTable.recount(db) }
        for (name, kind) in folder.files where kind != .record {
            attempt { db in
                // A name with an extension is a partial file. It has no row yet, and no lock unless a process is
                // writing it.
                try folder.sweep(name) { try CacheTable.hasFile(name, db) }
            }
        }
    }

    // MARK: The file

    /// The time in microseconds since 1970, later than the previous one.
    private static func time(after last: inout Int64) -> Int64 {
        let now = Date().timeIntervalSince1970 * 1e6
        last = max(last &+ 1, now < 9e18 ? Int64(now) : 0)
        return last
    }

    /// - Returns: whether the transaction was committed.
    @discardableResult
    private func transact(_ body: (Database) throws -> Void) -> Bool {
        let done: Void? = attempt { db in
            try db.inTransaction(.immediate) {
                try body(db)
                return .commit
            }
        }
        return done != nil
    }

    /// Runs `body` on the file. An error becomes a notice, and the result is nil.
    /// - Parameter isNeeded: whether it runs even soon after an error. Other processes use a response until it is removed.
    @discardableResult
    private func attempt<Value>(inPause isNeeded: Bool = false, _ body: (Database) throws -> Value) -> Value? {
        if !isNeeded, state.withLock({ $0.pauseEnd > MonotonicClock.now }) { return nil }
        do {
            return try working(body)
        } catch {
            note(DatabaseFile.failure(error, place.path))
            state.withLock { $0.pauseEnd = MonotonicClock.now &+ Self.pause }
            return nil
        }
    }

    private func working<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try place.work(now: Int64(Date().timeIntervalSince1970)) { db, arrival in
            if arrival != .known { state.withLock { ($0.uses, $0.found) = ([:], [:]) } }
            // The bodies of a damaged database have lost their rows, so they are removed.
            if arrival == .begun { work.async { [weak self] in self?.sweep() } }
            return try body(db)
        }
    }
}
#endif
