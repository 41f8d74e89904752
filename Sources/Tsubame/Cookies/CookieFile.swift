// CookieFile: a `cookies.txt` in which a jar is kept.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Synchronization
import TsubameCore
import TsubameWire

/// Whoever changes it holds a lock on it from reading to writing, so that no process undoes what another one did; since it
/// is replaced as a whole, readers need none.
final class CookieFile: CookieKeeper {
    /// What 3,000 cookies of the longest kind take, with room.
    private static let maximumBytes = 32 << 20

    /// What tells one version of the file from another.
    private struct Version: Sendable, Hashable {
        let device: UInt64
        let node: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            node = UInt64(status.st_ino)
            size = Int64(status.st_size)
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            seconds = Int64(time.tv_sec)
            nanoseconds = Int64(time.tv_nsec)
        }
    }

    let path: String
    private let patience: MonotonicTime
    /// The version that the jar knows; nil for no file.
    private let known = Mutex<Version?>(nil)
    /// What the jar takes after each change.
    private let notices = Mutex<[String]>([])

    /// - Parameter patience: how long another process may hold the lock, in nanoseconds.
    init(_ path: String, patience: MonotonicTime = 5_000_000_000) {
        self.path = path
        self.patience = patience
    }

    var name: String { path }

    // MARK: Keeping

    func refresh(_ store: inout CookieStore, now: Int64) throws(CallError) {
        var status = stat()
        let version = stat(path, &status) == 0 ? Version(status) : nil
        guard version != known.withLock({ $0 }) else { return }
        _ = try load(&store, now: now)
    }

    func update(_ store: inout CookieStore, now: Int64, _ change: (inout CookieStore) -> Void) throws(CallError) {
        let lock: FileLock
        do throws(CallError) {
            lock = try FileLock(target, patience: patience)
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
                no cookies.txt can hold a tab in a name, a value or a path
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

    /// Puts a text in place of whatever is there.
    func replace(by text: String) throws(CallError) {
        let lock = try FileLock(target, patience: patience)
        _ = try write(text, lock)
    }

    // MARK: Reading

    /// Puts what the file has in place of what the store has.
    /// - Returns: the lines that could not be read.
    func load(_ store: inout CookieStore, now: Int64) throws(CallError) -> [CookieLineProblem] {
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else {
            known.withLock { $0 = nil }
            store.replace(where: { _ in true }, by: [], now: now)
            store.renewOwner()
            return []
        }
        let (contents, version) = try Self.read(path)
        // Any other file would be lost when the cookies are written.
        if let problem = contents.problems.first, !contents.hasHeading {
            throw CallError(
                .file, "\(path) is no cookies.txt: \(problem)",
                advice: "its first line is “# Netscape HTTP Cookie File”")
        }
        var others = CookieStore(suffixes: store.suffixes)
        let problems = others.insert(contents, now: now)
        store.replace(where: { _ in true }, by: others.stored, now: now)
        let last: Version? = known.withLock { known in
            defer { known = version }
            return known
        }
        // A lock has made the empty file that follows on none; any other file without an owner is a new one.
        if contents.owner != nil || last != nil || version.size > 0 { store.takeOwner(contents.owner) }
        return problems
    }

    /// - Throws: ``CallError/Kind/file`` also if there is none.
    static func contents(of path: String) throws(CallError) -> CookieText.Contents { try read(path).contents }

    private static func read(_ path: String) throws(CallError) -> (contents: CookieText.Contents, Version) {
        // A pipe has no writer who would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("the file \(path) cannot be read") }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CallError(.file, "\(path) is not a regular file")
        }
        guard status.st_size <= maximumBytes else {
            throw CallError(.file, "\(path) is larger than \(maximumBytes >> 20) MiB, and so no file of cookies")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                #if canImport(Glibc)
                return Glibc.read(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                return Musl.read(descriptor, rest.baseAddress, rest.count)
                #else
                return Darwin.read(descriptor, rest.baseAddress, rest.count)
                #endif
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
        return (contents, Version(status))
    }

    // MARK: Writing

    /// Where a symbolic link leads: the link is to stay one.
    private var target: String { FilePath.resolved(path) }

    private func write(_ text: String, _ lock: FileLock) throws(CallError) -> Version {
        let target = target
        // Only who holds the lock writes it; what one left behind who was killed is in nobody's way.
        let partial = "\(target).part"
        _ = unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("the file \(partial) cannot be made") }
        defer { _ = close(descriptor) }
        do throws(CallError) {
            var status = stat()
            // Root leaves the file to whom it belongs; anybody else cannot change that.
            if stat(target, &status) == 0, status.st_uid != geteuid() {
                _ = fchown(descriptor, status.st_uid, status.st_gid)
            }
            var text = text
            var code = text.withUTF8 { FileOutput.write(UnsafeRawBufferPointer($0), to: descriptor).error }
            if code == 0, fstat(descriptor, &status) != 0 { code = errno }
            if code == 0 { code = FileOutput.replace(target, by: partial, descriptor) }
            guard code == 0 else { throw Self.failure("the file \(target) cannot be written", code: code) }
            return Version(status)
        } catch {
            _ = unlink(partial)
            throw error
        }
    }

    static func failure(_ what: String, code: Int32 = errno) -> CallError {
        CallError(.file, "\(what): \(String(cString: strerror(code)))")
    }
}
