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
