// DatabaseFile: an open database, and what may be wrong with one.

#if Store
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import GRDB
import Synchronization
import Tsubame
import TsubameCore

final class DatabaseFile: Sendable {
    /// What is the same for as long as a file is.
    struct Identity: Sendable, Hashable {
        let device: UInt64
        let node: UInt64

        /// nil if there is no file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    /// How long another process may hold what is opened or set aside, in nanoseconds.
    private static let patience: UInt64 = 5_000_000_000

    let path: String
    let identity: Identity
    let queue: DatabaseQueue

    /// Opens the file, checks it, and makes it if it is missing.
    /// - Parameter begin: done before anybody uses it.
    init(_ path: String, _ scheme: DatabaseScheme, begin: (Database) throws -> Void = { _ in }) throws {
        let end = MonotonicClock.now &+ Self.patience
        // SQLite finds a journal by its name: while one file is opened, nobody may put another in its place.
        let lock = try FileLock(Self.lock(of: path), isShared: true, patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        while true {
            try Self.make(path)
            let before = Identity(path)
            var opened: DatabaseQueue?
            do {
                let queue = try DatabaseQueue(path: path, configuration: Self.configuration(scheme))
                opened = queue
                try queue.inDatabase { db in
                    try scheme.prepare(db)
                    try begin(db)
                }
                // Not one that has been put in place of the other meanwhile.
                if let identity = Identity(path), identity == before {
                    (self.path, self.identity, self.queue) = (path, identity, queue)
                    return
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Those who begin with a new file together.
            } catch {
                guard let reason = Self.damage(error), let before else { throw error }
                if let opened { Self.forgotten.withLock { $0.append(opened) } }
                throw DamagedFile(identity: before, reason: reason)
            }
            guard MonotonicClock.now < end else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
            usleep(5_000)
        }
    }

    deinit {
        if !isCurrent { Self.forgotten.withLock { $0.append(queue) } }
    }

    /// Connections to files that are not at their path any more, and are never closed: SQLite would remove the journal
    /// that it finds under the name of theirs, which is that of the file in their place.
    private static let forgotten = Mutex<[DatabaseQueue]>([])

    /// Whether it is still the file at its path: somebody may have removed it, or put another one there.
    var isCurrent: Bool { Identity(path) == identity }

    private static func configuration(_ scheme: DatabaseScheme) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = scheme.label
        configuration.busyMode = .timeout(scheme.patience)
        configuration.prepareDatabase { db in try db.execute(sql: scheme.pragmas) }
        return configuration
    }

    private static func lock(of path: String) -> String { path + "-lock" }

    private static let making = Mutex(())

    /// Makes an empty file, which is an empty database, that nobody but its owner can read; the files beside it get its
    /// mode from SQLite. Closing it would end locks that this process has on it, so nobody here may have opened it yet.
    private static func make(_ path: String) throws(CallError) {
        let code = making.withLock { _ -> Int32 in
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor < 0 else {
                _ = close(descriptor)
                return 0
            }
            return errno == EEXIST ? 0 : errno
        }
        guard code == 0 else {
            throw CallError(.file, "the file \(path) cannot be made: \(String(cString: strerror(code)))")
        }
    }

    /// So many damaged files are kept, the latest: whoever looks into what has happened needs no more, and a disk that damages
    /// each is not filled by them.
    private static let keptAside = 4

    /// Renames a damaged file, and what SQLite has beside it, while no other process does.
    /// - Parameter identity: that of the damaged file; nil if none was opened.
    /// - Returns: its new place; nil if it is not there any more.
    static func setAside(_ path: String, _ identity: Identity, now: Int64) throws(CallError) -> String? {
        let lock = try FileLock(lock(of: path), patience: patience)
        defer { withExtendedLifetime(lock) {} }
        guard Identity(path) == identity else { return nil }
        var place = "\(path).damaged-\(now)"
        var number = 1
        while Identity(place) != nil {
            number += 1
            place = "\(path).damaged-\(now)-\(number)"
        }
        // The file itself last: a new one must not find the journal of the old one.
        for ending in ["-wal", "-shm", ""] {
            guard rename(path + ending, place + ending) == 0 || errno == ENOENT else {
                let reason = String(cString: strerror(errno))
                throw CallError(.file, "\(path) is damaged and cannot be renamed: \(reason)")
            }
        }
        removeOldest(asideOf: path)
        return place
    }

    private static func removeOldest(asideOf path: String) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = String(path[(slash.map(path.index(after:)) ?? path.startIndex)...]) + ".damaged-"
        let aside = BodyFolder(path: folder).names.compactMap { other -> (time: Int64, number: Int64, name: String)? in
            guard other.hasPrefix(name) else { return nil }
            let parts = other.dropFirst(name.count).split(separator: "-", omittingEmptySubsequences: false).map {
                Int64($0)
            }
            guard parts.count <= 2, let time = parts.first ?? nil, let number = parts.count > 1 ? parts[1] : 1 else {
                return nil
            }
            return (time, number, other)
        }
        for (_, _, old) in aside.sorted(by: { ($0.time, $0.number) > ($1.time, $1.number) }).dropFirst(keptAside) {
            for ending in ["", "-wal", "-shm"] { unlink("\(folder)/\(old)\(ending)") }
        }
    }

    /// What is wrong with the file; nil if that is not what the error says.
    static func damage(_ error: any Error) -> String? {
        switch error {
        case DatabaseProblem.damaged(let reason): reason
        case let error as DamagedFile: error.reason
        // It says that it is ours, and is not.
        case let error as DatabaseError where error.message?.hasPrefix("no such ") == true: error.message
        case let error as DatabaseError
        where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB:
            error.message ?? "\(error.resultCode)"
        default: nil
        }
    }

    /// The error in words, without the values that a statement may have.
    static func failure(_ error: any Error, _ path: String) -> CallError {
        switch error {
        case DatabaseProblem.foreign:
            return CallError(.file, "\(path) is the database of another program", advice: "name another file")
        case DatabaseProblem.newer:
            return CallError(
                .file, "\(path) was made by a newer version of Tsubame", advice: "update, or name another file")
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
            return CallError(.file, "\(path) is held by another process")
        case let error as DatabaseError:
            return CallError(.file, "\(path) cannot be used: \(error.message ?? "\(error.resultCode)")")
        default:
            return CallError(.file, "\(path) cannot be used: \(error)")
        }
    }
}

/// What is wrong with a file that could not be opened.
struct DamagedFile: Error {
    let identity: DatabaseFile.Identity
    let reason: String
}
#endif
