// IncomingBody: the file of one cached body, for writing.

import TsubameCore
import TsubamePlatform

/// A file that is being written. If it is released before it is kept, it is removed.
package final class IncomingBody {
    package let name: String
    private let descriptor: Int32
    private let folder: String
    private var isKept = false
    private var isWhole = false

    init(descriptor: Int32, folder: String, name: String) {
        self.descriptor = descriptor
        self.folder = folder
        self.name = name
    }

    deinit {
        // The name is removed before the lock. While the lock is held, no process takes the file for an abandoned one.
        if !isKept { unlink("\(folder)/\(name)\(isWhole ? "" : CacheFileName.partEnding)") }
        FileHold.close(descriptor)
    }

    /// - Returns: whether all bytes were written. If not, `errno` has the reason.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (_, error) = FileOutput.write(bytes, to: descriptor)
        if error != 0 { errno = error }
        return error == 0
    }

    /// Gives the file its final name. The file may not be on the disk yet, because its checksums reveal bytes that a
    /// power loss has taken.
    package func complete() -> Bool {
        guard rename("\(folder)/\(name)\(CacheFileName.partEnding)", "\(folder)/\(name)") == 0 else { return false }
        isWhole = true
        return true
    }

    /// Keeps the file, because its row is written.
    package func keep() { isKept = true }
}
