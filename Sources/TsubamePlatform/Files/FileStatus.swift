// FileStatus: the system's record of a file (`stat(2)`).

package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case regular, folder, pipe, socket, other
    }

    package let kind: Kind
    /// The permission bits of owner, group and others.
    package let permissions: UInt32
    /// The size in bytes.
    package let size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    package let modified: Int64
    /// The user number of the owner.
    package let owner: UInt32
    /// The number of hard links.
    package let links: UInt64
    /// Device and inode together identify the file, under any name.
    package let device: UInt64
    package let inode: UInt64

    /// nil if the file does not exist or may not be inspected; `errno` says why.
    /// - Parameter followsLinks: whether to inspect the file that a symbolic link leads to, rather than the link.
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
