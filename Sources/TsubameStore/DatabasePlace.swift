// DatabasePlace: a database at a path, whatever becomes of the file there.

#if Store
import GRDB
import Synchronization
import TsubameCore

/// Opens the file when it is needed, and again when another one has taken its place; sets it aside when it is damaged, and
/// begins a new one.
final class DatabasePlace: Sendable {
    /// How the file came that is worked on.
    enum Arrival {
        /// It is the one of the last time.
        case known
        case opened
        /// In place of a damaged one, just now.
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

    /// The one that is open, if it is still the one at the path.
    var current: DatabaseFile? { file.withLock { $0 }.flatMap { $0.isCurrent ? $0 : nil } }

    /// Runs `body` on the file; once more if the file is damaged and has been replaced.
    /// - Parameters:
    ///   - now: seconds since 1970, for the name of what is set aside.
    ///   - begin: done with a file that is opened, before anybody uses it.
    /// - Throws: what `body` throws, and what ``DatabaseFile/failure(_:_:)`` has words for.
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

    /// Renames the damaged file, unless another process has.
    /// - Parameter identity: that of a file that could not even be opened.
    private func setAside(_ damage: String, _ identity: DatabaseFile.Identity?, _ now: Int64) throws(CallError) {
        let opened = file.withLock { file in
            defer { file = nil }
            return file?.identity
        }
        guard let damaged = identity ?? opened, let place = try DatabaseFile.setAside(path, damaged, now: now) else {
            return
        }
        note("\(scheme.subject) in \(path) were damaged (\(damage)); that file is \(place) now")
    }

    // MARK: What has happened

    /// Once, however often it happens until somebody is told.
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
