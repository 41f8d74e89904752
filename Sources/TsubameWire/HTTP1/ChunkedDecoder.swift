// ChunkedDecoder: decodes the chunked transfer coding up to its trailer section (RFC 9112 section 7.1).

import TsubameCore

/// Consumes every byte at once. The decoder therefore keeps no input, and needs no limit for the length of a line.
struct ChunkedDecoder {
    enum Step {
        case needsMore
        /// Body bytes, as offsets into the buffer.
        case data(Range<Int>)
        /// The last chunk is over. The trailer section follows.
        case trailers
    }

    private enum State: UInt8 {
        /// The first digit of the size, its other digits, blanks after the size, an extension, and the line feed after
        /// either.
        case start, size, padding, chunkExtension, sizeLineFeed
        /// The bytes of a chunk, and the CRLF after them.
        case data, dataReturn, dataLineFeed
        case trailers
    }

    /// Up to this many blanks after a size do not count as an extension. Some servers pad the size field of every chunk
    /// with blanks.
    private static var freeBlanks: Int { 16 }

    private var state = State.start
    private var remaining: Int64 = 0
    private var digits = 0
    /// The number of blanks after the size that is being read.
    private var blanks = 0
    private var extensionBytes = 0
    private let extensionLimit: Int

    init(extensionLimit: Int) { self.extensionLimit = extensionLimit }

    /// Prepares for another body.
    mutating func reset() { self = ChunkedDecoder(extensionLimit: extensionLimit) }

    /// Where in the body the bytes ended, for an error text.
    var place: String {
        switch state {
        case .data: "\(remaining) bytes before the end of a chunk"
        case .dataReturn, .dataLineFeed: "at the end of a chunk"
        case .trailers: "within the trailer section"
        default: "before the last chunk"
        }
    }

    mutating func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws(WireError) -> Step {
        while offset < bytes.count {
            if state == .data {
                let count = Swift.min(Int64(bytes.count &- offset), remaining)
                let range = offset..<(offset &+ Int(count))
                offset = range.upperBound
                remaining &-= count
                if remaining == 0 { state = .dataReturn }
                return .data(range)
            }
            if state == .trailers { break }
            try take(bytes[offset])
            offset &+= 1
        }
        return state == .trailers ? .trailers : .needsMore
    }

    private mutating func take(_ byte: UInt8) throws(WireError) {
        switch state {
        case .start, .size:
            if let value = Self.hexadecimal(byte) {
                digits &+= 1
                guard digits <= 16 else { throw .invalid("a chunk size has more than 16 digits") }
                // Sixteen digits could set the sign bit.
                guard remaining <= Int64.max &>> 4 else { throw .invalid("a chunk size is above 2^63 - 1") }
                remaining = remaining &<< 4 | value
                state = .size
            } else if state == .start {
                throw .invalid("a chunk size starts with \(Quotation.of(byte)), which is no hexadecimal digit")
            } else {
                try takeBehindSize(byte, "in a chunk size")
            }
        case .padding:
            try takeBehindSize(byte, "after a chunk size")
        case .chunkExtension:
            if byte == 0x0D {
                state = .sizeLineFeed
            } else if (byte < 0x20 && byte != 0x09) || byte == 0x7F {
                throw .invalid(
                    byte == 0x0A
                        ? "a chunk extension ends in a bare line feed"
                        : "a chunk extension holds a control character (\(Quotation.of(byte)))")
            } else {
                try countExtension()
            }
        case .sizeLineFeed:
            guard byte == 0x0A else { throw .invalid("a chunk size's line holds a bare carriage return") }
            digits = 0
            blanks = 0
            state = remaining > 0 ? .data : .trailers
        case .dataReturn:
            guard byte == 0x0D else {
                throw .invalid("a chunk is longer than its size: \(Quotation.of(byte)) follows it, and no CRLF")
            }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else {
                throw .invalid("a chunk is followed by a bare carriage return, and no CRLF")
            }
            state = .start
        case .data, .trailers:
            break
        }
    }

    /// Takes blanks, an extension, or the end of the line. Some old servers pad the size with blanks.
    private mutating func takeBehindSize(_ byte: UInt8, _ place: String) throws(WireError) {
        switch byte {
        case 0x0D: state = .sizeLineFeed
        case 0x0A: throw .invalid("a chunk size's line ends in a bare line feed")
        case 0x3B:
            state = .chunkExtension
            try countExtension()
        case 0x20, 0x09:
            state = .padding
            blanks &+= 1
            if blanks > Self.freeBlanks { try countExtension() }
        default: throw .invalid("there is \(Quotation.of(byte)) \(place)")
        }
    }

    private mutating func countExtension() throws(WireError) {
        extensionBytes &+= 1
        guard extensionBytes <= extensionLimit else {
            throw .limit(
                "the chunk extensions are longer than \(extensionLimit) bytes (limits.chunkExtensionBytes)")
        }
    }

    @inline(__always)
    private static func hexadecimal(_ byte: UInt8) -> Int64? {
        let digit = byte &- 0x30
        if digit <= 9 { return Int64(digit) }
        let letter = (byte | 0x20) &- 0x61
        return letter <= 5 ? Int64(letter &+ 10) : nil
    }
}
