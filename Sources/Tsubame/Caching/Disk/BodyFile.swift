// BodyFile: the open file of one cached body, for reading.

package import TsubameCore
import TsubamePlatform

/// The open file of a complete body. It can be read even after its removal.
package final class BodyFile: Sendable {
    private let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Up to `count` bytes at the offset, fewer only at the end of the file. nil if the file cannot be read.
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
