// FileLock: a lock that keeps other processes from changing a file that is replaced as a whole.

/// An advisory lock on the file itself, which is created if it is missing. The lock ends when the object is released,
/// or when the process ends in any way.
package final class FileLock {
    /// Why the lock was not taken. The numbers are values of `errno`.
    package enum Failure: Error {
        case cannotBeWritten(Int32)
        case cannotBeLocked(Int32)
        /// Another process or thread held the lock until the timeout.
        case isHeld
    }

    private let descriptor: Int32

    /// Takes the lock.
    /// - Parameters:
    ///   - isShared: whether other holders of a shared lock may hold it at the same time.
    ///   - timeout: how long to wait while another process or thread holds the lock, in nanoseconds.
    package init(_ path: String, isShared: Bool = false, timeout: UInt64) throws(Failure) {
        #if os(WASI)
        // There, the system has neither locks nor, for Swift, the flag that creates a file.
        throw .cannotBeLocked(ENOTSUP)
        #else
        let end = MonotonicClock.now &+ timeout
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .cannotBeWritten(errno) }
            if flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 {
                if Self.isCurrent(descriptor, path) {
                    self.descriptor = descriptor
                    return
                }
                // Another process has just replaced the file, so the lock is on the old one. The new file has to be
                // locked.
                _ = close(descriptor)
            } else {
                let code = errno
                _ = close(descriptor)
                guard code == EWOULDBLOCK || code == EINTR else {
                    throw .cannotBeLocked(code)
                }
                // A holder keeps the lock only while it writes, so a short wait is enough.
                usleep(500)
            }
            guard MonotonicClock.now < end else {
                throw .isHeld
            }
        }
        #endif
    }

    deinit { _ = close(descriptor) }

    private static func isCurrent(_ descriptor: Int32, _ path: String) -> Bool {
        guard let held = FileStatus(of: descriptor), let current = FileStatus(of: path) else { return false }
        return held.inode == current.inode && held.device == current.device
    }
}
