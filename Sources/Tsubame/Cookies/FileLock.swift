// FileLock: keeps other processes from changing a file that is replaced as a whole.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
package import TsubameCore

/// An advisory lock on the file itself, which is made if it is missing. Let go when it is dropped, or when the process
/// ends, however it does.
package final class FileLock {
    private let descriptor: Int32

    /// - Parameters:
    ///   - isShared: whether others may have it as well who share it.
    ///   - patience: how long somebody else may hold it, in nanoseconds.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be written, or not in time.
    package init(_ path: String, isShared: Bool = false, patience: UInt64) throws(CallError) {
        let end = MonotonicClock.now &+ patience
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CookieFile.failure("the file \(path) cannot be written") }
            if flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 {
                if Self.isCurrent(descriptor, path) {
                    self.descriptor = descriptor
                    return
                }
                // Somebody has just put another file in its place: that one is to be locked.
                _ = close(descriptor)
            } else {
                let code = errno
                _ = close(descriptor)
                guard code == EWOULDBLOCK || code == EINTR else {
                    throw CookieFile.failure("the file \(path) cannot be locked", code: code)
                }
                // They hold it for as long as writing takes.
                usleep(500)
            }
            guard MonotonicClock.now < end else {
                throw CallError(.file, "the file \(path) is locked by another process")
            }
        }
    }

    deinit { _ = close(descriptor) }

    private static func isCurrent(_ descriptor: Int32, _ path: String) -> Bool {
        var (held, current) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && stat(path, &current) == 0 && held.st_ino == current.st_ino
            && held.st_dev == current.st_dev
    }
}
