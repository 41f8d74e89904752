// UnreadableFile: why a file cannot be opened, in the system's words.

import TsubamePlatform

enum UnreadableFile {
    /// nil if it can be opened and is no folder.
    static func reason(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { _ = close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return String(cString: strerror(EISDIR))
    }
}
