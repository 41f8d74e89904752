// Deflater: compresses a body with zlib.
#if Server
import CZlib

enum Deflater {
    enum Format: Int32 {
        /// RFC 1950, the format of `Content-Encoding: deflate` (RFC 9110 section 8.4.1.2).
        case zlib = 15
        /// RFC 1952. zlib reads 16 plus the window bits as a request for gzip.
        case gzip = 31
    }

    static func compress(_ bytes: [UInt8], as format: Format) throws -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, format.rawValue, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw Problem(500, "zlib failed to start") }
        defer { deflateEnd(&stream) }

        // The bound holds for any input, gzip's header and trailer included, so one call is enough.
        let bound = Int(clamping: deflateBound(&stream, uLong(bytes.count)))
        var input = bytes
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: bound)
                if deflate(&stream, Z_FINISH) == Z_STREAM_END {
                    count = bound - Int(stream.avail_out)
                }
            }
        }
        guard !compressed.isEmpty else { throw Problem(500, "zlib failed to finish") }
        return compressed
    }
}

#endif
