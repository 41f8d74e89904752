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
/// Several connections write at once: what changes the record and saves it does both under one lock, so that no record is
/// replaced by an older one.
final class DownloadPart: Sendable {
    /// What the part itself must be, or nobody could go on with it.
    private static let writable: mode_t = 0o600
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
    let path: String
    private let recordPath: String
    private let descriptor: Int32
    /// What the whole file is to have; nil for what the umask leaves.
    private let mode: mode_t?
    /// What may lie in the memory of the system alone.
    private let syncDistance: Int64
    /// Held from the change of what the record says until that is in its file. Taken before `state`, never within it.
    private let recording = Mutex(())
    private let state: Mutex<State>

    /// Opens what lies beside the target, or makes it.
    /// - Parameters:
    ///   - permissions: those of the file that this will replace.
    ///   - distance: after so many bytes they are written to the disk itself.
    /// - Returns: nil if another download has it.
    static func open(
        for target: String, permissions: UInt32?, syncingEvery distance: Int64
    ) throws(CallError) -> DownloadPart? {
        let paths = Self.paths(for: target)
        let mode = permissions.map { mode_t(truncatingIfNeeded: $0) }
        for _ in 0..<16 {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            #if canImport(Glibc)
            let file = Glibc.open(paths.part, flags, mode.map { $0 | writable } ?? 0o666)
            #elseif canImport(Musl)
            let file = Musl.open(paths.part, flags, mode.map { $0 | writable } ?? 0o666)
            #else
            let file = Darwin.open(paths.part, flags, mode.map { $0 | writable } ?? 0o666)
            #endif
            guard file >= 0 else { throw failure("the file \(paths.part) cannot be made", errno) }
            // A file system without locks has none to offer.
            if flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                _ = close(file)
                return nil
            }
            guard let held = FileStatus(of: file), let current = FileStatus(of: paths.part, followsLinks: false),
                held.inode == current.inode, held.device == current.device
            else {
                // Whoever had it has just finished.
                _ = close(file)
                continue
            }
            // In a folder that everybody may write to, anybody can have put it there.
            guard held.kind == .regular, held.owner == geteuid() else {
                _ = close(file)
                throw CallError(.file, "\(paths.part) is in the way: it is not ours", phase: .preparing)
            }
            guard held.links == 1 else {
                // A finished file whose second name was not taken away any more.
                unlink(paths.part)
                _ = close(file)
                continue
            }
            if let mode { fchmod(file, mode | writable) }
            let part = DownloadPart(target, paths, file, mode, distance, length: held.size)
            try part.settle()
            return part
        }
        return nil
    }

    /// Whether anything lies there.
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

    deinit { _ = close(descriptor) }

    /// If the machine was started since the record was saved, takes away what may not be relied upon, and begins to count anew:
    /// what comes from now on is there for the next call, too.
    private func settle() throws(CallError) {
        guard let record, !record.isOfThisStart else { return }
        let done = state.withLock { $0.done }
        let end = done.list.last?.upperBound ?? 0
        try cut(at: end)
        try keep(onDisk: true) { state in
            state.isScattered = done != ByteSpans(upTo: end)
            state.record?.done = state.isScattered ? done : nil
            state.record?.synced = done
            state.record?.boot = DownloadRecord.currentBoot
            return true
        }
    }

    // MARK: What is there

    var record: DownloadRecord? { state.withLock { $0.record } }
    var received: Int64 { state.withLock { $0.done.count } }
    /// Whether the file's own length says how much has come.
    var isGapless: Bool { state.withLock { !$0.isScattered } }
    var status: FileStatus? { FileStatus(of: descriptor) }
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

    /// Puts the record beside the file.
    /// - Parameters:
    ///   - onDisk: whether it is to be on the disk itself.
    ///   - change: what is new in it; returns false if nothing is.
    private func keep(onDisk: Bool = false, _ change: (inout State) -> Bool = { _ in true }) throws(CallError) {
        try recording.withLock { _ throws(CallError) in
            let record = state.withLock { state in change(&state) && state.isKept ? state.record : nil }
            try record?.write(to: recordPath, onDisk: onDisk)
        }
    }

    /// The length has become known.
    func learn(total: Int64) throws(CallError) {
        try keep { state in
            guard state.record != nil, state.record?.total == nil else { return false }
            state.record?.total = total
            return true
        }
    }

    /// Bytes of this origin follow. Once there are some of two, a later call may not take them for those of one.
    func join(_ origin: String?) throws(CallError) {
        try keep { state in
            guard let known = state.record?.origin, known != origin else { return false }
            state.record?.origin = nil
            return true
        }
    }

    /// From now on bytes may come in any order.
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

    /// What there is now will be found again, whatever happens to this process.
    func save() throws(CallError) {
        try keep { state in
            guard state.isScattered else { return false }
            state.record?.done = state.done
            return true
        }
    }

    /// And whatever happens to the machine.
    private func sync() throws(CallError) {
        let done = state.withLock { state in
            state.unsynced = 0
            return state.done
        }
        try flush()
        try keep(onDisk: true) { state in
            // Added, and not set: another connection may have come here with more meanwhile.
            for span in done.list { state.record?.synced.add(span) }
            if state.isScattered { state.record?.done = state.done }
            return true
        }
    }

    private func flush() throws(CallError) {
        let code = FileOutput.flush(descriptor)
        guard code == 0 else { throw failure("written", code) }
    }

    /// The digest of the whole.
    /// - Parameter goesOn: asked now and then.
    func digest(while goesOn: () throws(CallError) -> Void) throws(CallError) -> [UInt8] {
        try FileDigest.sha256(of: descriptor, path, while: goesOn)
    }

    // MARK: The end

    /// Nothing follows: what an earlier version had behind it goes.
    func cut(at length: Int64) throws(CallError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("written", errno) }
    }

    /// The file is to have been changed last at this time, in seconds since 1970. A file system that does not have it is no error.
    func date(_ seconds: Int64) {
        var now = timespec()
        guard let seconds = time_t(exactly: seconds), clock_gettime(CLOCK_REALTIME, &now) == 0 else { return }
        _ = futimens(descriptor, [now, timespec(tv_sec: seconds, tv_nsec: 0)])
    }

    /// Gives the file its name.
    /// - Returns: false if there is a file of that name, and it is not to be replaced.
    func finish(as target: String, replacing: Bool) throws(CallError) -> Bool {
        if let mode { fchmod(descriptor, mode) }
        var hasName = false
        defer { if let mode, !hasName { fchmod(descriptor, mode | Self.writable) } }
        // A name must not outlive the bytes that it stands for.
        try flush()
        if replacing {
            try move(to: target)
        } else if link(path, target) == 0 {
            remove()
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

    /// The record goes first: as soon as the hidden name is free, another process may have begun both anew, and what lies there
    /// then is not ours to remove.
    private func move(to target: String) throws(CallError) {
        unlink(recordPath)
        guard rename(path, target) == 0 else {
            let code = errno
            try? keep()
            throw failure("renamed to \(target)", code)
        }
    }

    /// The download has failed: what can be resumed stays.
    /// - Returns: whether anything does.
    func leave(keeping: Bool) -> Bool {
        try? save()
        if keeping, isKept, received > 0 { return true }
        remove()
        return false
    }

    /// As long as the lock is held, both names are this download's: the part's, which the lock hangs on, goes last.
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
