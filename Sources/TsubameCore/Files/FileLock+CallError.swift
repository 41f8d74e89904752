// FileLock+CallError: takes a file lock, and reports a failure as a call error.

package import TsubamePlatform

extension FileLock {
    /// Takes the lock, and waits at most `timeout` nanoseconds while another process or thread holds it.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be written or locked, or if the lock is still held after
    ///   the timeout.
    package static func acquire(
        _ path: String, isShared: Bool = false, timeout: UInt64
    ) throws(CallError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(path, isShared: isShared, timeout: timeout)
        } catch {
            let reason =
                switch error {
                case .cannotBeWritten(let code): "cannot be written: \(String(cString: strerror(code)))"
                case .cannotBeLocked(let code): "cannot be locked: \(String(cString: strerror(code)))"
                case .isHeld: "is locked by another process"
                }
            throw CallError(.file, "the file \(path) \(reason)")
        }
    }
}
