// DatabaseFile: an open SQLite database, and the detection of damage to its file.

#if Store
import TsubamePlatform
import GRDB
import Synchronization
import Tsubame
import TsubameCore

final class DatabaseFile: Sendable {
    /// The device and inode of a file. They stay the same for as long as the file exists.
    struct Identity: Sendable, Hashable {
        let device: UInt64
        let node: UInt64

        /// nil if there is no file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            // A device has a signed number on Apple's systems.
            (device, node) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        }
    }

    /// How long to wait for another process that opens or renames the file, in nanoseconds.
    private static let lockTimeout: UInt64 = 5_000_000_000

    let path: String
    let identity: Identity
    let queue: DatabaseQueue

    /// Opens and checks the file, and creates it if it is missing.
    /// - Parameter begin: runs before any other use of the file.
    init(_ path: String, _ scheme: DatabaseScheme, begin: (Database) throws -> Void = { _ in }) throws {
        let end = MonotonicClock.now &+ Self.lockTimeout
        // SQLite finds a journal by its name, so the file must not be replaced while it is opened.
        let lock = try FileLock.acquire(Self.lock(of: path), isShared: true, timeout: Self.lockTimeout)
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
                // Another file may have taken the place of the opened one meanwhile; the loop then opens that file.
                if let identity = Identity(path), identity == before {
                    (self.path, self.identity, self.queue) = (path, identity, queue)
                    return
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Several processes are preparing a new file at once; the loop tries again.
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

    /// Connections to files that are no longer at their paths. They are never closed: SQLite would remove the journal
    /// by its name, and that journal now belongs to another file.
    private static let forgotten = Mutex<[DatabaseQueue]>([])

    /// Whether this is still the file at its path. Another process may have removed or replaced it.
    var isCurrent: Bool { Identity(path) == identity }

    private static func configuration(_ scheme: DatabaseScheme) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = scheme.label
        // An app that shares the file with others posts `Database.suspendNotification` before the system suspends it.
        configuration.observesSuspensionNotifications = true
        configuration.busyMode = .timeout(scheme.lockTimeout)
        configuration.prepareDatabase { db in try db.execute(sql: scheme.pragmas) }
        return configuration
    }

    private static func lock(of path: String) -> String { path + "-lock" }

    private static let making = Mutex(())

    /// Creates an empty file, which is an empty database that only its owner can read. SQLite gives the files beside
    /// it the same mode. Closing the descriptor would release this process's locks on the file, so no connection may
    /// have it open yet.
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
            throw CallError(.file, "the file \(path) cannot be created: \(String(cString: strerror(code)))")
        }
    }

    /// How many damaged files are kept. The latest few suffice for an analysis, and a disk that damages each file
    /// does not fill up.
    private static let keptAside = 4

    /// Renames a damaged file and SQLite's files beside it, under a lock that keeps other processes from doing the
    /// same.
    /// - Parameter identity: the identity of the damaged file.
    /// - Returns: the new path; nil if the damaged file is no longer at its path.
    static func setAside(_ path: String, _ identity: Identity, now: Int64) throws(CallError) -> String? {
        let lock = try FileLock.acquire(lock(of: path), timeout: lockTimeout)
        defer { withExtendedLifetime(lock) {} }
        guard Identity(path) == identity else { return nil }
        var place = "\(path).damaged-\(now)"
        var number = 1
        while Identity(place) != nil {
            number += 1
            place = "\(path).damaged-\(now)-\(number)"
        }
        // The file itself is renamed last, because a new file must not find the journal of the old one.
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

    /// The damage to the file that the error reports; nil if the error has another cause.
    static func damage(_ error: any Error) -> String? {
        switch error {
        case DatabaseProblem.damaged(let reason): reason
        case let error as DamagedFile: error.reason
        // The header says that the file is ours, but its tables are missing.
        case let error as DatabaseError where error.message?.hasPrefix("no such ") == true: error.message
        case let error as DatabaseError
        where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB:
            error.message ?? "\(error.resultCode)"
        default: nil
        }
    }

    /// The error for users, without the values that a statement may hold.
    static func failure(_ error: any Error, _ path: String) -> CallError {
        switch error {
        case DatabaseProblem.foreign:
            return CallError(.file, "\(path) is the database of another program", advice: "use another file")
        case DatabaseProblem.newer:
            return CallError(
                .file, "\(path) was made by a newer version of Tsubame", advice: "update Tsubame, or use another file")
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
            return CallError(.file, "\(path) is locked by another process")
        case let error as DatabaseError:
            return CallError(.file, "\(path) cannot be used: \(error.message ?? "\(error.resultCode)")")
        default:
            return CallError(.file, "\(path) cannot be used: \(error)")
        }
    }
}

/// A damaged file that could not be opened.
struct DamagedFile: Error {
    let identity: DatabaseFile.Identity
    let reason: String
}
#endif
