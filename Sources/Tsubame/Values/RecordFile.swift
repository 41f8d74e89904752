// RecordFile: a small file that is always replaced as a whole, and that only its owner reads.

import TsubamePlatform

enum RecordFile {
    /// The bytes of the file.
    /// - Parameter limit: the most bytes that are read.
    /// - Returns: nil if the file cannot be read, is no regular file, or belongs to another user.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        guard let status = FileStatus(of: file), status.owner == geteuid(), status.kind == .regular else { return nil }
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let read = pread(file, rest.baseAddress, rest.count, off_t(count))
                if read == 0 { break }
                guard read > 0 else {
                    isWhole = false
                    break
                }
                count += read
            }
        }
        return isWhole ? bytes : nil
    }

    /// Replaces the file. Processes may do so at the same time, and the last one counts. Within a process, only one write
    /// of a file may run at a time.
    /// - Parameter onDisk: whether the bytes are flushed to the disk.
    /// - Returns: the path and the `errno` of the failure; nil if there was none.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String, onDisk: Bool = false
    ) -> (path: String, error: Int32)? {
        let new = "\(path).\(getpid())~"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return (new, errno) }
        var code = FileOutput.write(bytes, to: file).error
        if code == 0, onDisk { code = FileOutput.flush(file) }
        _ = close(file)
        if code == 0, rename(new, path) != 0 { code = errno }
        guard code != 0 else { return nil }
        unlink(new)
        return (path, code)
    }
}
