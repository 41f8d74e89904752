// DeflateEncoder: encodes gzip (RFC 1952) and deflate (RFC 1950) piece by piece with zlib.
import CZlib
package import TsubameCore

package final class DeflateEncoder: ContentEncoder {
    package enum Coding: Sendable {
        case gzip
        /// With zlib's wrapper, as RFC 9110 section 8.4.1.2 specifies.
        case deflate
    }

    // zlib's state points back to its stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// nil if there is not enough memory. An encoder takes 256 KiB.
    package init?(_ coding: Coding) {
        // zlib's window bits: 15 is the largest window, and +16 selects gzip.
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
        // If the initialisation of the stream failed, this call frees nothing.
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
            // The memory belongs to the caller, and zlib must not keep its address.
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
                // `Z_BUF_ERROR` means that there was nothing to do, which is no failure.
            } while status == Z_OK && stream.pointee.avail_out == 0
            return isLast ? status == Z_STREAM_END : status == Z_OK || status == Z_BUF_ERROR
        }
    }
}
