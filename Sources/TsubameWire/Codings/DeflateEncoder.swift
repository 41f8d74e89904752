// gzip (RFC 1952) and deflate (RFC 1950), made piece by piece by zlib.
import CZlib
package import TsubameCore

package final class DeflateEncoder: ContentEncoder {
    package enum Coding: Sendable {
        case gzip
        /// Wrapped by zlib, as RFC 9110 §8.4.1.2 says.
        case deflate
    }

    // zlib's state points back to its stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// nil if there is no memory for it: it takes 256 KiB.
    package init?(_ coding: Coding) {
        // Window bits as zlib counts them: 15 is the largest window, +16 asks for gzip.
        let windowBits: Int32 =
            switch coding {
            case .gzip: 15 + 16
            case .deflate: 15
            }
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
    }

    deinit {
        // Of a stream that could not be begun it frees nothing.
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    package func encode(_ input: Bytes, isLast: Bool, into output: inout [UInt8]) -> Bool {
        input.withUnsafeBytes { input in
            guard let length = UInt32(exactly: input.count) else { return false }
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = length
            // The caller's memory is the caller's again.
            defer { stream.pointee.next_in = nil }
            var status = Z_OK
            repeat {
                output.append(
                    contentsOf: [UInt8](unsafeUninitializedCapacity: Self.outputBytes) { buffer, count in
                        stream.pointee.next_out = buffer.baseAddress
                        stream.pointee.avail_out = UInt32(clamping: buffer.count)
                        status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                        count = buffer.count - Int(clamping: stream.pointee.avail_out)
                        stream.pointee.next_out = nil
                    })
                // Nothing to do is no failure.
            } while status == Z_OK && stream.pointee.avail_out == 0
            return isLast ? status == Z_STREAM_END : status == Z_OK || status == Z_BUF_ERROR
        }
    }
}
