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

    /// Whether a file here may have this name: one of this folder and no other.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2E
            }
    }

    /// Makes a file that is to be whole later, under a name that no other has.
    /// - Parameter ending: of the name.
    package func makeFile(ending: String = "") throws(CallError) -> IncomingBody {
        var generator = SystemRandomNumberGenerator()
        let name = Hexadecimal.text((0..<16).map { _ in generator.next() as UInt8 })
        return try makeFile(named: name + ending)
    }

    /// Makes a file that takes the place of the one of this name when it is whole.
    package func makeFile(named name: String) throws(CallError) -> IncomingBody {
        let part = "\(path)/\(name)\(IncomingBody.ending)"
        for _ in 0..<Self.mostTries {
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("made") }
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
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = BodyFile(descriptor: descriptor)
        guard FileStatus(of: descriptor)?.size == length else { return nil }
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
        utimensat(AT_FDCWD, "\(path)/\(name)", times, 0)
    }

    /// Removes the folder itself, if it is empty.
    package func removeFolder() { rmdir(path) }

    package func remove(_ names: [String]) { for name in names { unlink("\(path)/\(name)") } }

    /// The names of all files.
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
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, try !isKept() else { return }
        unlink("\(path)/\(name)")
    }

    /// What writing has failed by, last.
    package var fullError: CallError { failure("written") }

    private func failure(_ what: String) -> CallError {
        CallError(.file, "a file in \(path) cannot be \(what): \(String(cString: strerror(errno)))")
    }
}
