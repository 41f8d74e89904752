// DownloadPart: a file that is being downloaded, until it is whole.

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

/// A hidden file beside its target, with its record beside it, that belongs to one download at a time: an advisory lock says so
/// to other calls and processes, and goes with the process.
///
/// What a killed process leaves is in order because of the order in which things are written: bytes before what says that they
/// are there. While they come from the front, the file's own length says it; else the record does, saved before anybody is
/// told. A machine that stops without notice may lose what was not on the disk itself, which is written every 64 MiB.
final class DownloadPart: Sendable {
    /// What may lie in the memory of the system alone.
    private static let unsyncedBytes: Int64 = 64 << 20
    /// What two hidden names add to a file's own.
    private static let longestName = 230

    private struct State: Sendable {
        var done = ByteSpans()
        var record: DownloadRecord?
        /// Whether the record is for others, too, and not only for this call.
        var isKept = true
        /// Bytes lie behind a gap: the file's length says nothing.
        var isScattered = false
        var unsynced: Int64 = 0
    }

    /// Of the file that this will be.
    let target: String
    private let path: String
    private let recordPath: String
    private let descriptor: Int32
    private let state: Mutex<State>

    /// Opens what lies beside the target, or makes it.
    /// - Returns: nil if another download has it.
    static func open(for target: String, mode: mode_t?) throws(CallError) -> DownloadPart? {
        let paths = Self.paths(for: target)
        for _ in 0..<16 {
            #if canImport(Glibc)
            let file = Glibc.open(
                paths.part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode ?? 0o666)
            #elseif canImport(Musl)
            let file = Musl.open(paths.part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode ?? 0o666)
            #else
            let file = Darwin.open(paths.part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode ?? 0o666)
            #endif
            guard file >= 0 else { throw failure("the file \(paths.part) cannot be made", errno) }
            // A file system without locks has none to offer.
            if flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                _ = close(file)
                return nil
            }
            var (held, current) = (stat(), stat())
            guard fstat(file, &held) == 0, lstat(paths.part, &current) == 0, held.st_ino == current.st_ino,
                held.st_dev == current.st_dev
            else {
                // Whoever had it has just finished.
                _ = close(file)
                continue
            }
            // In a folder that everybody may write to, anybody can have put it there.
            guard held.st_mode & S_IFMT == S_IFREG, held.st_uid == geteuid() else {
                _ = close(file)
                throw CallError(.file, "\(paths.part) is in the way: it is not ours", phase: .preparing)
            }
            guard held.st_nlink == 1 else {
                // A finished file whose second name was not taken away any more.
                unlink(paths.part)
                _ = close(file)
                continue
            }
            if let mode { fchmod(file, mode) }
            return DownloadPart(target, paths.part, paths.record, file, length: Int64(held.st_size))
        }
        return nil
    }

    /// Whether anything lies there.
    static func exists(for target: String) -> Bool { access(paths(for: target).record, F_OK) == 0 }

    private static func paths(for target: String) -> (part: String, record: String) {
        let split = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        var name = String(target[split...])
        if name.utf8.count > longestName {
            let digest = SHA256.digest(Array(name.utf8)).prefix(8).map { String($0, radix: 16) }.joined()
            name = String(decoding: name.utf8.prefix(150), as: UTF8.self).filter { $0 != "\u{FFFD}" } + digest
        }
        return ("\(target[..<split]).\(name).tsubame-part", "\(target[..<split]).\(name).tsubame-info")
    }

    private init(_ target: String, _ path: String, _ recordPath: String, _ descriptor: Int32, length: Int64) {
        self.target = target
        self.path = path
        self.recordPath = recordPath
        self.descriptor = descriptor
        var state = State()
        if let record = DownloadRecord(path: recordPath) {
            state.record = record
            state.done = record.spans(ofLength: length)
            state.isScattered = record.done != nil
        }
        self.state = Mutex(state)
    }

    deinit { _ = close(descriptor) }

    // MARK: What is there

    var record: DownloadRecord? { state.withLock { $0.record } }
    var received: Int64 { state.withLock { $0.done.count } }
    var total: Int64? { state.withLock { $0.record?.total } }
    /// Whether the record is there for a later call.
    private var isKept: Bool { state.withLock { $0.isKept && $0.record != nil } }

    /// The first bytes that are missing; to the end of all, as far as that is known.
    func gap(in span: Range<Int64>? = nil) -> Range<Int64>? {
        state.withLock { $0.done.gap(in: span ?? 0..<max($0.record?.total ?? .max, 0)) }
    }

    // MARK: Writing

    /// Throws everything away, and begins with another version.
    /// - Parameter isKept: whether the record is for others, too, and not only for this call.
    func restart(_ record: DownloadRecord?, isKept: Bool) throws(CallError) {
        unlink(recordPath)
        guard ftruncate(descriptor, 0) == 0 else { throw failure("emptied", errno) }
        state.withLock { state in
            state = State()
            (state.record, state.isKept) = (record, isKept)
        }
        try keep()
    }

    /// Puts the record beside the file.
    private func keep() throws(CallError) {
        try state.withLock { $0.isKept ? $0.record : nil }?.write(to: recordPath)
    }

    /// The length has become known.
    func learn(total: Int64) throws(CallError) {
        let isNews = state.withLock { state in
            guard state.record != nil, state.record?.total == nil else { return false }
            state.record?.total = total
            return true
        }
        if isNews { try keep() }
    }

    /// From now on bytes may come in any order.
    func scatter() throws(CallError) {
        state.withLock { $0.isScattered = true }
        try save()
    }

    func write(_ bytes: Bytes, at offset: Int64) throws(CallError) {
        var (position, code): (Int64, Int32) = (offset, 0)
        bytes.withUnsafeBytes { source in
            var rest = source[...]
            while !rest.isEmpty {
                let count = pwrite(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(position))
                if count > 0 {
                    rest = rest.dropFirst(count)
                    position &+= Int64(count)
                } else if errno != EINTR {
                    code = errno
                    return
                }
            }
        }
        let end = position
        let isDue = state.withLock { state in
            if end > offset { state.done.add(offset..<end) }
            state.unsynced &+= end &- offset
            return state.record != nil && state.isKept && state.unsynced >= Self.unsyncedBytes
        }
        guard code == 0 else { throw failure("written", code) }
        if isDue { try sync() }
    }

    /// What there is now will be found again, whatever happens to this process.
    func save() throws(CallError) {
        let isNews = state.withLock { state in
            guard state.isScattered else { return false }
            state.record?.done = state.done
            return true
        }
        if isNews { try keep() }
    }

    /// And whatever happens to the machine.
    private func sync() throws(CallError) {
        let done = state.withLock { state in
            state.unsynced = 0
            return state.done
        }
        guard fsync(descriptor) == 0 else { throw failure("written", errno) }
        state.withLock { state in
            state.record?.synced = done
            if state.isScattered { state.record?.done = state.done }
        }
        try keep()
    }

    /// The digest of the whole.
    /// - Parameter goesOn: asked now and then.
    func digest(while goesOn: () throws(CallError) -> Void) throws(CallError) -> [UInt8] {
        var running = SHA256.Running()
        var position: Int64 = 0
        while true {
            try goesOn()
            let piece = try Bytes(capacity: 256 << 10) { buffer throws(CallError) in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
                guard count >= 0 else { throw failure("read", errno) }
                return count
            }
            if piece.count == 0 { return running.finish() }
            piece.withUnsafeBytes { running.update($0) }
            position &+= Int64(piece.count)
        }
    }

    // MARK: The end

    /// Nothing follows: what an earlier version had behind it goes.
    func cut(at length: Int64) throws(CallError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("written", errno) }
    }

    /// Gives the file its name.
    /// - Returns: false if there is a file of that name, and it is not to be replaced.
    func finish(as target: String, replacing: Bool) throws(CallError) -> Bool {
        // A name must not outlive the bytes that it stands for.
        if isKept, fsync(descriptor) != 0 { throw failure("written", errno) }
        if replacing {
            guard rename(path, target) == 0 else { throw failure("renamed to \(target)", errno) }
        } else if link(path, target) == 0 {
            unlink(path)
        } else if errno == EEXIST {
            return false
        } else {
            // A file system without links: the name is taken first.
            #if canImport(Glibc)
            let file = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            #elseif canImport(Musl)
            let file = Musl.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            #else
            let file = Darwin.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            #endif
            if file < 0, errno == EEXIST { return false }
            guard file >= 0, close(file) == 0, rename(path, target) == 0 else {
                throw failure("renamed to \(target)", errno)
            }
        }
        unlink(recordPath)
        return true
    }

    /// The download has failed: what can be resumed stays.
    /// - Returns: whether anything does.
    func leave(keeping: Bool) -> Bool {
        try? save()
        if keeping, isKept, received > 0 { return true }
        remove()
        return false
    }

    func remove() {
        unlink(recordPath)
        unlink(path)
    }

    /// Removed when the program is interrupted, by those who look after that.
    var temporaryPaths: [String] { [path, recordPath] }

    private func failure(_ what: String, _ code: Int32) -> CallError {
        var missing = ""
        if [ENOSPC, EDQUOT, EFBIG].contains(code) {
            if let total { missing = "; \(max(total &- received, 0)) bytes are missing" }
            var space = statvfs()
            if fstatvfs(descriptor, &space) == 0 {
                let (free, overflow) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
                if !overflow { missing += missing.isEmpty ? "; \(free) bytes are free" : ", and \(free) are free" }
            }
        }
        let error = Self.failure("the file \(path) cannot be \(what)", code)
        return missing.isEmpty ? error : CallError(.file, error.reason + missing, phase: .receivingBody)
    }

    static func failure(_ what: String, _ code: Int32) -> CallError {
        CallError(.file, "\(what): \(String(cString: strerror(code)))", phase: .receivingBody)
    }
}
