// CookieFile: keeps the cookies of a jar in a `cookies.txt` file.

import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameWire

/// A writer holds a lock on the file from reading to writing, so that no process overwrites another's change. Readers
/// need no lock, because the file is replaced as a whole.
final class CookieFile: CookieStorage {
    /// Enough for 3,000 cookies of the longest kind.
    private static let maximumBytes = 32 << 20

    let path: String
    private let lockTimeout: MonotonicTime
    /// The status of the file as the jar has read it, which tells its versions apart; nil if there was no file.
    private let known = Mutex<FileStatus?>(nil)
    /// The jar takes these notices after each change.
    private let notices = Mutex<[String]>([])

    /// - Parameter timeout: how long to wait for another process's lock, in nanoseconds.
    init(_ path: String, timeout: MonotonicTime = 5_000_000_000) {
        self.path = path
        lockTimeout = timeout
    }

    var name: String { path }

    // MARK: Keeping

    func refresh(_ store: inout CookieStore, now: Int64) throws(CallError) {
        guard FileStatus(of: path) != known.withLock({ $0 }) else { return }
        _ = try load(&store, now: now)
    }

    func update(_ store: inout CookieStore, now: Int64, _ change: (inout CookieStore) -> Void) throws(CallError) {
        let lock: FileLock
        do throws(CallError) {
            lock = try FileLock.acquire(target, timeout: lockTimeout)
            try refresh(&store, now: now)
        } catch {
            change(&store)
            throw error
        }
        let owner = store.owner
        let changes = store.recording(change)
        guard !changes.isEmpty || store.owner != owner else { return }
        let version = try write(store.text(now: now, withOwner: true), lock)
        known.withLock { $0 = version }
        for case let entry? in changes.values where !CookieText.canHold(entry.cookie) {
            let name = Redaction.name(entry.cookie.name)
            let notice = """
                the cookie “\(name)” of \(entry.cookie.domain) is not kept in \(path): \
                a cookies.txt file cannot hold a tab in a name, a value or a path
                """
            notices.withLock { $0.append(notice) }
        }
    }

    func takeNotices() -> [String] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }

    /// Replaces the contents of the file by a text.
    func replace(by text: String) throws(CallError) {
        let lock = try FileLock.acquire(target, timeout: lockTimeout)
        _ = try write(text, lock)
    }

    // MARK: Reading

    /// Replaces the cookies of the store by those of the file.
    /// - Returns: the lines that could not be read.
    func load(_ store: inout CookieStore, now: Int64) throws(CallError) -> [CookieLineProblem] {
        guard FileStatus(of: path) != nil || errno != ENOENT else {
            known.withLock { $0 = nil }
            store.replace(where: { _ in true }, by: [], now: now)
            store.renewOwner()
            return []
        }
        let (contents, version) = try Self.read(path)
        // A file of another kind would be lost when the cookies are written.
        if let problem = contents.problems.first, !contents.hasHeading {
            throw CallError(
                .file, "\(path) is not a cookies.txt file: \(problem)",
                advice: "a cookies.txt file begins with the line “# Netscape HTTP Cookie File”")
        }
        var others = CookieStore(suffixes: store.suffixes)
        let problems = others.insert(contents, now: now)
        store.replace(where: { _ in true }, by: others.stored, now: now)
        let last: FileStatus? = known.withLock { known in
            defer { known = version }
            return known
        }
        // The lock creates an empty file if there is none, which is not a new jar. Any other file without an owner is.
        if contents.owner != nil || last != nil || version.size > 0 { store.takeOwner(contents.owner) }
        return problems
    }

    /// - Throws: ``CallError/Kind/file``, also if there is no file.
    static func contents(of path: String) throws(CallError) -> CookieText.Contents { try read(path).contents }

    private static func read(_ path: String) throws(CallError) -> (contents: CookieText.Contents, FileStatus) {
        // Opening a pipe without this flag would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("the file \(path) cannot be read") }
        defer { _ = close(descriptor) }
        guard let status = FileStatus(of: descriptor), status.kind == .regular else {
            throw CallError(.file, "\(path) is not a regular file")
        }
        guard status.size <= maximumBytes else {
            throw CallError(.file, "\(path) is larger than \(maximumBytes >> 20) MiB, too large for a cookie file")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                return SystemCall.read(descriptor, into: rest)
            }
            if count > 0 {
                length += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw failure("the file \(path) cannot be read")
            }
        }
        let contents = CookieText.read(bytes[..<length])
        return (contents, status)
    }

    // MARK: Writing

    /// The target of a symbolic link, so that the link stays a link.
    private var target: String { FilePath.resolved(path) }

    private func write(_ text: String, _ lock: FileLock) throws(CallError) -> FileStatus {
        let target = target
        // Only the holder of the lock writes this file. A file that a killed process left is removed.
        let partial = "\(target).part"
        _ = unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("the file \(partial) cannot be made") }
        defer { _ = close(descriptor) }
        do throws(CallError) {
            var old = stat()
            // Root keeps the file's owner. No other user can change it.
            if stat(target, &old) == 0, old.st_uid != geteuid() {
                _ = fchown(descriptor, old.st_uid, old.st_gid)
            }
            var text = text
            var code = text.withUTF8 { FileOutput.write(UnsafeRawBufferPointer($0), to: descriptor).error }
            let status = FileStatus(of: descriptor)
            if code == 0, status == nil { code = errno }
            if code == 0 { code = FileOutput.replace(target, by: partial, descriptor) }
            guard code == 0, let status else { throw Self.failure("the file \(target) cannot be written", code: code) }
            return status
        } catch {
            _ = unlink(partial)
            throw error
        }
    }

    static func failure(_ what: String, code: Int32 = errno) -> CallError {
        CallError(.file, "\(what): \(String(cString: strerror(code)))")
    }
}
