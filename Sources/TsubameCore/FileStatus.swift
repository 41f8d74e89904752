// FileStatus: what the system says of a file.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case regular, folder, pipe, socket, other
    }

    package let kind: Kind
    /// Who may do what with it.
    package let permissions: UInt32
    /// In bytes.
    package let size: Int64
    /// When it was changed last, in nanoseconds since 1970.
    package let modified: Int64
    /// Its user's number.
    package let owner: UInt32
    /// How many names it has.
    package let links: UInt64
    /// By these two a file is the same one, whatever it is called.
    package let device: UInt64
    package let inode: UInt64

    /// nil if there is none, or it may not be looked at; `errno` says why.
    /// - Parameter followsLinks: whether of what a symbolic link leads to, and not of the link.
    package init?(of path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .other
            }
        permissions = UInt32(status.st_mode & 0o777)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        owner = UInt32(status.st_uid)
        links = UInt64(status.st_nlink)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
