// FileOutput: bytes to a file, all of them.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

package enum FileOutput {
    /// Writes on when the system took only a part, or was interrupted by a signal.
    /// - Parameter offset: where in the file; nil for where the descriptor stands.
    /// - Returns: how many bytes were written, and the error that kept the others from it, or 0.
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
                count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 {
                // Nothing taken and nothing said: `errno` is of some earlier call.
                return (done, EIO)
            } else if errno != EINTR {
                return (done, errno)
            }
        }
        return (bytes.count, 0)
    }

    /// Puts a whole file in the place of another one. Its bytes are on the disk before it has the name: a machine that loses
    /// its power keeps the old file or the new one, and none of half the bytes.
    /// - Parameters:
    ///   - path: of the whole file.
    ///   - descriptor: by which it was written.
    /// - Returns: 0, or the error for which the old file is still there.
    package static func replace(_ target: String, by path: String, _ descriptor: Int32) -> Int32 {
        let code = flush(descriptor)
        guard code == 0 else { return code }
        return rename(path, target) == 0 ? 0 : errno
    }

    /// Waits until the bytes of a file are on the disk.
    /// - Returns: 0, or the error. A file system that cannot do it is no error.
    package static func flush(_ descriptor: Int32) -> Int32 {
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOSYS, ENOTSUP: return 0
            case let code: return code
            }
        }
        return 0
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
