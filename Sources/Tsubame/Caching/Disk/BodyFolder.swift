// BodyFolder: a folder with the files of cached bodies.

package import TsubameCore
import TsubamePlatform
import TsubameWire

/// A file is written under another name, renamed when it is complete, and locked until its row is written. A file with
/// neither a row nor a lock was left by a process that was killed.
package struct BodyFolder: Sendable {
    /// How often to try again after another process interferes.
    private static let mostTries = 16

    package let path: String

    package init(path: String) { self.path = path }

    /// Creates a file under a unique name. It becomes complete later.
    /// - Parameter ending: the ending of the name.
    package func makeFile(ending: String = "") throws(CallError) -> IncomingBody {
        var generator = SystemRandomNumberGenerator()
        let name = Hexadecimal.text((0..<16).map { _ in generator.next() as UInt8 })
        return try makeFile(named: name + ending)
    }

    /// Creates a file that replaces the one with this name when it is complete.
    package func makeFile(named name: String) throws(CallError) -> IncomingBody {
        let part = "\(path)/\(name)\(CacheFileName.partEnding)"
        for _ in 0..<Self.mostTries {
            if mkdir(path, 0o700) == 0 {
                BackupExclusion.set(true, path)
            } else {
                guard errno == EEXIST else { throw failure("made") }
                if let status = FileStatus(of: path, followsLinks: false), status.kind != .folder {
                    errno = ENOTDIR
                    throw failure("made")
                }
            }
            let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0 {
                // Another process may have removed the empty folder just now.
                if errno == ENOENT { continue }
                // A process that was killed may have left it.
                if errno == EEXIST {
                    sweep(name + CacheFileName.partEnding) { false }
                    errno = EEXIST
                    continue
                }
                throw failure("written")
            }
            // Another process may also have removed the file before it was locked.
            if FileHold.take(descriptor, waits: true) == 0, let own = FileStatus(of: descriptor),
                let there = FileStatus(of: part),
                own.inode == there.inode, own.device == there.device
            {
                return IncomingBody(descriptor: descriptor, folder: path, name: name)
            }
            FileHold.close(descriptor)
        }
        throw failure("locked")
    }

    /// Opens a complete file, or returns nil if it is missing or its length is another one.
    package func file(_ name: String, length: Int64) -> BodyFile? {
        let descriptor = openFile(name)
        guard descriptor >= 0 else { return nil }
        let file = BodyFile(descriptor: descriptor)
        guard let status = FileStatus(of: descriptor), status.kind == .regular, status.size == length else {
            return nil
        }
        return file
    }

    /// Creates the folder. The folders above it must exist.
    package func make() throws(CallError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("made") }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw failure("written") }
        guard FileStatus(of: path)?.kind == .folder else {
            errno = ENOTDIR
            throw failure("made")
        }
    }

    /// Sets the file's modification time to now, by a clock that is finer than the file system's own.
    package func touch(_ name: String) {
        var now = timespec()
        guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return }
        let times = [now, now]
        utimensat(AT_FDCWD, "\(path)/\(name)", times, AT_SYMLINK_NOFOLLOW)
    }

    /// Removes the folder itself, if it is empty.
    package func removeFolder() { rmdir(path) }

    package func remove(_ names: [String]) { for name in names { _ = remove(name) } }

    /// - Returns: whether the file is no longer there. If not, `errno` has the reason.
    func remove(_ name: String) -> Bool { unlink("\(path)/\(name)") == 0 || errno == ENOENT }

    /// Whether the names of its files can be read, or there is no folder. If not, `errno` has the reason.
    var isReadable: Bool {
        guard let folder = opendir(path) else { return errno == ENOENT || errno == ENOTDIR }
        closedir(folder)
        return true
    }

    /// Whether the path is a folder and not a link to one. The target of a link does not belong to the cache.
    private var isOwn: Bool { FileStatus(of: path, followsLinks: false)?.kind == .folder }

    /// The files that a cache has made in this folder, with their kinds.
    package var files: [(name: String, kind: CacheFileName.Kind)] {
        guard isOwn else { return [] }
        return names.compactMap { name in CacheFileName.kind(of: name).map { (name, $0) } }
    }

    /// The names of all entries of the folder.
    package var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file unless a writer is about to keep it.
    /// - Parameter isKept: asked while this process holds the file's lock.
    package func sweep(_ name: String, unless isKept: () throws -> Bool) rethrows {
        let descriptor = openFile(name)
        guard descriptor >= 0 else { return }
        defer { FileHold.close(descriptor) }
        guard FileStatus(of: descriptor)?.kind == .regular else { return }
        guard FileHold.take(descriptor) == 0, try !isKept() else { return }
        unlink("\(path)/\(name)")
    }

    /// Follows no link, and does not wait for the writer of a pipe.
    private func openFile(_ name: String) -> Int32 {
        open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }

    /// The error of the last write.
    package var fullError: CallError { failure("written") }

    /// The error that `errno` names.
    /// - Parameter what: what cannot be done with a file.
    func failure(_ what: String) -> CallError {
        CallError(.file, "a file in \(path) cannot be \(what): \(String(cString: strerror(errno)))")
    }
}
