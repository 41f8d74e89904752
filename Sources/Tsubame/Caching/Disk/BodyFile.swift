// BodyFile: the file of one cached body, open to be read.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
package import TsubameCore

/// A whole file that is open, and can be read even if it is removed.
package final class BodyFile: Sendable {
    private let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// So many bytes from there; fewer at the end of the file, nil if it cannot be read.
    package func read(_ count: Int, at offset: Int64) -> Bytes? {
        var failed = false
        let bytes = Bytes(capacity: count) { target in
            var filled = 0
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: target[filled...])
                let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
                if got > 0 { filled += got }
                if got == 0 { break }
                if got < 0, errno != EINTR {
                    failed = true
                    break
                }
            }
            return filled
        }
        return failed ? nil : bytes
    }
}
