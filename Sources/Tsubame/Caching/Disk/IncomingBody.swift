// IncomingBody: the file of one cached body, while it is written.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import TsubameCore

/// A file that is being written. One that is dropped before it is kept is removed.
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
        // The name goes first: as long as the lock is held nobody else takes it for a file that was left.
        if !isKept { unlink("\(folder)/\(name)\(isWhole ? "" : CacheFileName.partEnding)") }
        _ = close(descriptor)
    }

    /// - Returns: whether all of it was taken; `errno` says why not.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (_, error) = FileOutput.write(bytes, to: descriptor)
        if error != 0 { errno = error }
        return error == 0
    }

    /// Gives the file its name. It need not be on the disk yet: what a loss of power takes is noticed by its sums.
    package func complete() -> Bool {
        guard rename("\(folder)/\(name)\(CacheFileName.partEnding)", "\(folder)/\(name)") == 0 else { return false }
        isWhole = true
        return true
    }

    /// Its row is there.
    package func keep() { isKept = true }
}
