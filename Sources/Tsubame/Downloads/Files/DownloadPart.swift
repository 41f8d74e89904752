// DownloadPart: the hidden file and the record of a download that is not complete.

import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameWire

/// A hidden file beside its target, with its record beside it. It belongs to one download at a time. An advisory
/// lock shows that to other calls and processes, and ends with the process.
///
/// The order of writing keeps the files consistent if the process is killed: bytes are written before the
/// information that they are there. While bytes come from the front, the file's length is that information.
/// Otherwise it is the record, which is saved before progress is reported. If the machine stops without notice,
/// bytes that were not flushed to the disk may be lost; they are flushed every 64 MiB.
///
/// Several connections write at once. Changing the record and saving it happens under one lock, so that an older
/// record never replaces a newer one.
final class DownloadPart: Sendable {
    /// The permissions that the hidden file needs, so that a later call can continue it.
    private static let writable: mode_t = 0o600
    /// The longest name of a file, in bytes, that leaves room for the additions of the two hidden names.
    private static let longestName = 230

    private struct State: Sendable {
        var done = ByteSpans()
        var record: DownloadRecord?
        /// Whether the record is saved for later calls, and not only for this one.
        var isKept = true
        /// Whether bytes lie after a gap, so that the file's length does not count them.
        var isScattered = false
        var unsynced: Int64 = 0
    }

    /// The path of the complete file.
    let target: String
    let path: String
    private let recordPath: String
    private let descriptor: Int32
    /// The permissions of the complete file; nil leaves them to the umask.
    private let mode: mode_t?
    /// The number of bytes after which the file is flushed to the disk.
    private let syncDistance: Int64
    /// Held from a change of the record until the record is saved. It is taken before `state`, never within it.
    private let recording = Mutex(())
    private let state: Mutex<State>

    /// Opens the hidden file beside the target, or creates it.
    /// - Parameters:
    ///   - permissions: the permissions of the file that the download will replace.
    ///   - distance: the number of bytes after which the file is flushed to the disk.
    /// - Returns: nil if another download has the file.
    static func open(
        for target: String, permissions: UInt32?, syncingEvery distance: Int64
    ) throws(CallError) -> DownloadPart? {
        let paths = Self.paths(for: target)
        let mode = permissions.map { mode_t(truncatingIfNeeded: $0) }
        for _ in 0..<16 {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            let file = SystemCall.open(paths.part, flags, mode: mode.map { $0 | writable } ?? 0o666)
            guard file >= 0 else { throw failure("the file \(paths.part) cannot be made", errno) }
            // A file system without locks fails with another code, and the download goes on without a lock.
            if FileHold.take(file) == EWOULDBLOCK {
                _ = close(file)
                return nil
            }
            guard let held = FileStatus(of: file), let current = FileStatus(of: paths.part, followsLinks: false),
                held.inode == current.inode, held.device == current.device
            else {
                // The download that held the lock has just finished.
                FileHold.close(file)
                continue
            }
            // In a folder that all users may write to, any user may have put the file there.
            guard held.kind == .regular, held.owner == geteuid() else {
                FileHold.close(file)
                throw CallError(
                    .file, "\(paths.part) is in the way: it is not a regular file of this user", phase: .preparing)
            }
            guard held.links == 1 else {
                // This is a finished file whose hidden name was not removed.
                unlink(paths.part)
                FileHold.close(file)
                continue
            }
            if let mode { fchmod(file, mode | writable) }
            BackupExclusion.set(true, paths.part)
            let part = DownloadPart(target, paths, file, mode, distance, length: held.size)
            try part.settle()
            return part
        }
        return nil
    }

    /// Whether there is an unfinished download for the target.
    static func exists(for target: String) -> Bool { access(paths(for: target).record, F_OK) == 0 }

    private static func paths(for target: String) -> (part: String, record: String) {
        let split = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        var name = String(target[split...])
        if name.utf8.count > longestName {
            let digest = Hexadecimal.text(SHA256.digest(Array(name.utf8)).prefix(8))
            name = String(decoding: name.utf8.prefix(150), as: UTF8.self).filter { $0 != "\u{FFFD}" } + digest
        }
        return ("\(target[..<split]).\(name).tsubame-part", "\(target[..<split]).\(name).tsubame-info")
    }

    private init(
        _ target: String, _ paths: (part: String, record: String), _ descriptor: Int32, _ mode: mode_t?,
        _ syncDistance: Int64, length: Int64
    ) {
        self.target = target
        (path, recordPath) = paths
        self.descriptor = descriptor
        self.mode = mode
        self.syncDistance = syncDistance
        var state = State()
        if let record = DownloadRecord(path: paths.record) {
            state.record = record
            state.done = record.spans(ofLength: length)
            state.isScattered = record.done != nil
        }
        self.state = Mutex(state)
    }

    deinit { FileHold.close(descriptor) }

    /// If the machine was started after the record was saved, removes the bytes that may be wrong, and saves a new
    /// record. Bytes that come from now on count for the next call too.
    private func settle() throws(CallError) {
        guard let record, !record.isOfThisStart else { return }
        let done = state.withLock { $0.done }
        let end = done.list.last?.upperBound ?? 0
        try cut(at: end)
        try keep(onDisk: true) { state in
            state.isScattered = done != ByteSpans(upTo: end)
            state.record?.done = state.isScattered ? done : nil
            state.record?.synced = done
            state.record?.boot = SystemBoot.id
            return true
        }
    }

    // MARK: State

    var record: DownloadRecord? { state.withLock { $0.record } }
    var received: Int64 { state.withLock { $0.done.count } }
    /// Whether the file's length says how many bytes have come.
    var isGapless: Bool { state.withLock { !$0.isScattered } }
    var status: FileStatus? { FileStatus(of: descriptor) }
    var total: Int64? { state.withLock { $0.record?.total } }
    /// Whether the record is there for a later call.
    var isKept: Bool { state.withLock { $0.isKept && $0.record != nil } }

    /// The first missing bytes of the span, by default of the whole file; without an end if its length is not
    /// known.
    func gap(in span: Range<Int64>? = nil) -> Range<Int64>? {
        state.withLock { $0.done.gap(in: span ?? 0..<max($0.record?.total ?? .max, 0)) }
    }

    // MARK: Writing

    /// Removes all bytes and begins with another version.
    /// - Parameter isKept: whether the record is saved for later calls, and not only for this one.
    func restart(_ record: DownloadRecord?, isKept: Bool) throws(CallError) {
        try recording.withLock { _ throws(CallError) in
            unlink(recordPath)
            guard ftruncate(descriptor, 0) == 0 else { throw failure("emptied", errno) }
            state.withLock { state in
                state = State()
                (state.record, state.isKept) = (record, isKept)
            }
            if isKept { try record?.write(to: recordPath) }
        }
    }

    /// Saves the record beside the file.
    /// - Parameters:
    ///   - onDisk: whether the record is flushed to the disk.
    ///   - change: changes the record; returns false if nothing is new.
    private func keep(onDisk: Bool = false, _ change: (inout State) -> Bool = { _ in true }) throws(CallError) {
        try recording.withLock { _ throws(CallError) in
            let record = state.withLock { state in change(&state) && state.isKept ? state.record : nil }
            try record?.write(to: recordPath, onDisk: onDisk)
        }
    }

    /// Adds the length of the file, if it was not known.
    func learn(total: Int64) throws(CallError) {
        try keep { state in
            guard state.record != nil, state.record?.total == nil else { return false }
            state.record?.total = total
            return true
        }
    }

    /// Says that bytes of this origin follow. After bytes of two origins, a later call must not take them for bytes
    /// of one.
    func join(_ origin: String?) throws(CallError) {
        try keep { state in
            guard let known = state.record?.origin, known != origin else { return false }
            state.record?.origin = nil
            return true
        }
    }

    /// Says that bytes may come in any order from now on.
    func scatter() throws(CallError) {
        state.withLock { $0.isScattered = true }
        try save()
    }

    func write(_ bytes: Bytes, at offset: Int64) throws(CallError) {
        let (count, code) = bytes.withUnsafeBytes { FileOutput.write($0, to: descriptor, at: offset) }
        let end = offset &+ Int64(count)
        let isDue = state.withLock { state in
            if end > offset { state.done.add(offset..<end) }
            state.unsynced &+= end &- offset
            return state.record != nil && state.isKept && state.unsynced >= syncDistance
        }
        guard code == 0 else { throw failure("written", code) }
        if isDue { try sync() }
    }

    /// Saves which bytes are there, so that they are found after the process has ended.
    func save() throws(CallError) {
        try keep { state in
            guard state.isScattered else { return false }
            state.record?.done = state.done
            return true
        }
    }

    /// Flushes the bytes and the record to the disk, so that they are found after the machine has stopped.
    private func sync() throws(CallError) {
        let done = state.withLock { state in
            state.unsynced = 0
            return state.done
        }
        try flush()
        try keep(onDisk: true) { state in
            // The spans are added, because another connection may have flushed more bytes meanwhile.
            for span in done.list { state.record?.synced.add(span) }
            if state.isScattered { state.record?.done = state.done }
            return true
        }
    }

    private func flush() throws(CallError) {
        let code = FileOutput.flush(descriptor)
        guard code == 0 else { throw failure("written", code) }
    }

    /// The SHA-256 digest of the whole file.
    /// - Parameter goesOn: called now and then; throws to give up.
    func digest(while goesOn: () throws(CallError) -> Void) throws(CallError) -> [UInt8] {
        try FileDigest.sha256(of: descriptor, path, while: goesOn)
    }

    // MARK: The end

    /// Ends the file at this length, and removes the bytes of an earlier version after it.
    func cut(at length: Int64) throws(CallError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("written", errno) }
    }

    /// Sets the time of the last change, in seconds since 1970. A file system without this time is not an error.
    func date(_ seconds: Int64) {
        var now = timespec()
        guard let seconds = time_t(exactly: seconds), clock_gettime(CLOCK_REALTIME, &now) == 0 else { return }
        _ = futimens(descriptor, [now, timespec(tv_sec: seconds, tv_nsec: 0)])
    }

    /// Gives the file its final name.
    /// - Returns: false if there is a file of that name, and it must not be replaced.
    func finish(as target: String, replacing: Bool) throws(CallError) -> Bool {
        if let mode { fchmod(descriptor, mode) }
        var hasName = false
        defer { if let mode, !hasName { fchmod(descriptor, mode | Self.writable) } }
        // The bytes must be on the disk before the file has its name.
        try flush()
        BackupExclusion.set(false, path)
        if replacing {
            try move(to: target)
        } else if link(path, target) == 0 {
            remove()
        } else if errno == EEXIST {
            return false
        } else {
            // On a file system without links, an empty file takes the name first.
            let file = SystemCall.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
            if file < 0, errno == EEXIST { return false }
            guard file >= 0 else { throw failure("renamed to \(target)", errno) }
            _ = close(file)
            do throws(CallError) {
                try move(to: target)
            } catch {
                unlink(target)
                throw error
            }
        }
        hasName = true
        return true
    }

    /// The record is removed first. After the hidden name is free, another process may create both files anew, and
    /// those are not ours to remove.
    private func move(to target: String) throws(CallError) {
        unlink(recordPath)
        guard rename(path, target) == 0 else {
            let code = errno
            try? keep()
            throw failure("renamed to \(target)", code)
        }
    }

    /// Ends a failed download, and keeps the files if it can be resumed.
    /// - Returns: whether bytes are kept.
    func leave(keeping: Bool) -> Bool {
        try? save()
        if keeping, isKept, received > 0 { return true }
        remove()
        return false
    }

    /// Both names belong to this download while it holds the lock. The lock is on the hidden file, so that file
    /// goes last.
    func remove() {
        unlink(recordPath)
        unlink(path)
    }

    /// Lets another download have the file. Nothing may be written afterwards.
    func unlock() { FileHold.release(descriptor) }

    /// The files to remove when the program is interrupted.
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
