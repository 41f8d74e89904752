// BodyFolder: the files of the large bodies of a cache, beside its database.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
package import TsubameCore
import TsubameWire

/// A file is written under another name, renamed when it is whole, and locked until its row is there: a file without a row
/// that nobody has locked was left by a process that was killed.
package struct BodyFolder: Sendable {
    /// How often other processes may come in between.
    private static let mostTries = 16

    package let path: String

    package init(path: String) { self.path = path }

    /// Makes a file that is to be whole later, under a name that no other has.
    /// - Parameter ending: of the name.
    package func makeFile(ending: String = "") throws(CallError) -> IncomingBody {
        var generator = SystemRandomNumberGenerator()
        let name = Hexadecimal.text((0..<16).map { _ in generator.next() as UInt8 })
        return try makeFile(named: name + ending)
    }

    /// Makes a file that takes the place of the one of this name when it is whole.
    package func makeFile(named name: String) throws(CallError) -> IncomingBody {
        let part = "\(path)/\(name)\(CacheFileName.partEnding)"
        for _ in 0..<Self.mostTries {
            if mkdir(path, 0o700) != 0 {
                guard errno == EEXIST else { throw failure("made") }
                if let status = FileStatus(of: path, followsLinks: false), status.kind != .folder {
                    errno = ENOTDIR
                    throw failure("made")
                }
            }
            let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0 {
                // Another process may just have removed the folder, which was empty.
                if errno == ENOENT { continue }
                throw failure("written")
            }
            // Or have found the file before it was locked, and removed it.
            if flock(descriptor, LOCK_EX) == 0, let own = FileStatus(of: descriptor), let there = FileStatus(of: part),
                own.inode == there.inode, own.device == there.device
            {
                return IncomingBody(descriptor: descriptor, folder: path, name: name)
            }
            _ = close(descriptor)
        }
        throw failure("locked")
    }

    /// Opens a whole file; nil if it is not there or not as long as it was.
    package func file(_ name: String, length: Int64) -> BodyFile? {
        let descriptor = openFile(name)
        guard descriptor >= 0 else { return nil }
        let file = BodyFile(descriptor: descriptor)
        guard let status = FileStatus(of: descriptor), status.kind == .regular, status.size == length else {
            return nil
        }
        return file
    }

    /// Makes the folder, and those above it must be there.
    package func make() throws(CallError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("made") }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw failure("written") }
        guard FileStatus(of: path)?.kind == .folder else {
            errno = ENOTDIR
            throw failure("made")
        }
    }

    /// Has the file changed now: by a clock that goes finer than the file system's own.
    package func touch(_ name: String) {
        var now = timespec()
        guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return }
        let times = [now, now]
        utimensat(AT_FDCWD, "\(path)/\(name)", times, AT_SYMLINK_NOFOLLOW)
    }

    /// Removes the folder itself, if it is empty.
    package func removeFolder() { rmdir(path) }

    package func remove(_ names: [String]) { for name in names { unlink("\(path)/\(name)") } }

    /// Whether it is a folder, and no link to one: what a link leads to is not the cache's.
    private var isOwn: Bool { FileStatus(of: path, followsLinks: false)?.kind == .folder }

    /// The files in it that a cache has made, with what they are.
    package var files: [(name: String, kind: CacheFileName.Kind)] {
        guard isOwn else { return [] }
        return names.compactMap { name in CacheFileName.kind(of: name).map { (name, $0) } }
    }

    /// The names of all that is in it.
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

    /// Removes a file unless somebody is about to keep it.
    /// - Parameter isKept: asked while nobody else can have the file locked.
    package func sweep(_ name: String, unless isKept: () throws -> Bool) rethrows {
        let descriptor = openFile(name)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard FileStatus(of: descriptor)?.kind == .regular else { return }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, try !isKept() else { return }
        unlink("\(path)/\(name)")
    }

    /// Follows no link, and waits for nobody who would write to a pipe.
    private func openFile(_ name: String) -> Int32 {
        open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }

    /// What writing has failed by, last.
    package var fullError: CallError { failure("written") }

    private func failure(_ what: String) -> CallError {
        CallError(.file, "a file in \(path) cannot be \(what): \(String(cString: strerror(errno)))")
    }
}
