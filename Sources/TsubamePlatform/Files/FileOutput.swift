// FileOutput: writes all bytes to a file, and replaces a file as a whole.

package enum FileOutput {
    /// Writes all bytes. It continues when the system took only a part, or when a signal interrupted the call.
    /// - Parameter offset: the position in the file, in bytes; nil for the descriptor's own position.
    /// - Returns: the number of bytes written, and the `errno` of the failure that stopped the others, or 0.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64? = nil
    ) -> (count: Int, error: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let done = bytes.count - rest.count
            let count: Int
            if let offset {
                let (position, overflow) = offset.addingReportingOverflow(Int64(done))
                guard !overflow, let position = off_t(exactly: position) else { return (done, EFBIG) }
                count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, position)
            } else {
                count = SystemCall.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 {
                // The system took no byte and reported no error, so `errno` belongs to an earlier call.
                return (done, EIO)
            } else if errno != EINTR {
                return (done, errno)
            }
        }
        return (bytes.count, 0)
    }

    /// Replaces the file `target` by another file. The new bytes are on the disk before the rename. A machine that
    /// loses its power keeps either the old file or the new one, and never a part of the new one.
    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - descriptor: the descriptor through which the new file was written.
    /// - Returns: 0, or the `errno` of the failure that left the old file in place.
    package static func replace(_ target: String, by path: String, _ descriptor: Int32) -> Int32 {
        let code = flush(descriptor)
        guard code == 0 else { return code }
        return rename(path, target) == 0 ? 0 : errno
    }

    /// Waits until the bytes of a file are on the disk.
    /// - Returns: 0, or `errno`. A file system that does not support flushing is not an error.
    package static func flush(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // There, fsync(2) leaves the bytes in the memory of the disk. Not every file system knows the other.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOSYS, ENOTSUP: return 0
            case let code: return code
            }
        }
        return 0
    }
}
