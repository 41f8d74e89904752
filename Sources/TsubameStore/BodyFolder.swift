// BodyFolder: the files of the large bodies of a cache, beside its database.

#if Store
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Tsubame
import TsubameCore

/// A file is written under another name, renamed when it is whole, and locked until its row is there: a file without a row
/// that nobody has locked was left by a process that was killed.
struct BodyFolder: Sendable {
    let path: String

    /// Makes a file that is to be whole later.
    func makeFile() throws(CallError) -> IncomingBody {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("made") }
        var generator = SystemRandomNumberGenerator()
        let name = (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        let descriptor = open("\(path)/\(name).part", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("written") }
        let file = IncomingBody(descriptor: descriptor, folder: path, name: name)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("locked") }
        return file
    }

    /// Opens a whole file; nil if it is not there or not as long as it was.
    func file(_ name: String, length: Int64) -> BodyFile? {
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = BodyFile(descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int64(status.st_size) == length else { return nil }
        return file
    }

    func remove(_ names: [String]) { for name in names { unlink("\(path)/\(name)") } }

    /// The names of all files.
    var names: [String] {
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
    func sweep(_ name: String, unless isKept: () throws -> Bool) rethrows {
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, try !isKept() else { return }
        unlink("\(path)/\(name)")
    }

    /// What writing has failed by, last.
    var fullError: CallError { failure("written") }

    private func failure(_ what: String) -> CallError {
        CallError(.file, "a file in \(path) cannot be \(what): \(String(cString: strerror(errno)))")
    }
}
#endif
