// DatabasePlace: a database at a path, which survives damage, removal and replacement of its file.

#if Store
import GRDB
import Synchronization
import TsubameCore

/// Opens the file on first use, and again if another file has taken its place. A damaged file is renamed, and a new
/// file is created.
final class DatabasePlace: Sendable {
    /// How the current file was obtained.
    enum Arrival {
        /// The file has been open since an earlier use.
        case known
        case opened
        /// The file has just replaced a damaged one.
        case begun
    }

    private static let keptNotices = 16

    let path: String
    private let scheme: DatabaseScheme
    private let file = Mutex<DatabaseFile?>(nil)
    private let notices = Mutex<[String]>([])

    init(_ path: String, _ scheme: DatabaseScheme) {
        self.path = path
        self.scheme = scheme
    }

    /// The open file, if it is still the file at the path.
    var current: DatabaseFile? { file.withLock { $0 }.flatMap { $0.isCurrent ? $0 : nil } }

    /// Runs `body` on the file, and once more if the file is damaged and has been replaced.
    /// - Parameters:
    ///   - now: seconds since 1970, for the name of a damaged file.
    ///   - begin: runs on a newly opened file before any other use.
    /// - Throws: the errors of `body` and of opening the file. ``DatabaseFile/failure(_:_:)`` describes them.
    func work<Value>(
        now: Int64, begin: (Database) throws -> Void = { _ in }, _ body: (Database, Arrival) throws -> Value
    ) throws -> Value {
        var isReplaced = false
        while true {
            do {
                let (file, isNew) = try opened(begin)
                let arrival: Arrival = isReplaced ? .begun : isNew ? .opened : .known
                return try file.queue.inDatabase { db in try body(db, arrival) }
            } catch {
                guard !isReplaced, let damage = DatabaseFile.damage(error) else { throw error }
                try setAside(damage, (error as? DamagedFile)?.identity, now)
                isReplaced = true
            }
        }
    }

    private func opened(_ begin: (Database) throws -> Void) throws -> (file: DatabaseFile, isNew: Bool) {
        if let current { return (current, false) }
        file.withLock { $0 = nil }
        let opened = try DatabaseFile(path, scheme, begin: begin)
        file.withLock { $0 = opened }
        return (opened, true)
    }

    /// Renames the damaged file, unless another process has done so.
    /// - Parameter identity: the identity of a file that could not even be opened.
    private func setAside(_ damage: String, _ identity: DatabaseFile.Identity?, _ now: Int64) throws(CallError) {
        let opened = file.withLock { file in
            defer { file = nil }
            return file?.identity
        }
        guard let damaged = identity ?? opened, let place = try DatabaseFile.setAside(path, damaged, now: now) else {
            return
        }
        note("\(scheme.subject) in \(path) were damaged (\(damage)); the damaged file is now \(place)")
    }

    // MARK: Notices

    /// Adds a notice. It is dropped if an equal one, or 16 others, wait to be taken.
    func note(_ text: String) {
        notices.withLock { notices in
            if !notices.contains(text), notices.count < Self.keptNotices { notices.append(text) }
        }
    }

    func takeNotices() -> [String] {
        notices.withLock { notices in
            guard !notices.isEmpty else { return [] }
            defer { notices = [] }
            return notices
        }
    }
}
#endif
